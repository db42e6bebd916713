// SPDX-License-Identifier: Apache-2.0
// The file of X, and behind the separator that of y.
#include "fenchel/data/npy.hpp"

#include "harness.hpp"

namespace fenchel::fuzz {

const Registration npy{{.name = "npy", .run = [](Bytes input) {
                          const TwoFiles files = split_input(input);
                          const InputFile rows(files.first);
                          const InputFile targets(files.second);
                          use(read_npy(rows.path(), {.target = files.second.empty() ? "-" : targets.path()}));
                        }}};

}  // namespace fenchel::fuzz
