// SPDX-License-Identifier: Apache-2.0
// Any Ω behind one virtual interface, with everything that follows from it: what Ω offers itself, else a
// correct generic fallback (regularizers/operations.hpp). The batch loop, the trainers, the tool and the
// bindings use it. It costs one virtual call per row, or one per block where Ω has a block kernel.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "fenchel/core/differences.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/regularizers/concepts.hpp"
#include "fenchel/regularizers/operations.hpp"
#include "fenchel/regularizers/spec.hpp"

namespace fenchel {

class AnyPolytope;

/// Holds any regularizer by value (copies share it; it never changes). Models `Regularizer` itself.
class AnyRegularizer {
 public:
  /// Wraps Ω after checking its parameters.
  template <class R>
  requires(Regularizer<R> && !std::same_as<R, AnyRegularizer>)
      AnyRegularizer(R omega)  // NOLINT(google-explicit-constructor): every Ω is a regularizer
      : model_(std::make_shared<const Model<R>>(std::move(omega))) {}
  /// Says what a type lacks to be an Ω.
  template <UnfinishedRegularizer R>
  AnyRegularizer(const R&) {  // NOLINT(google-explicit-constructor): never compiles
    tell_what_is_missing<R>();
  }

  /// Only satisfies the concept; the traits of a particular Ω are refined_traits().
  static constexpr Traits traits{.name = "any"};
  Traits refined_traits() const { return model_->traits(); }
  Spec spec() const { return model_->spec(); }

  /// Ω(μ).
  double value(std::span<const double> mu) const { return model_->value(mu); }
  /// The same, and how the search for it went if there was one.
  operations::SolvedValue solve_value(std::span<const double> mu) const { return model_->solve_value(mu); }
  /// ŷ_Ω(θ).
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
    return model_->predict(theta, out, scratch);
  }
  /// Ω*(θ), given ŷ = ŷ_Ω(θ).
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const {
    return model_->conjugate(theta, prediction);
  }
  /// L_Ω(θ; y), given ŷ = ŷ_Ω(θ). Rounding may leave it a little below 0; losses that users see are clamped,
  /// tests look at this one.
  double loss(std::span<const double> theta, std::span<const double> y,
              std::span<const double> prediction) const {
    return model_->loss(theta, y, prediction);
  }
  /// ∇Ω(μ), the canonical link; a subgradient where Ω has a kink.
  void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const {
    model_->gradient(mu, out, scratch);
  }
  /// prox_{τΩ}(η) = argmin ½‖μ − η‖² + τΩ(μ) (paper §8.4). Throws where Ω is not convex.
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const {
    return model_->prox(eta, tau, out, scratch);
  }
  /// Whether Ω knows its proximity operator; otherwise each is a search, which takes many predictions.
  bool has_prox() const { return model_->has_prox(); }
  /// J v, where J = ∇ŷ_Ω(θ) = ∇²Ω*(θ) is symmetric, so that this is the vector-Jacobian product too.
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const {
    model_->jvp(theta, prediction, v, out, scratch);
  }
  /// The separation margin with d classes (paper Definition 4); nothing where there is none.
  std::optional<double> margin(std::size_t d) const { return model_->margin(d); }
  /// γ such that Ω is γ-strongly convex in ‖·‖₂ over its domain, where known. L_Ω is then 1/γ-smooth.
  std::optional<double> strong_convexity() const { return model_->strong_convexity(); }
  /// L such that ∇Ω is L-Lipschitz in ‖·‖₂ over the domain, where known.
  std::optional<double> smoothness() const { return model_->smoothness(); }
  /// r where Ω(μ) = (r/2)‖μ‖² plus a constant over its domain, so that its proximity operator is a
  /// projection.
  std::optional<double> ridge() const { return model_->ridge(); }

  /// The same entropy of each of d coordinates against its complement, over the cube, where Ω knows a better
  /// one than OneVsAll makes from it.
  std::optional<AnyRegularizer> coordinatewise(std::size_t d) const { return model_->coordinatewise(d); }
  /// The same Ω over another set of structures; nothing where it is over none.
  std::optional<AnyRegularizer> over(const AnyPolytope& set) const { return model_->over(set); }

  /// Whether predictions are the marginals of the Gibbs distribution p(y) ∝ exp⟨θ, y⟩ over structures.
  bool gibbs() const { return model_->gibbs(); }

