// SPDX-License-Identifier: Apache-2.0
// From a data set to a model, with every choice in one aggregate: what the flags of the tool and the
// parameters of estimators set. A fit advances step by step, so that whoever drives it can watch, save and
// stop it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/core/option_list.hpp"
#include "fenchel/core/scaler.hpp"
#include "fenchel/core/task.hpp"
#include "fenchel/models/attributes.hpp"
#include "fenchel/models/model_file.hpp"
#include "fenchel/models/task_targets.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/problem.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

/// The choices of a fit.
struct FitOptions {
  std::optional<Task> task = {};  ///< none: guessed from the data
  std::string omega = {};         ///< a loss of resolve_loss; empty: the task's default
  std::string polytope = {};      ///< structured: the set, as in "birkhoff:n=3", unless omega names it
  std::string cost = {};          ///< what mistakes cost in training: the text of a CostTable; empty: nothing
  /// none, l2, l1, elastic_net or group_lasso; empty: l2, but none for perceptrons, whose loss scales with W:
  /// any penalty would shrink W to 0.
  std::string penalty = {};
  double lambda = 1;  ///< the strength of the penalty; scikit-learn's C is 1/λ (two classes: 2/λ)
  double rho = 1;     ///< elastic_net: (λ/2)‖W‖² + λρ‖W‖₁
  /// Any mixture; the three above then only describe it.
  std::optional<Penalty> exact_penalty = {};
  std::optional<Intercept> intercept = {};  ///< none: free where the solver allows it, else penalised
  Scaling scale = Scaling::none;
  std::string class_weight = {};         ///< "balanced" or "name=2,other=0.5"; empty: all 1
  std::string kernel = {};               ///< as in "rbf:gamma=0.5"; empty: a linear model
  AnySolver solver = {};                 ///< as in TrainOptions
  std::optional<double> tolerance = {};  ///< as in TrainOptions
  int max_iterations = 1000;
  int threads = 0;
  std::uint64_t seed = 0;
  TaggerFeatureOptions tagger = {};  ///< which weights taggers have
};

/// All of them by name.
inline constexpr std::tuple fit_option_list{
    OptionMember{"task", &FitOptions::task},
    OptionMember{"omega", &FitOptions::omega},
    OptionMember{"polytope", &FitOptions::polytope},
    OptionMember{"cost", &FitOptions::cost},
    OptionMember{"penalty", &FitOptions::penalty},
    OptionMember{"lambda", &FitOptions::lambda},
    OptionMember{"rho", &FitOptions::rho},
    OptionMember{"exact_penalty", &FitOptions::exact_penalty},
    OptionMember{"intercept", &FitOptions::intercept},
    OptionMember{"scale", &FitOptions::scale},
    OptionMember{"class_weight", &FitOptions::class_weight},
    OptionMember{"kernel", &FitOptions::kernel},
    OptionMember{"solver", &FitOptions::solver},
    OptionMember{"tolerance", &FitOptions::tolerance, false},
    OptionMember{"max_iterations", &FitOptions::max_iterations, false},
    OptionMember{"threads", &FitOptions::threads, false},
    OptionMember{"seed", &FitOptions::seed},
    OptionMember{"tagger", &FitOptions::tagger}};
static_assert(lists_every_member(fit_option_list), "every member of FitOptions is in the list, in its order");

/// The choices that a step depends on, as text by name: what a run and a checkpoint that it resumes must
/// share.
std::map<std::string, std::string> identity(const FitOptions& options);

/// "free", "penalised", "none".
std::string_view to_string(Intercept intercept);
/// Throws std::invalid_argument for any other name.
Intercept parse_intercept(std::string_view name);

/// The text of the loss: the options' omega, over their polytope if they name one, or the task's default.
std::string loss_text(Task task, const FitOptions& options);

/// Fills in the penalty: none for a perceptron (Ω = 0, no cost) unless asked for, else l2.
FitOptions with_penalty(const FitOptions& options, const FenchelYoungLoss& loss);

/// The part of the options that an algorithm sees; `start` may be empty.
TrainOptions train_options(const FitOptions& options, std::span<const double> start);

