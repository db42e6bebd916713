// SPDX-License-Identifier: Apache-2.0
// What a grid of fits runs on: data of some kind, split into parts to fit on and parts to judge by.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "fenchel/models/evaluation.hpp"
#include "fenchel/training/tune.hpp"

namespace fenchel {

/// The axes of a grid that have a meaning of their own; any other name is a parameter of Ω.
inline constexpr std::string_view lambda_axis = "lambda";
inline constexpr std::string_view rho_axis = "rho";
inline constexpr std::string_view temperature_axis = "temperature";
inline constexpr std::string_view kernel_prefix = "kernel.";  // of a parameter of the kernel

/// All of it is const and may be called from several threads.
class TuneProblem {
 public:
  virtual ~TuneProblem() = default;

  virtual std::size_t splits() const = 0;
  virtual Task task() const = 0;
  /// What settings are compared by unless told otherwise.
  virtual std::string_view default_metric() const { return metrics::default_metric(task()); }
  /// Throws std::invalid_argument if no model of this kind has such a parameter.
  virtual void check_axis(std::string_view name) const = 0;
  /// A fit on the training part, from the parameters of `start` where models of this kind can.
  virtual std::unique_ptr<Fit> fit(std::size_t split, const FitOptions& options,
                                   const AnyModel* start) const = 0;
  /// How a model does on the held-out part.
  virtual Evaluation judge(std::size_t split, const AnyModel& model, std::optional<double> temperature,
                           int threads) const = 0;
};

/// Both keep a reference to the splits.
std::unique_ptr<TuneProblem> make_tune_problem(const std::vector<TuneSplit>& splits,
                                               const FitOptions& options);
std::unique_ptr<TuneProblem> make_tune_problem(const std::vector<TaggerTuneSplit>& splits);

}  // namespace fenchel
