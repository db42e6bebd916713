// SPDX-License-Identifier: Apache-2.0
// Any polytope behind one virtual interface, with a fallback, where there is one, for what it does not offer:
// what the regularizers over conv(Y), the tool and the bindings use. The caller checks sizes and scores.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/polytopes/concepts.hpp"
#include "fenchel/polytopes/path_graph.hpp"
#include "fenchel/solvers/generator.hpp"

namespace fenchel {

/// What a polytope may offer besides `map`.
enum class Oracle {
  marginals,
  marginals_jvp,
  project,
  project_jvp,
  project_kl,
  project_kl_jvp,
  project_bregman,
  k_best,
  sample,
  paths
};

/// Holds any polytope by value (copies share it; it never changes).
class AnyPolytope {
 public:
  /// Empty: only to be assigned to.
  AnyPolytope() = default;
  /// Wraps a set after checking its parameters.
  template <class P>
  requires(Polytope<P> && !std::same_as<P, AnyPolytope>)
      AnyPolytope(P set)  // NOLINT(google-explicit-constructor): every set with a MAP oracle is a polytope
      : model_(std::make_shared<const Model<P>>(std::move(set))) {}
  /// Says what a type lacks to be a polytope.
  template <UnfinishedPolytope P>
  AnyPolytope(const P&) {  // NOLINT(google-explicit-constructor): never compiles
    static_assert(
        WithMap<P>,
        "this polytope lacks: void map(std::span<const double> theta, std::span<double> vertex) const");
    static_assert(Polytope<P> || !WithMap<P>, "this polytope lacks: std::size_t dimension() const");
  }

  bool empty() const { return !model_; }
  PolytopeTraits traits() const { return model_->traits(); }
  Spec spec() const { return model_->spec(); }
  std::size_t dimension() const { return model_->dimension(); }
  /// The extents of θ and y as an array; their product is the dimension.
  std::vector<std::size_t> shape() const { return model_->shape(); }
  /// Whether the set itself has the oracle; what is missing is derived or refused.
  bool offers(Oracle oracle) const { return model_->offers(oracle); }

  /// argmax over Y of ⟨θ, y⟩; returns the maximum, −inf if every structure is masked.
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
    return model_->map(theta, out, scratch);
  }

