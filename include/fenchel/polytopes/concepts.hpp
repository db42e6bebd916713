// SPDX-License-Identifier: Apache-2.0
// What a type must offer to be a polytope conv(Y), given by its oracles (paper §7.3). Only argmax over Y of
// ⟨θ, y⟩ is required (ties: any, but always the same one), in one of two forms:
//  - void   map(theta, vertex)                 into a dense vector: the short form for a set of your own
//  - double map(theta, structure, scratch)     as the non-zero entries; returns ⟨θ, y⟩, or −inf if every
//                                              structure has a masked entry (`structure` is then left alone)
// Optional, each const and without state, so that threads may share the set; all in double; `out` and `mu`
// never overlap an input; θ holds finite scores or, where traits.masks, −inf (checked by the caller):
//  - double marginals(theta, mu, scratch)      E[Y] under p(y) ∝ exp⟨θ, y⟩; returns log Z (−inf: none left)
//  - double log_partition(theta, scratch)      log Z alone, if cheaper
//  - void   marginals_jvp(theta, mu, v, out, scratch)
//                                              Cov[Y] v = ∇²log Z(θ) v, given mu = marginals(θ)
//  - Report project(theta, out, scratch)       argmin over conv(Y) of ½‖μ − θ‖² (residual +inf: all masked)
//  - void   project_jvp(theta, mu, v, out, scratch)
//                                              its (symmetric) Jacobian times v, given mu = project(θ)
//  - Report project_kl(theta, out, scratch)    argmax over conv(Y) of ⟨θ, μ⟩ − Σ μ log μ
//  - void   project_kl_jvp(theta, mu, v, out, scratch)
//                                              its (symmetric) Jacobian times v
//  - Report project_bregman(phi, theta, out, scratch)
//                                              argmax over conv(Y) of ⟨θ, μ⟩ − Σ φ(μ) for any generator φ
//                                              that is finite on its entries
//  - void   project_bregman_jvp(phi, {theta, mu}, v, out, scratch)
//                                              its (symmetric) Jacobian times v
//  - EntryRange entry_range()                  the smallest and the largest entry of a structure; default: 0
//                                              and 1 where they are binary
//  - void   k_best(theta, k, structures, scratch)
//                                              the k best structures, best first, without masked ones; all
//                                              of them where |Y| ≤ k
//  - void   sample(theta, random, draws, scratch)
//                                              independent draws from p(y) ∝ exp⟨θ, y⟩ into a span
//  - PathGraph paths()                         the structures as paths through a graph without cycles
//  - bool   is_vertex(mu)                      whether μ ∈ Y (only if the set is neither binary nor sphere)
//  - void   check_point(name, mu)              throws if μ is plainly outside conv(Y), and always for zeros
//                                              and ones that are not a structure
//  - void   hamming_cost(y, cost)              c_y with ⟨c_y, z⟩ − ⟨c_y, y⟩ = ‖z − y‖², over the parts that
//                                              count
//  - void   marginals_block(thetas, mus, log_partitions, scratch)
//                                              several rows at once, one per SIMD lane
//  - vector shape()                            the extents of θ, such as [n, n]; default: one axis
//  - void   check()                            throws if the parameters are bad
// A set of the library's list also has parameters() and examples(), as a regularizer does.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/traits.hpp"

namespace fenchel {

/// Scores, and the point that a projection made of them.
struct Projected {
  std::span<const double> theta;
  std::span<const double> mu;
};

/// The entries of the structures of a set are in [lowest, highest].
struct EntryRange {
  double lowest = 0;
  double highest = 1;
};

/// map into the non-zero entries of a vertex.
template <class P>
concept StructurePolytope = requires(const P& set, std::span<const double> theta, Structure& structure,
                                     Workspace& scratch) {
  { set.dimension() } -> std::convertible_to<std::size_t>;
  { set.map(theta, structure, scratch) } -> std::convertible_to<double>;
};

/// map into a dense vector.
template <class P>
concept DensePolytope = requires(const P& set, std::span<const double> theta, std::span<double> vertex) {
  { set.dimension() } -> std::convertible_to<std::size_t>;
  set.map(theta, vertex);
};

/// conv(Y), given by its MAP oracle and whatever else it knows.
template <class P>
concept Polytope = StructurePolytope<P> || DensePolytope<P>;

/// A type that has parts of a polytope (and not those of an Ω over one) and lacks others. AnyPolytope takes
/// it only to say what is missing.
template <class P>
concept WithMap = requires(const P& set, std::span<const double> theta, std::span<double> vertex) {
  set.map(theta, vertex);
}
|| requires(const P& set, std::span<const double> theta, Structure& out, Workspace& scratch) {
  set.map(theta, out, scratch);
};
template <class P>
concept UnfinishedPolytope =
    !Polytope<P> &&
    (WithMap<P> || (
                       requires(const P& set) { set.dimension(); } &&
                       !requires(const P& omega, std::span<const double> mu) { omega.value(mu); }));

}  // namespace fenchel
