// SPDX-License-Identifier: Apache-2.0
// The kernels of linear chains, for every instruction set (the algorithms are in the -inl.h files).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/chain.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/chain.hpp"
#include "kernels/chain_edges-inl.h"
#include "kernels/chain_shared-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

void chain_max_target(std::span<const double> edges, std::span<const double> previous,
                      std::span<double> out) {
  multiply_tropical(RowShape{out.size()}, edges.data(), previous.data(), out.data());
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

void chain_max(std::span<const double> edges, std::span<const double> previous, std::span<double> out) {
  FENCHEL_DISPATCH(chain_max_target)(edges, previous, out);
}

std::optional<double> chain_marginals(std::span<const double> theta, std::size_t m, std::span<double> mu,
                                      Workspace& scratch) {
  return FENCHEL_DISPATCH(edges_marginals)(theta, m, mu, scratch);
}

void chain_covariance(std::span<const double> mu, std::size_t m, std::span<const double> v,
                      std::span<double> out, Workspace& scratch) {
  FENCHEL_DISPATCH(edges_covariance)(mu, m, v, out, scratch);
}

std::optional<double> shared_chain_marginals(const SharedChain& theta, SharedChainGradient mu,
                                             Workspace& scratch) {
  return FENCHEL_DISPATCH(shared_marginals)(theta, mu, scratch);
}

bool shared_chain_covariance(const SharedChain& theta, const SharedChain& v, SharedChainGradient out,
                             Workspace& scratch) {
  return FENCHEL_DISPATCH(shared_covariance)(theta, v, out, scratch);
}

}  // namespace fenchel::kernels
#endif
