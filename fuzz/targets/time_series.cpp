// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration time_series{
    {.name = "time_series", .run = [](Bytes input) { read_rows(input, DataFormat::time_series); }}};

}  // namespace fenchel::fuzz
