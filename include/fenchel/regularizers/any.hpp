// SPDX-License-Identifier: Apache-2.0
// Any Ω behind one virtual interface: what the batch loop, the trainers, the tool and the bindings use. It
// costs one virtual call a row, or one a block where Ω has a block kernel.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

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

  /// Only satisfies the concept; the traits of a particular Ω are refined_traits().
  static constexpr Traits traits{.name = "any"};
  Traits refined_traits() const { return model_->traits(); }
  Spec spec() const { return model_->spec(); }

  double value(std::span<const double> mu) const { return model_->value(mu); }
  /// The same, and how the search for it went where it needs one.
  operations::SolvedValue solve_value(std::span<const double> mu) const { return model_->solve_value(mu); }
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
    return model_->predict(theta, out, scratch);
  }
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const {
    return model_->conjugate(theta, prediction);
  }
  double loss(std::span<const double> theta, std::span<const double> y,
              std::span<const double> prediction) const {
    return model_->loss(theta, y, prediction);
  }
  void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const {
    model_->gradient(mu, out, scratch);
  }
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const {
    return model_->prox(eta, tau, out, scratch);
  }
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const {
    model_->jvp(theta, prediction, v, out, scratch);
  }
  std::optional<double> margin(std::size_t d) const { return model_->margin(d); }
  std::optional<double> strong_convexity() const { return model_->strong_convexity(); }
  std::optional<double> smoothness() const { return model_->smoothness(); }

  std::optional<std::size_t> dimension() const { return model_->dimension(); }
  /// The set of structures whose hull is the domain; nullptr where it is none.
  const AnyPolytope* polytope() const { return model_->polytope(); }
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
    virtual Report prox(std::span<const double> eta, double tau, std::span<double> out,
                        Workspace& scratch) const = 0;
    virtual void jvp(std::span<const double> theta, std::span<const double> prediction,
                     std::span<const double> v, std::span<double> out, Workspace& scratch) const = 0;
    virtual std::optional<double> margin(std::size_t d) const = 0;
    virtual std::optional<double> strong_convexity() const = 0;
    virtual std::optional<double> smoothness() const = 0;
    virtual std::optional<std::size_t> dimension() const = 0;
    virtual const AnyPolytope* polytope() const = 0;
    virtual void check_scores(std::string_view name, std::span<const double> theta) const = 0;
    virtual void check_point(std::string_view name, std::span<const double> mu) const = 0;
    virtual bool takes_blocks() const = 0;
    virtual std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                                      RowSummaries summaries) const = 0;
    virtual std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                                      RowSummaries summaries) const = 0;
  };

  template <class R>
  struct Model final : Interface {
    explicit Model(R wrapped) : omega(std::move(wrapped)) {
      if constexpr (requires { omega.check(); }) omega.check();
      if constexpr (requires { omega.prepare(); }) omega.prepare();
    }

    Traits traits() const override { return traits_of(omega); }
    Spec spec() const override {
      if constexpr (requires {
                      { omega.spec() } -> std::same_as<Spec>;
                    }) {
        return omega.spec();
      } else {
        Spec result{std::string(R::traits.name), {}};
        if constexpr (requires { R::parameters(); }) {
          std::apply(
              [&](const auto&... parameter) {
                (result.parameters.emplace_back(std::string(parameter.name),
                                                to_value(omega.*parameter.member)),
                 ...);
              },
              R::parameters());
        }
        return result;
      }
    }
    double value(std::span<const double> mu) const override { return operations::value(omega, mu); }
    operations::SolvedValue solve_value(std::span<const double> mu) const override {
      return operations::solve_value(omega, mu);
    }
    Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const override {
      return operations::predict(omega, theta, out, scratch);
    }
    double conjugate(std::span<const double> theta, std::span<const double> prediction) const override {
      return operations::conjugate(omega, theta, prediction);
    }
    double loss(std::span<const double> theta, std::span<const double> y,
                std::span<const double> prediction) const override {
      return operations::loss(omega, theta, y, prediction);
    }
    void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const override {
      operations::gradient(omega, mu, out, scratch);
    }
    Report prox(std::span<const double> eta, double tau, std::span<double> out,
                Workspace& scratch) const override {
      return operations::prox(omega, eta, tau, out, scratch);
    }
    void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
             std::span<double> out, Workspace& scratch) const override {
      operations::jvp(omega, theta, prediction, v, out, scratch);
    }
    std::optional<double> margin(std::size_t d) const override { return operations::margin(omega, d); }
    std::optional<double> strong_convexity() const override { return operations::strong_convexity(omega); }
    std::optional<double> smoothness() const override { return operations::smoothness(omega); }
    std::optional<std::size_t> dimension() const override { return operations::dimension(omega); }
    const AnyPolytope* polytope() const override { return operations::polytope(omega); }
    void check_scores(std::string_view name, std::span<const double> theta) const override {
      operations::check_scores(omega, name, theta);
    }
    void check_point(std::string_view name, std::span<const double> mu) const override {
      operations::check_point(omega, name, mu);
    }
    bool takes_blocks() const override {
      if constexpr (BlockRegularizerFor<R, double>) {
        return omega.takes_blocks();
      } else {
        return false;
      }
    }
    std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                              RowSummaries summaries) const override {
      if constexpr (BlockRegularizerFor<R, float>) return omega.predict_block(theta, out, summaries);
      return 0;  // never asked: takes_blocks() is false
    }
    std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                              RowSummaries summaries) const override {
      if constexpr (BlockRegularizerFor<R, double>) return omega.predict_block(theta, out, summaries);
      return 0;
    }

    R omega;
  };

  template <class Value>
  static SpecValue to_value(const Value& value) {
    if constexpr (requires {
                    { value.spec() } -> std::same_as<Spec>;
                  }) {
      return std::make_shared<const Spec>(value.spec());
    } else if constexpr (std::same_as<Value, std::size_t>) {
      return static_cast<double>(value);
    } else {
      return value;
    }
  }

  std::shared_ptr<const Interface> model_;
};

static_assert(Regularizer<AnyRegularizer>);

}  // namespace fenchel
