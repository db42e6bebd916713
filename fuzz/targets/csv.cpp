// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration csv{{.name = "csv", .run = [](Bytes input) { read_rows(input, DataFormat::csv); }}};

}  // namespace fenchel::fuzz