/// Data made ready: the targets of the task and the scaled features, shared by the fits of a grid.
struct PreparedData {
  Task task = Task::classification;
  Features x;                  ///< scaled, the rows that have a target
  std::vector<double> center;  ///< still to be subtracted from x
  Scaler scaler;
  TaskTargets targets;
  std::vector<double> weights;  ///< of the rows; empty: all 1
  std::vector<std::string> feature_names;
  std::vector<double> fill;            ///< what stands for missing values
  std::vector<NominalColumn> nominal;  ///< what the words of nominal columns stand for
  std::string source;
  std::vector<std::string> remarks;  ///< choices made, in words
};
/// Guesses the task if need be, reads the targets, fits and applies the scaling. Throws std::invalid_argument
/// if the data do not fit the task.
std::shared_ptr<const PreparedData> prepare(const Dataset& data, const FitOptions& options);
/// The same from targets that are read already, one for each row of x; the options' task is not looked at.
std::shared_ptr<PreparedData> prepare(const Features& x, TaskTargets targets, std::vector<double> weights,
                                      const FitOptions& options);

/// A fit in progress.
class Fit {
 public:
  virtual ~Fit() = default;

  virtual Algorithm& algorithm() = 0;
  /// The model of some parameters.
  virtual AnyModel model_of(std::span<const double> parameters) const = 0;
  /// The model of the parameters as they stand. Throws TrainingDiverged if they are not to be used.
  AnyModel model();
  /// The dual point that belongs to a model of this fit, with the choices that make up its objective:
  /// training/verify.hpp makes a certificate of it. Throws OptionError where there is none.
  virtual Certificate certificate_of(const AnyModel& model) const;
  /// Why models of this fit cannot have a certificate, as OptionError takes it; nothing where they can.
  virtual std::optional<std::string> refuses_certificate() const;
  /// The choices that were made, in words: "solver: lbfgs (…)", with options as users write them.
  std::vector<std::string> remarks(OptionSpelling spelling = plain_option) const;

 protected:
  /// The loss, the penalty and the solver into the remarks; `scikit_c` is scikit-learn's C, where it has one.
  void note_choices(const SolverChoice& choice, const std::string& loss, const FitOptions& options,
                    std::optional<double> scikit_c = {});
  /// The gap to stop at, where the options leave that open, into the options and the remarks.
  void settle_gap(const Problem& problem, TrainOptions& options);
  /// Solver, status and iterations into a model's provenance.
  static void note_training(std::map<std::string, std::string>& provenance, const Algorithm& algorithm);

  std::vector<std::string> remarks_;  ///< with options between backticks
};

/// A fit at its start, or at the parameters of `start`, a model of the same shape.
std::unique_ptr<Fit> make_fit(const std::shared_ptr<const PreparedData>& data, const FitOptions& options,
                              const AnyModel* start = nullptr);
/// The same with a loss of your own instead of the options' `omega`.
std::unique_ptr<Fit> make_fit(const std::shared_ptr<const PreparedData>& data, const FenchelYoungLoss& loss,
                              const FitOptions& options, const AnyModel* start = nullptr);
/// The same for rankings of documents, with a loss of your own by the number of documents of a query.
std::unique_ptr<Fit> make_fit(const std::shared_ptr<const PreparedData>& data, const LossOfSize& loss,
                              const FitOptions& options, const AnyModel* start = nullptr);
/// A tagger with a loss of your own over Chain{tokens, labels, boundary}, by the number of tokens.
std::unique_ptr<Fit> make_fit(std::shared_ptr<const TaggerData> data, const LossOfSize& loss,
                              const FitOptions& options, const AnyModel* start = nullptr);
/// A tagger, at its start or at the weights of another. Options that only rows have must not be set.
std::unique_ptr<Fit> make_fit(std::shared_ptr<const TaggerData> data, const FitOptions& options,
                              const AnyModel* start = nullptr);

/// All of it: prepares, runs to the end, returns the model and how it went.
struct Fitted {
  AnyModel model;
  Report report;
  StepReport last_step;
};
/// Throws TrainingDiverged if there is no model.
Fitted fit(const Dataset& data, const FitOptions& options = {});

/// A linear model and how it was found: `report` says whether it converged.
struct FittedLinear : LinearModel {
  Report report;
  StepReport last_step;
};
/// The model of a loss on data, in one line: fit(Tsallis{1.5}, data, L2(1e-3), Lbfgs{}). The task follows
/// from the domain of Ω and from the targets: a class, proportions, a set of labels, numbers, or an order.
FittedLinear fit(const FenchelYoungLoss& loss, const Dataset& data, const Penalty& penalty = L2(1),
                 const AnySolver& solver = {});

}  // namespace fenchel
