// SPDX-License-Identifier: Apache-2.0
// Ω whose conjugate is the best score of a path with every maximum of the dynamic programme smoothed (paper
// §7.1, last remark; Mensch and Blondel 2018, "Differentiable dynamic programming for structured prediction
// and attention"): over the nodes of a graph of paths,
//     V(node) = θ(node) + max_Ψ { V(k) + θ(edge from k) },   Ω*(θ) = V(last node),
//     max_Ψ(x) = Ψ*(x) = max over the simplex of ⟨p, x⟩ − Ψ(p).
// ŷ is the expectation of Y under a Markov chain that runs backwards with the transitions ŷ_Ψ: a point of
// conv(Y). With Ψ = Σ p log p it is the conditional random field; with a sparse Ψ such as Tsallis, ŷ is
// sparse, and exact in the time of Viterbi's algorithm, which structured sparsemax is not.
#pragma once

#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/polytopes/path_graph.hpp"
#include "fenchel/regularizers/any.hpp"
#include "fenchel/regularizers/tsallis.hpp"

namespace fenchel {

/// The smoothed dynamic programme over sequences, chains or alignments.
struct SmoothedPaths {
  AnyPolytope polytope;
  AnyRegularizer entropy = Tsallis{2};  ///< Ψ, an Ω over the simplex

  static constexpr Traits traits{.name = "smoothed_paths",
                                 .domain = Domain::polytope,
                                 .symmetric = false,
                                 .value_by_search = true,
                                 .formula = "conjugate of the best path with smoothed maxima",
                                 .loss = "smoothed dynamic programming",
                                 .prediction = "expected path of a backward Markov chain",
                                 .paper = "§7.1"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"polytope", &SmoothedPaths::polytope, "sequence, chain or alignment, nested"},
                      Parameter{"entropy", &SmoothedPaths::entropy,
                                "what smooths a maximum: an Ω over the "
                                "simplex, nested"}};
  }
  static std::vector<SmoothedPaths> examples();
  void check() const;
  /// Asks the set for its graph, once.
  void prepare();
  Traits refined_traits() const;

  /// 0 at structures; elsewhere solved iteratively (`solve_value` says how it went).
  double value(std::span<const double> mu) const { return solve_value(mu).value; }
  operations::SolvedValue solve_value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const;
  /// Ω*(θ), and ŷ_Ω(θ) into `out`.
  double predict_and_conjugate(std::span<const double> theta, std::span<double> out,
                               Workspace& scratch) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  /// Forwards along v and back, without a search.
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const;

  std::shared_ptr<const PathGraph> graph = {};  ///< filled by prepare()

 private:
  // Ω*(θ), ŷ into `out`, and how the maxima went.
  double mean(std::span<const double> theta, std::span<double> out, Report& report, Workspace& scratch) const;
};

static_assert(Regularizer<SmoothedPaths>);

}  // namespace fenchel
