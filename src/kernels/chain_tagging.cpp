// SPDX-License-Identifier: Apache-2.0
// The kernels of taggers, for every instruction set (the algorithms are in the -inl.h file).
#include "kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/chain_tagging.cpp"
#include <hwy/foreach_target.h>
// Highway's own headers follow foreach_target.h.
#include <hwy/highway.h>

#include "fenchel/kernels/chain_tagging.hpp"
#include "kernels/chain_tagging-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

std::size_t tagging_width_target(std::size_t m) {
  return (m + lanes<double> - 1) / lanes<double> * lanes<double>;
}

void token_scores_target(const TokenFeatures& features, TokenRange tokens,
                         std::span<const double> row_weights, std::span<const double> single_weights,
                         std::span<double> theta) {
  token_scores_rows(features, tokens, row_weights.data(), single_weights.data(), theta.data());
}

void add_token_gradients_target(const TokenFeatures& features, TokenRange tokens, std::span<const double> r,
                                std::span<double> row_gradient, std::span<double> single_gradient) {
  add_token_gradients_rows(features, tokens, r.data(), row_gradient.data(), single_gradient.data());
}

void prepare_edges_target(std::span<const double> transitions, TaggingEdges& edges) {
  edges_of_tags(transitions, edges);
}

std::optional<double> tagging_marginals_target(const TaggingEdges& edges, std::span<double> theta,
                                               std::span<double> counts, Workspace& scratch) {
  return marginals_of_tags(edges, theta, counts, scratch);
}

double tagging_best_target(const TaggingEdges& edges, std::span<const double> theta,
                           std::span<std::int32_t> tags, Workspace& scratch) {
  return best_tags(edges, theta, tags, scratch);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

HWY_EXPORT(tagging_width_target);
HWY_EXPORT(token_scores_target);
HWY_EXPORT(add_token_gradients_target);
HWY_EXPORT(prepare_edges_target);
HWY_EXPORT(tagging_marginals_target);
HWY_EXPORT(tagging_best_target);

std::size_t tagging_width(std::size_t m) { return HWY_DYNAMIC_DISPATCH(tagging_width_target)(m); }

void token_scores(const TokenFeatures& features, TokenRange tokens, std::span<const double> row_weights,
                  std::span<const double> single_weights, std::span<double> theta) {
  HWY_DYNAMIC_DISPATCH(token_scores_target)(features, tokens, row_weights, single_weights, theta);
}

void add_token_gradients(const TokenFeatures& features, TokenRange tokens, std::span<const double> r,
                         std::span<double> row_gradient, std::span<double> single_gradient) {
  HWY_DYNAMIC_DISPATCH(add_token_gradients_target)(features, tokens, r, row_gradient, single_gradient);
}

void prepare_edges(std::span<const double> transitions, TaggingEdges& edges) {
  HWY_DYNAMIC_DISPATCH(prepare_edges_target)(transitions, edges);
}

std::optional<double> tagging_marginals(const TaggingEdges& edges, std::span<double> theta,
                                        std::span<double> counts, Workspace& scratch) {
  return HWY_DYNAMIC_DISPATCH(tagging_marginals_target)(edges, theta, counts, scratch);
}

double tagging_best(const TaggingEdges& edges, std::span<const double> theta, std::span<std::int32_t> tags,
                    Workspace& scratch) {
  return HWY_DYNAMIC_DISPATCH(tagging_best_target)(edges, theta, tags, scratch);
}

}  // namespace fenchel::kernels
#endif