  /// E[Y] under p(y) ∝ exp⟨θ, y⟩ and log Z(θ), −inf if every structure is masked. Throws where the set has no
  /// marginals.
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;
  double log_partition(std::span<const double> theta, Workspace& scratch) const;
  /// Cov[Y] v, given mu = marginals(θ).
  void marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                     std::span<double> out, Workspace& scratch) const;
  /// `marginals` of several rows.
  void marginals_block(MatrixView<const double> theta, MatrixView<double> mu,
                       std::span<double> log_partitions, Workspace& scratch) const;

  /// argmin over conv(Y) of ½‖μ − θ‖²: the set's own, else the active-set method. Throws if every structure
  /// is masked.
  Report project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// The same by the active-set method, as a mixture of few structures; `mixture` may hold a warm start.
  Report project(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                 Workspace& scratch) const;
  void project_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                   std::span<double> out, Workspace& scratch) const;

  /// argmax over conv(Y) of ⟨θ, μ⟩ − Σ μ log μ: the set's own, else by conditional gradient.
  Report project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void project_kl_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                      std::span<double> out, Workspace& scratch) const;

  /// argmax over conv(Y) of ⟨θ, μ⟩ − Σ φ(μ). Throws where the set has no such projection.
  Report project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                         Workspace& scratch) const;
  void project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                           std::span<double> out, Workspace& scratch) const;
  /// The smallest and the largest entry that a structure can have; infinite where the set does not say.
  EntryRange entry_range() const { return model_->entry_range(); }

  /// The k best structures, best first (all there are, if fewer). Throws where the set cannot rank them.
  void k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& out,
              Workspace& scratch) const;
  /// Independent draws from p(y) ∝ exp⟨θ, y⟩. Throws where the set cannot draw.
  void sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
              Workspace& scratch) const;

  /// The structures as paths through a graph. Throws where they are not paths.
  PathGraph paths() const;

  /// Whether μ is a structure of Y.
  bool is_vertex(std::span<const double> mu) const;
  /// Throws unless every score is finite or, where the set takes masks, −inf, and no structure's scores
  /// overflow.
  void check_scores(std::string_view name, std::span<const double> theta) const;
  /// Whether some structure's scores are too large for sums and differences of them to be finite.
  bool overflows(std::span<const double> theta) const;
  /// Throws if μ is plainly outside conv(Y). For the sets of the library, a vector of zeros and ones passes
  /// only if it is a structure, and a fractional one if it meets conditions that are quick to check: for
  /// chains, trees and alignments a few points outside conv(Y) meet them too. A user's own set decides by its
  /// check_point, or by its is_vertex for zeros and ones.
  void check_point(std::string_view name, std::span<const double> mu) const;
  /// c_y with ⟨c_y, z⟩ − ⟨c_y, y⟩ = ‖z − y‖² for every z ∈ Y.
  void hamming_cost(std::span<const double> y, std::span<double> cost) const;

  /// Throws std::invalid_argument: θ forbids every structure.
  [[noreturn]] void reject_masked() const;

  /// The wrapped set if it is a P.
  template <class P>
  const P* get_if() const {
    const auto* model = dynamic_cast<const Model<P>*>(model_.get());
    return model ? &model->set : nullptr;
  }

 private:
  using Scores = std::span<const double>;
  using Vector = std::span<double>;

  struct Interface {
    virtual ~Interface() = default;
    virtual PolytopeTraits traits() const = 0;
    virtual Spec spec() const = 0;
    virtual std::size_t dimension() const = 0;
    virtual std::vector<std::size_t> shape() const = 0;
    virtual bool offers(Oracle oracle) const = 0;
    virtual double map(Scores theta, Structure& out, Workspace& scratch) const = 0;
    virtual double marginals(Scores theta, Vector mu, Workspace& scratch) const = 0;
    virtual double log_partition(Scores theta, Workspace& scratch) const = 0;
    virtual void marginals_jvp(Scores theta, Scores mu, Scores v, Vector out, Workspace& scratch) const = 0;
    virtual void marginals_block(MatrixView<const double> theta, MatrixView<double> mu, Vector log_partitions,
                                 Workspace& scratch) const = 0;
    virtual Report project(Scores theta, Vector out, Workspace& scratch) const = 0;
    virtual void project_jvp(Scores theta, Scores mu, Scores v, Vector out, Workspace& scratch) const = 0;
    virtual Report project_kl(Scores theta, Vector out, Workspace& scratch) const = 0;
    virtual void project_kl_jvp(Scores theta, Scores mu, Scores v, Vector out, Workspace& scratch) const = 0;
    virtual Report project_bregman(const Generator& phi, Scores theta, Vector out,
                                   Workspace& scratch) const = 0;
    virtual void project_bregman_jvp(const Generator& phi, const Projected& at, Scores v, Vector out,
                                     Workspace& scratch) const = 0;
    virtual EntryRange entry_range() const = 0;
    virtual void k_best(Scores theta, std::size_t k, std::vector<Structure>& out,
                        Workspace& scratch) const = 0;
    virtual void sample(Scores theta, Random& random, std::span<Structure> draws,
                        Workspace& scratch) const = 0;
    virtual PathGraph paths() const = 0;
    virtual int is_vertex(Scores mu) const = 0;  ///< −1: the set does not say
    virtual void check_point(std::string_view name, Scores mu) const = 0;
    virtual bool hamming_cost(Scores y, Vector cost) const = 0;  ///< false: the set has none of its own
  };

  template <class P>
  struct Model;

  Report feasible(const Report& report) const;  // the report; throws if it says that nothing is left
  [[noreturn]] void refuse(std::string_view oracle, std::string_view reason) const;

  std::shared_ptr<const Interface> model_;
};

/// Forwards to the set what it has; the rest is never asked for, because `offers` says no.
template <class P>
struct AnyPolytope::Model final : AnyPolytope::Interface {
  explicit Model(P wrapped) : set(std::move(wrapped)) {
    if constexpr (requires { set.check(); }) set.check();
  }

