// SPDX-License-Identifier: Apache-2.0
// Rows as they arrive, as `fenchel predict MODEL -` reads them.
#include "fenchel/data/read.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration rows_of_stdin{
    {.name = "rows_of_stdin", .run = [](Bytes input) {
       const InputFile file(text_of(input));
       RowStream stream(file.path(), {.features = 100, .drop_beyond = true, .index_base = IndexBase::one});
       Reading rows;
       while (stream.next(rows)) require(!fingerprint(rows.data).empty(), "rows have a fingerprint");
     }}};

}  // namespace fenchel::fuzz
