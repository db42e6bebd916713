// SPDX-License-Identifier: Apache-2.0
// The kernels of linear chains, for every instruction set (the algorithms are in the -inl.h files).
#include "kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/chain.cpp"
#include <hwy/foreach_target.h>
// Highway's own headers follow foreach_target.h.
#include <hwy/highway.h>

#include "fenchel/kernels/chain.hpp"
#include "kernels/chain_edges-inl.h"
#include "kernels/chain_shared-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

void chain_max_target(std::span<const double> edges, std::span<const double> previous,
                      std::span<double> out) {
  multiply_tropical(RowShape{out.size()}, edges.data(), previous.data(), out.data());
}

std::optional<double> chain_marginals_target(std::span<const double> theta, std::size_t m,
                                             std::span<double> mu, Workspace& scratch) {
  return edges_marginals(theta, m, mu, scratch);
}

void chain_covariance_target(std::span<const double> mu, std::size_t m, std::span<const double> v,
                             std::span<double> out, Workspace& scratch) {
  edges_covariance(mu, m, v, out, scratch);
}

std::optional<double> shared_chain_marginals_target(const SharedChain& theta, SharedChainGradient mu,
                                                    Workspace& scratch) {
  return shared_marginals(theta, mu, scratch);
}

bool shared_chain_covariance_target(const SharedChain& theta, const SharedChain& v, SharedChainGradient out,
                                    Workspace& scratch) {
  return shared_covariance(theta, v, out, scratch);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

HWY_EXPORT(chain_max_target);
HWY_EXPORT(chain_marginals_target);
HWY_EXPORT(chain_covariance_target);
HWY_EXPORT(shared_chain_marginals_target);
HWY_EXPORT(shared_chain_covariance_target);

void chain_max(std::span<const double> edges, std::span<const double> previous, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(chain_max_target)(edges, previous, out);
}

std::optional<double> chain_marginals(std::span<const double> theta, std::size_t m, std::span<double> mu,
                                      Workspace& scratch) {
  return HWY_DYNAMIC_DISPATCH(chain_marginals_target)(theta, m, mu, scratch);
}

void chain_covariance(std::span<const double> mu, std::size_t m, std::span<const double> v,
                      std::span<double> out, Workspace& scratch) {
  HWY_DYNAMIC_DISPATCH(chain_covariance_target)(mu, m, v, out, scratch);
}

std::optional<double> shared_chain_marginals(const SharedChain& theta, SharedChainGradient mu,
                                             Workspace& scratch) {
  return HWY_DYNAMIC_DISPATCH(shared_chain_marginals_target)(theta, mu, scratch);
}

bool shared_chain_covariance(const SharedChain& theta, const SharedChain& v, SharedChainGradient out,
                             Workspace& scratch) {
  return HWY_DYNAMIC_DISPATCH(shared_chain_covariance_target)(theta, v, out, scratch);
}

}  // namespace fenchel::kernels
#endif
