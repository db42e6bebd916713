// SPDX-License-Identifier: Apache-2.0
// Documents of queries: svmlight with qid, as far as the first step of a ranker.
#include "fenchel/data/svmlight.hpp"
#include "fenchel/training/fit.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration documents{{.name = "documents", .run = [](Bytes input) {
                                const InputFile file(text_of(input));
                                const auto data = prepare(read_svmlight(file.path()),
                                                          {.task = Task::ranking, .threads = 1});
                                make_fit(data, {.task = Task::ranking, .threads = 1})->algorithm().step();
                              }}};

}  // namespace fenchel::fuzz
