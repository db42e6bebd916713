// SPDX-License-Identifier: Apache-2.0
// Rows as they arrive, as `fenchel predict MODEL -` reads them.
#include "fenchel/data/svmlight.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration rows_of_stdin{{.name = "rows_of_stdin", .run = [](Bytes input) {
                                    const InputFile file(text_of(input));
                                    SvmlightStream stream(
                                        file.path(),
                                        {.features = 100, .drop_beyond = true, .index_base = IndexBase::one});
                                    Dataset rows;
                                    while (stream.next(rows))
                                      require(!fingerprint(rows).empty(), "rows have a fingerprint");
                                  }}};

}  // namespace fenchel::fuzz