  /// The number of entries of θ where Ω fixes it.
  std::optional<std::size_t> dimension() const { return model_->dimension(); }
  /// The set of structures whose hull is the domain; nullptr for other domains.
  const AnyPolytope* polytope() const { return model_->polytope(); }
  /// These throw if θ, or μ outside dom(Ω), is wrong in a way that only Ω can tell.
  void check_scores(std::string_view name, std::span<const double> theta) const {
    model_->check_scores(name, theta);
  }
  void check_point(std::string_view name, std::span<const double> mu) const { model_->check_point(name, mu); }

  bool takes_blocks() const { return model_->takes_blocks(); }
  std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                            RowSummaries summaries) const {
    return model_->predict_block(theta, out, summaries);
  }
  std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                            RowSummaries summaries) const {
    return model_->predict_block(theta, out, summaries);
  }

  /// J v of every row, given the predictions; false where Ω has no kernel for it (then nothing is written).
  bool jvp_block(MatrixView<const float> prediction, MatrixView<const float> v, MatrixView<float> out) const {
    return model_->jvp_block(prediction, v, out);
  }
  bool jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                 MatrixView<double> out) const {
    return model_->jvp_block(prediction, v, out);
  }

  /// The wrapped Ω if it is an R.
  template <class R>
  const R* get_if() const {
    const auto* model = dynamic_cast<const Model<R>*>(model_.get());
    return model ? &model->omega : nullptr;
  }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual Traits traits() const = 0;
    virtual Spec spec() const = 0;
    virtual double value(std::span<const double> mu) const = 0;
    virtual operations::SolvedValue solve_value(std::span<const double> mu) const = 0;
    virtual Report predict(std::span<const double> theta, std::span<double> out,
                           Workspace& scratch) const = 0;
    virtual double conjugate(std::span<const double> theta, std::span<const double> prediction) const = 0;
    virtual double loss(std::span<const double> theta, std::span<const double> y,
                        std::span<const double> prediction) const = 0;
    virtual void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const = 0;
    virtual bool has_prox() const = 0;
    virtual Report prox(std::span<const double> eta, double tau, std::span<double> out,
                        Workspace& scratch) const = 0;
    virtual void jvp(std::span<const double> theta, std::span<const double> prediction,
                     std::span<const double> v, std::span<double> out, Workspace& scratch) const = 0;
    virtual std::optional<double> margin(std::size_t d) const = 0;
    virtual std::optional<double> strong_convexity() const = 0;
    virtual std::optional<double> smoothness() const = 0;
    virtual std::optional<double> ridge() const = 0;
    virtual std::optional<AnyRegularizer> coordinatewise(std::size_t d) const = 0;
    virtual std::optional<AnyRegularizer> over(const AnyPolytope& set) const = 0;
    virtual bool gibbs() const = 0;
    virtual std::optional<std::size_t> dimension() const = 0;
    virtual const AnyPolytope* polytope() const = 0;
    virtual void check_scores(std::string_view name, std::span<const double> theta) const = 0;
    virtual void check_point(std::string_view name, std::span<const double> mu) const = 0;
    virtual bool takes_blocks() const = 0;
    virtual std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                                      RowSummaries summaries) const = 0;
    virtual std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                                      RowSummaries summaries) const = 0;
    virtual bool jvp_block(MatrixView<const float> prediction, MatrixView<const float> v,
                           MatrixView<float> out) const = 0;
    virtual bool jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                           MatrixView<double> out) const = 0;
  };

  template <class R>
  struct Model final : Interface {
    explicit Model(R wrapped) : omega(std::move(wrapped)) {
      if constexpr (requires { omega.check(); }) omega.check();
      if constexpr (requires { omega.prepare(); }) omega.prepare();
    }

    Traits traits() const override { return traits_of(omega); }
    Spec spec() const override {
      if constexpr (requires { omega.spec(); }) {
        return omega.spec();
      } else {
        return spec_of(R::traits.name, omega);
      }
    }
    double value(std::span<const double> mu) const override {
      if constexpr (CoordinatewiseRegularizer<R>) {
        double sum = 0;
        for (const double m : mu) sum += omega.phi(m);
        return sum;
      } else {
        return omega.value(mu);
      }
    }
    operations::SolvedValue solve_value(std::span<const double> mu) const override {
      if constexpr (requires { omega.solve_value(mu); }) return omega.solve_value(mu);
      return {value(mu), {}};
    }
    Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const override {
      if constexpr (CoordinatewiseRegularizer<R>) {
        for (std::size_t j = 0; j < theta.size(); ++j) out[j] = omega.predict_one(theta[j]);
      } else if constexpr (std::is_void_v<decltype(omega.predict(theta, out, scratch))>) {
        omega.predict(theta, out, scratch);
      } else {
        return omega.predict(theta, out, scratch);
      }
      return {};
    }
    double conjugate(std::span<const double> theta, std::span<const double> prediction) const override {
      if constexpr (requires { omega.conjugate(theta, prediction); }) {
        return omega.conjugate(theta, prediction);
      } else {
        return dot_masked(theta, prediction) - value(prediction);
      }
    }
    double loss(std::span<const double> theta, std::span<const double> y,
                std::span<const double> prediction) const override {
      double result = 0;
      if constexpr (requires { omega.loss_one(0.0, 0.0); }) {
        for (std::size_t j = 0; j < y.size(); ++j) result += omega.loss_one(theta[j], y[j]);
      } else if constexpr (requires { omega.loss(theta, y, prediction); }) {
        result = omega.loss(theta, y, prediction);
      } else if constexpr (requires { omega.conjugate(theta, prediction); }) {
        result = omega.conjugate(theta, prediction) + value(y) - dot_masked(theta, y);
      } else {  // Ω(y) − Ω(ŷ) + ⟨θ, ŷ − y⟩, which does not subtract large numbers
        for (std::size_t j = 0; j < y.size(); ++j) {
          const double difference = prediction[j] - y[j];
          if (difference != 0) result += theta[j] * difference;
        }
        result += value(y) - value(prediction);
      }
      return result;
    }
    void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const override {
      if constexpr (requires { omega.phi_prime(0.0); }) {
        for (std::size_t j = 0; j < mu.size(); ++j) out[j] = omega.phi_prime(mu[j]);
      } else if constexpr (requires { omega.gradient(mu, out); }) {
        omega.gradient(mu, out);
      } else if constexpr (requires { omega.gradient(mu, out, scratch); }) {
        omega.gradient(mu, out, scratch);
      } else {
        operations::gradient_by_differences([this](std::span<const double> at) { return value(at); }, mu,
                                            traits(), out, scratch);
      }
    }
    bool has_prox() const override {
      using Numbers = std::span<double>;
      constexpr bool by_entry = requires { omega.prox_one(0.0, 0.0); };
      return by_entry || requires { omega.prox(Numbers(), 1.0, Numbers(), thread_workspace()); };
    }
    Report prox(std::span<const double> eta, double tau, std::span<double> out,
                Workspace& scratch) const override {
      operations::check_convex(traits());
      if constexpr (requires { omega.prox_one(0.0, 0.0); }) {
        for (std::size_t j = 0; j < eta.size(); ++j) out[j] = omega.prox_one(eta[j], tau);
        return {};
      } else if constexpr (requires { omega.prox(eta, tau, out, scratch); }) {
        return omega.prox(eta, tau, out, scratch);
      } else {
        if (tau == 0 && traits().domain == Domain::reals) {
          std::ranges::copy(eta, out.begin());  // Moreau's decomposition needs τ > 0
          return {};
        }
        const auto value_at = [this](std::span<const double> at) { return value(at); };
        const auto predict_at = [&](std::span<const double> theta, std::span<double> mu) {
          return predict(theta, mu, scratch);
        };
        const auto conjugate_at = [&](std::span<const double> theta, std::span<double> mu) {
          return operations::conjugate_at(value_at, predict_at, theta, traits().domain, mu, scratch);
        };
        return operations::prox_by_moreau(conjugate_at, eta, tau, out, scratch);
      }
    }
    void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
             std::span<double> out, Workspace& scratch) const override {
      if constexpr (requires { omega.slope_one(0.0); }) {
        for (std::size_t j = 0; j < v.size(); ++j) out[j] = omega.slope_one(theta[j]) * v[j];
      } else if constexpr (requires { omega.jvp(theta, prediction, v, out, scratch); }) {
        omega.jvp(theta, prediction, v, out, scratch);
      } else {
        jvp_by_differences(
            [&](std::span<const double> at, std::span<double> mu) { return predict(at, mu, scratch); }, theta,
            v, out, scratch);
      }
    }
    std::optional<AnyRegularizer> coordinatewise(std::size_t d) const override {
      if constexpr (requires { omega.coordinatewise(d); }) {
        return omega.coordinatewise(d);
      } else {
        return std::nullopt;
      }
    }
    std::optional<AnyRegularizer> over(const AnyPolytope& set) const override {
      if constexpr (requires { requires std::same_as<decltype(R::polytope), AnyPolytope>; }) {
        R changed = omega;
        changed.polytope = set;
        return AnyRegularizer(std::move(changed));
      } else if constexpr (requires { requires std::same_as<decltype(R::omega), AnyRegularizer>; }) {
        const std::optional<AnyRegularizer> inner = omega.omega.over(set);
        if (!inner) return std::nullopt;
        R changed = omega;
        changed.omega = *inner;
        return AnyRegularizer(std::move(changed));
      } else {
        return std::nullopt;
      }
    }
    std::optional<double> margin(std::size_t d) const override {
      const Domain domain = traits().domain;
      // One class: the loss is zero everywhere. Sets of structures may have two in one dimension.
      if (d <= 1 && domain != Domain::polytope) return 0.0;
      if constexpr (requires { omega.margin(d); }) return omega.margin(d);
      // Off the simplex the loss depends on more than differences of scores.
      if (domain != Domain::simplex) return std::nullopt;
      return operations::margin_by_search([this](std::span<const double> at) { return value(at); }, d);
    }
    std::optional<double> strong_convexity() const override {
      if constexpr (requires { omega.strong_convexity(); }) return omega.strong_convexity();
      return std::nullopt;
    }
    std::optional<double> smoothness() const override {
      if constexpr (requires { omega.smoothness(); }) return omega.smoothness();
      return std::nullopt;
    }
    std::optional<double> ridge() const override {
      if constexpr (requires { omega.ridge(); }) return omega.ridge();
      return std::nullopt;
    }
    bool gibbs() const override {
      if constexpr (requires { R::gibbs; }) return R::gibbs;
      return false;
    }
    // An Ω over conv(Y) holds its set in a member `polytope`, or an Ω inside it does; these ask it.
    const AnyPolytope* polytope() const override {
      if constexpr (requires { requires std::same_as<decltype(R::polytope), AnyPolytope>; }) {
        return &omega.polytope;
      } else if constexpr (requires { omega.omega.polytope(); }) {
        return omega.omega.polytope();
      }
      return nullptr;
    }
    std::optional<std::size_t> dimension() const override {
      if constexpr (requires { omega.dimension(); }) {
        return omega.dimension();
      } else if constexpr (requires { omega.polytope.dimension(); }) {
        return omega.polytope.dimension();
      }
      return std::nullopt;
    }
    void check_scores(std::string_view name, std::span<const double> theta) const override {
      if constexpr (requires { omega.check_scores(name, theta); }) {
        omega.check_scores(name, theta);
      } else if constexpr (requires { omega.polytope.check_scores(name, theta); }) {
        omega.polytope.check_scores(name, theta);
      }
    }
    void check_point(std::string_view name, std::span<const double> mu) const override {
      if constexpr (requires { omega.check_point(name, mu); }) {
        omega.check_point(name, mu);
      } else if constexpr (requires { omega.polytope.check_point(name, mu); }) {
        omega.polytope.check_point(name, mu);
      }
    }
    bool takes_blocks() const override {
      if constexpr (BlockRegularizerFor<R, double>) return omega.takes_blocks();
      return false;
    }
    std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                              RowSummaries summaries) const override {
      if constexpr (BlockRegularizerFor<R, float>) return omega.predict_block(theta, out, summaries);
      return 0;  // never called: takes_blocks() is false
    }
    std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                              RowSummaries summaries) const override {
      if constexpr (BlockRegularizerFor<R, double>) return omega.predict_block(theta, out, summaries);
      return 0;
    }
    bool jvp_block(MatrixView<const float> prediction, MatrixView<const float> v,
                   MatrixView<float> out) const override {
      if constexpr (requires { omega.jvp_block(prediction, v, out); })
        return omega.jvp_block(prediction, v, out);
      return false;
    }
    bool jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                   MatrixView<double> out) const override {
      if constexpr (requires { omega.jvp_block(prediction, v, out); })
        return omega.jvp_block(prediction, v, out);
      return false;
    }

    R omega;
  };

  std::shared_ptr<const Interface> model_;
};

static_assert(Regularizer<AnyRegularizer>);

}  // namespace fenchel