  PolytopeTraits traits() const override {
    if constexpr (requires { P::traits; }) {
      return P::traits;
    } else {
      return {.name = "user", .binary = false, .sphere = false, .vertices = "given by a MAP oracle"};
    }
  }
  Spec spec() const override { return spec_of(traits().name, set); }
  std::size_t dimension() const override { return set.dimension(); }
  std::vector<std::size_t> shape() const override {
    if constexpr (requires { set.shape(); }) {
      return set.shape();
    } else {
      return {set.dimension()};
    }
  }
  bool offers(Oracle oracle) const override {
    switch (oracle) {
      case Oracle::marginals:
        return requires(Scores s, Vector o, Workspace & w) { set.marginals(s, o, w); };
      case Oracle::marginals_jvp:
        return requires(Scores s, Vector o, Workspace & w) { set.marginals_jvp(s, s, s, o, w); };
      case Oracle::project:
        return requires(Scores s, Vector o, Workspace & w) { set.project(s, o, w); };
      case Oracle::project_jvp:
        return requires(Scores s, Vector o, Workspace & w) { set.project_jvp(s, s, s, o, w); };
      case Oracle::project_kl:
        return requires(Scores s, Vector o, Workspace & w) { set.project_kl(s, o, w); };
      case Oracle::project_kl_jvp:
        return requires(Scores s, Vector o, Workspace & w) { set.project_kl_jvp(s, s, s, o, w); };
      case Oracle::project_bregman:
        return requires(const Generator& phi, const Projected& at, Scores s, Vector o, Workspace& w) {
          set.project_bregman(phi, s, o, w);
          set.project_bregman_jvp(phi, at, s, o, w);
        };
      case Oracle::k_best:
        return requires(Scores s, std::vector<Structure> & o, Workspace & w) { set.k_best(s, 1, o, w); };
      case Oracle::sample:
        return requires(Scores s, Random & r, std::span<Structure> o, Workspace & w) {
          set.sample(s, r, o, w);
        };
      case Oracle::paths:
        return requires { set.paths(); };
    }
    return false;
  }
  double map(Scores theta, Structure& out, Workspace& scratch) const override {
    if constexpr (StructurePolytope<P>) {
      return set.map(theta, out, scratch);
    } else {
      const Workspace::Frame frame(scratch);
      const auto vertex = scratch.take<double>(theta.size());
      set.map(theta, vertex);
      assign(vertex, out);
      return dot(out, theta);
    }
  }
  double marginals(Scores theta, Vector mu, Workspace& scratch) const override {
    if constexpr (requires { set.marginals(theta, mu, scratch); }) return set.marginals(theta, mu, scratch);
    return 0;
  }
  double log_partition(Scores theta, Workspace& scratch) const override {
    if constexpr (requires { set.log_partition(theta, scratch); }) {
      return set.log_partition(theta, scratch);
    } else {
      const Workspace::Frame frame(scratch);
      return marginals(theta, scratch.take<double>(theta.size()), scratch);
    }
  }
  void marginals_jvp(Scores theta, Scores mu, Scores v, Vector out, Workspace& scratch) const override {
    if constexpr (requires { set.marginals_jvp(theta, mu, v, out, scratch); }) {
      set.marginals_jvp(theta, mu, v, out, scratch);
    }
  }
  void marginals_block(MatrixView<const double> theta, MatrixView<double> mu, Vector log_partitions,
                       Workspace& scratch) const override {
    if constexpr (requires { set.marginals_block(theta, mu, log_partitions, scratch); }) {
      set.marginals_block(theta, mu, log_partitions, scratch);
    } else {
      for (std::size_t i = 0; i < theta.rows(); ++i)
        log_partitions[i] = marginals(theta.row(i), mu.row(i), scratch);
    }
  }
  Report project(Scores theta, Vector out, Workspace& scratch) const override {
    if constexpr (requires { set.project(theta, out, scratch); }) return set.project(theta, out, scratch);
    return {};
  }
  void project_jvp(Scores theta, Scores mu, Scores v, Vector out, Workspace& scratch) const override {
    if constexpr (requires { set.project_jvp(theta, mu, v, out, scratch); }) {
      set.project_jvp(theta, mu, v, out, scratch);
    }
  }
  Report project_kl(Scores theta, Vector out, Workspace& scratch) const override {
    if constexpr (requires { set.project_kl(theta, out, scratch); })
      return set.project_kl(theta, out, scratch);
    return {};
  }
  void project_kl_jvp(Scores theta, Scores mu, Scores v, Vector out, Workspace& scratch) const override {
    if constexpr (requires { set.project_kl_jvp(theta, mu, v, out, scratch); }) {
      set.project_kl_jvp(theta, mu, v, out, scratch);
    }
  }
  Report project_bregman(const Generator& phi, Scores theta, Vector out, Workspace& scratch) const override {
    if constexpr (requires { set.project_bregman(phi, theta, out, scratch); })
      return set.project_bregman(phi, theta, out, scratch);
    return {};
  }
  void project_bregman_jvp(const Generator& phi, const Projected& at, Scores v, Vector out,
                           Workspace& scratch) const override {
    if constexpr (requires { set.project_bregman_jvp(phi, at, v, out, scratch); })
      set.project_bregman_jvp(phi, at, v, out, scratch);
  }
  EntryRange entry_range() const override {
    if constexpr (requires { set.entry_range(); }) return set.entry_range();
    return traits().binary ? EntryRange{} : EntryRange{-infinity, infinity};
  }
  void k_best(Scores theta, std::size_t k, std::vector<Structure>& out, Workspace& scratch) const override {
    if constexpr (requires { set.k_best(theta, k, out, scratch); }) set.k_best(theta, k, out, scratch);
  }
  void sample(Scores theta, Random& random, std::span<Structure> draws, Workspace& scratch) const override {
    if constexpr (requires { set.sample(theta, random, draws, scratch); })
      set.sample(theta, random, draws, scratch);
  }
  PathGraph paths() const override {
    if constexpr (requires { set.paths(); }) return set.paths();
    return {};
  }
  int is_vertex(Scores mu) const override {
    if constexpr (requires { set.is_vertex(mu); }) return set.is_vertex(mu) ? 1 : 0;
    return -1;
  }
  void check_point(std::string_view name, Scores mu) const override {
    if constexpr (requires { set.check_point(name, mu); }) set.check_point(name, mu);
  }
  bool hamming_cost(Scores y, Vector cost) const override {
    if constexpr (requires { set.hamming_cost(y, cost); }) {
      set.hamming_cost(y, cost);
      return true;
    }
    return false;
  }

  P set;
};

}  // namespace fenchel
