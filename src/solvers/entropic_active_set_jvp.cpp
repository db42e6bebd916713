// SPDX-License-Identifier: Apache-2.0
// Jacobian products at a solution of the entropic active set method, by implicit differentiation on its face.
#include <algorithm>

#include "solvers/entropic_active_set.hpp"
#include "solvers/entropic_newton.hpp"

namespace fenchel {
namespace {

// A structure with a weight below this is outside the face of the solution, or moves it no more than that.
constexpr double face_weight = 1e-12;

}  // namespace

void entropic_active_set_jvp(const Mixture& mixture, std::span<const double> v, std::span<double> out,
                             Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto inverse = scratch.take<double>(v.size());
  const auto change = scratch.take<double>(mixture.size());
  const auto active = scratch.take<const Structure*>(mixture.size());
  write(mixture, inverse);
  for (double& entry : inverse) entry = entry > 0 ? 1 / entry : 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    if (mixture.weights[i] < face_weight) continue;
    active[count] = &mixture.structures[i];
    change[count] = dot(*active[count], v);
    ++count;
  }
  std::ranges::fill(out, 0.0);
  if (count < 2) return;
  EntropicNewton newton(count, scratch);
  newton.factorize(active.first(count), inverse);
  newton.solve(change.first(count));
  for (std::size_t i = 0; i < count; ++i) add(*active[i], change[i], out);
}

}  // namespace fenchel
