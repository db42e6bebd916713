// SPDX-License-Identifier: Apache-2.0
// The kernels of taggers, for every instruction set (the algorithms are in the -inl.h file).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/chain_tagging.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/chain_tagging-inl.h"
#include "kernels/chain_tagging.hpp"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

std::size_t tagging_width_target(std::size_t m) {
  return (m + lanes<double> - 1) / lanes<double> * lanes<double>;
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

std::size_t tagging_width(std::size_t m) { return FENCHEL_DISPATCH(tagging_width_target)(m); }

void token_scores(const TokenFeatures& features, TokenRange tokens, std::span<const double> row_weights,
                  std::span<const double> single_weights, std::span<double> theta) {
  FENCHEL_DISPATCH(token_scores_rows)
  (features, tokens, row_weights.data(), single_weights.data(), theta.data());
}

void add_token_gradients(const TokenFeatures& features, TokenRange tokens, std::span<const double> r,
                         std::span<double> row_gradient, std::span<double> single_gradient) {
  FENCHEL_DISPATCH(add_token_gradients_rows)
  (features, tokens, r.data(), row_gradient.data(), single_gradient.data());
}

void prepare_edges(std::span<const double> transitions, TaggingEdges& edges) {
  FENCHEL_DISPATCH(edges_of_tags)(transitions, edges);
}

std::optional<double> tagging_marginals(const TaggingEdges& edges, std::span<double> theta,
                                        std::span<double> counts, Workspace& scratch) {
  return FENCHEL_DISPATCH(marginals_of_tags)(edges, theta, counts, scratch);
}

double tagging_best(const TaggingEdges& edges, std::span<const double> theta, std::span<std::int32_t> tags,
                    Workspace& scratch) {
  return FENCHEL_DISPATCH(best_tags)(edges, theta, tags, scratch);
}

}  // namespace fenchel::kernels
#endif
