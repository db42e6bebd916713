// SPDX-License-Identifier: Apache-2.0
#include "polytopes/golden_sets.hpp"

#include "fenchel/polytopes/spec.hpp"
#include "golden_cases.hpp"

namespace fenchel::test {

std::vector<GoldenSet> golden_over(const std::string& polytope) {
  std::vector<GoldenSet> cases;
  for (const Json& golden : golden_cases("structured.jsonl")) {
    const Json& omega = golden["omega"];
    if (!omega.contains("polytope") || omega["polytope"]["name"] != polytope || omega.contains("cost"))
      continue;
    if (golden["op"] != "predict" && golden["op"] != "conjugate") continue;
    GoldenSet& added = cases.emplace_back();
    added.id = golden["id"];
    added.op = golden["op"];
    added.omega = omega["name"];
    added.set = make_polytope(omega["polytope"].dump());
    added.theta = golden_numbers<double>(golden["theta"]);
    const Json& expect = golden["expect"];
    added.expect =
        expect.is_array() ? golden_numbers<double>(expect) : std::vector<double>{expect.get<double>()};
  }
  return cases;
}

}  // namespace fenchel::test
