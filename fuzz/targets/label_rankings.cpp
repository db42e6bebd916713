// SPDX-License-Identifier: Apache-2.0
// Orders of labels, as in the last column of a CSV file: 3>1>2.
#include "fenchel/data/csv.hpp"
#include "fenchel/training/fit.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration label_rankings{
    {.name = "label_rankings", .run = [](Bytes input) {
       const InputFile file(text_of(input));
       const auto data = prepare(read_csv(file.path()), {.task = Task::label_ranking, .threads = 1});
       make_fit(data, {.task = Task::label_ranking, .threads = 1})->algorithm().step();
     }}};

}  // namespace fenchel::fuzz
