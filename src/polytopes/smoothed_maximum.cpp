// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/smoothed_maximum.hpp"

#include "fenchel/core/check.hpp"
#include "polytopes/chain_smoothing.hpp"
#include "polytopes/sequence_lattice.hpp"

namespace fenchel {

void SmoothedMaximum::check() const {
  set.check();
  check_greater("temperature", temperature, 0);
  check_finite("temperature", temperature);
}

double SmoothedMaximum::value(std::span<const double> theta, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Lattice lattice = sequence_lattice(set, theta, scratch);
  return smoothed_forward(lattice, Smoother{smoothing, temperature}, scratch).value;
}

double SmoothedMaximum::gradient(std::span<const double> theta, std::span<double> mu,
                                 Workspace& scratch) const {
  return sequence_gradient(set, theta, Smoother{smoothing, temperature}, mu, scratch);
}

void SmoothedMaximum::hessian_product(std::span<const double> theta, std::span<const double> v,
                                      std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Lattice lattice = sequence_lattice(set, theta, scratch);
  const Lattice direction = sequence_lattice(set, v, scratch);
  const LatticeGradient view = sequence_gradient_view(set, out, scratch);
  smoothed_hessian_product(lattice, Smoother{smoothing, temperature}, direction, view, scratch);
  scatter_start(set, view);
}

}  // namespace fenchel
