// SPDX-License-Identifier: Apache-2.0
// Costs of mistakes: files of tables or JSON, and what is made of them for three classes.
#include "fenchel/models/cost_table.hpp"

#include "harness.hpp"

namespace fenchel::fuzz {

const Registration cost_table{{.name = "cost_table", .run = [](Bytes input) {
                                 const InputFile file(text_of(input));
                                 const CostTable table = read_cost_table(file.path());
                                 const CostTable again = parse_cost_table(table.text());
                                 require(again.classes.size() == table.classes.size(), "as many names");
                                 const std::vector<std::string> classes{"a", "b", "c"};
                                 const Cost cost = cost_of(table, classes);
                                 const std::vector<double> y{0, 1, 0};
                                 std::vector<double> out(3);
                                 cost.write(y, out);
                               }}};

}  // namespace fenchel::fuzz
