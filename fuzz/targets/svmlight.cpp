// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration svmlight{
    {.name = "svmlight", .run = [](Bytes input) { read_rows(input, DataFormat::svmlight); }}};

}  // namespace fenchel::fuzz
