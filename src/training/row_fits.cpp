// SPDX-License-Identifier: Apache-2.0
// Fits of rows: linear models, kernel models, and rankings of documents.
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/models/cost_table.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/training/fit.hpp"
#include "training/certificates.hpp"
#include "training/problems/linear_rows.hpp"
#include "training/solvers/gram_matrix.hpp"

namespace fenchel {
namespace {

// What is known about a loss over orders does not depend on the number of documents.
constexpr std::size_t any_documents = 2;

// The intercept and the solver, which depend on each other.
struct LinearChoice {
  Intercept intercept;
  SolverChoice choice;
};

// Free where no intercept is asked for, unless a dual algorithm trains, which cannot have a free one: as
// asked, or for a loss with kinks, where the other way would be subgradients. Smooth losses have a free one,
// whatever a dual could do.
template <Real T>
LinearChoice choose_linear(LinearProblem<T> problem, std::optional<Intercept> asked,
                           const TrainOptions& training) {
  problem.intercept = asked.value_or(Intercept::free);
  SolverChoice choice = choose_solver(problem, training);
  const bool settled = !training.solver.automatic() || facts_of(problem).smooth;
  if (asked || (settled && !choice.solver.traits().dual)) return {problem.intercept, choice};
  problem.intercept = Intercept::penalised;
  SolverChoice dual = choose_solver(problem, training);
  if (dual.solver.traits().dual) return {Intercept::penalised, dual};
  return {Intercept::free, choice};
}

// A loss of somebody's own comes without words.
LossChoice completed(LossChoice choice) {
  const Traits traits = choice.loss.traits();
  if (choice.text.empty()) choice.text = to_json(choice.loss.omega().spec());
  if (choice.description.empty())
    choice.description = fmt::format("Ω(μ) = {} on {}", traits.formula, to_string(traits.domain));
  return choice;
}

bool over_structures(const FenchelYoungLoss& loss) { return loss.traits().domain == Domain::polytope; }

// The C of scikit-learn's logistic regression that has the same optimum: it has one row of weights for two
// classes, where W has two, one the negative of the other.
std::optional<double> scikit_c(const PreparedData& data, const FenchelYoungLoss& loss,
                               const FitOptions& options) {
  const bool logistic = loss.omega().refined_traits().entmax_order == 1 && loss.cost().empty();
  if (data.task != Task::classification || !logistic || options.penalty != "l2") return std::nullopt;
  if (!options.kernel.empty() || !(options.lambda > 0)) return std::nullopt;
  return (data.targets.outputs == 2 ? 2 : 1) / options.lambda;
}

// A model has a weight for each feature, up to the largest index of a file of a few bytes. More weights than
// these (128 MB of them, several times in training) and this many for each entry of the features are a
// mistake, or an attack: nearly all of them would stay 0.
constexpr std::size_t many_weights = std::size_t{1} << 24;
constexpr std::size_t weights_per_entry = 1000;

template <Real T>
void check_features(const FeaturesView<T>& x, std::size_t outputs, const std::string& source) {
  if (x.cols() <= many_weights / std::max<std::size_t>(outputs, 1)) return;
  if (x.cols() / weights_per_entry <= x.size()) return;
  throw std::invalid_argument(fmt::format(
      "{}: there are {} features, by the largest index, and {} entries in all; nearly all weights of a "
      "model would be 0: number the features without large gaps",
      source.empty() ? "the data" : source, x.cols(), x.size()));
}

// What all models have in common, but for weights.
template <class Model>
Model blank_model(const PreparedData& data, const LossChoice& loss, const FitOptions& options) {
  Model model;
  model.loss_name = loss.text;
  model.loss = loss.loss;
  model.task = data.task;
  model.scaler = data.scaler;
  model.feature_names = data.feature_names;
  model.fill = data.fill;
  model.nominal = data.nominal;
  model.provenance = {{"data", data.source},
                      {"examples", std::to_string(data.targets.examples())},
                      {"penalty", options.penalty},
                      {"lambda", fmt::format("{}", options.lambda)}};
  if (has_rho(options.penalty)) model.provenance["rho"] = fmt::format("{}", options.rho);
  if (!options.class_weight.empty()) model.provenance["class_weight"] = options.class_weight;
  if (!options.cost.empty()) model.provenance["cost"] = options.cost;
  return model;
}

// What fits of rows share: the data, the model but for its weights, and the algorithm.
template <class Model>
class RowFit : public Fit {
 public:
  Algorithm& algorithm() final { return *algorithm_; }
  AnyModel model_of(std::span<const double> parameters) const final {
    Model model = model_;
    write(parameters, model);
    note_training(model.provenance, *algorithm_);
    return model;
  }

 protected:
  RowFit(std::shared_ptr<const PreparedData> data, const LossChoice& loss, const FitOptions& options)
      : data_(std::move(data)), model_(blank_model<Model>(*data_, loss, options)), options_(options) {
    remarks_ = data_->remarks;
  }

  // The certificate of a problem that this fit is about, at some parameters.
  template <Real T>
  Certificate certificate_at(const LinearProblem<T>& problem, std::span<const double> parameters,
                             Intercept intercept) const {
    if (const auto reason = refuses_certificate()) throw OptionError(*reason);
    Certificate result{.solver = std::string(algorithm_->name()),
                       .penalty = options_.penalty,
                       .lambda = options_.lambda,
                       .rho = options_.rho,
                       .intercept = std::string(to_string(intercept)),
                       .class_weight = options_.class_weight,
                       .tolerance = options_.tolerance.value_or(default_tolerance),
                       .mu = dual_point(problem, *algorithm_, parameters)};
    if (intercept == Intercept::free) balance(problem, result.mu);
    return result;
  }

  // The parameters into the model.
  virtual void write(std::span<const double> parameters, Model& model) const = 0;

  // Goes on from these parameters; none if empty.
  void start_from(std::vector<double> parameters) { start_ = std::move(parameters); }
  // Goes on from the parameters of a linear model of the same shape.
  void start_from(const AnyModel* start, bool intercept) {
    const auto* from = start ? std::get_if<LinearModel>(start) : nullptr;
    if (from) start_from(rescaled(*from, data_->scaler).parameters(intercept));
  }

  void begin(const Problem& problem, const SolverChoice& choice, const LossChoice& loss,
             const FitOptions& options) {
    note_choices(choice, loss.description, options, scikit_c(*data_, loss.loss, options));
    TrainOptions training = train_options(options, start_);
    settle_gap(problem, training);
    algorithm_ = choice.solver.start(problem, training);
  }

  std::shared_ptr<const PreparedData> data_;
  Model model_;

 private:
  FitOptions options_;
  std::vector<double> start_;
  std::unique_ptr<Algorithm> algorithm_;
};

// Every task whose scores are W x + b.
template <Real T>
class LinearFit final : public RowFit<LinearModel> {
 public:
  LinearFit(std::shared_ptr<const PreparedData> data, const FeaturesView<T>& x, const LossChoice& loss,
            const FitOptions& options, const AnyModel* start)
      : RowFit(std::move(data), loss, options),
        targets_(data_->targets, loss.worths, over_structures(loss.loss)),
        problem_{.x = x,
                 .y = targets_.view(),
                 .outputs = data_->targets.outputs,
                 .loss = loss.loss,
                 .weights = data_->weights,
                 .center = data_->center} {
    check_features(x, problem_.outputs, data_->source);
    const auto [intercept, choice] = choose_linear(problem_, options.intercept, train_options(options, {}));
    problem_.intercept = intercept;
    if (!options.intercept && intercept == Intercept::penalised) {
      remarks_.push_back("`intercept`: penalised (dual algorithms cannot have a free one)");
    }
    start_from(start, intercept != Intercept::none);
    begin(problem_, choice, loss, options);
    model_.classes = data_->targets.classes;
    model_.provenance["intercept"] = to_string(problem_.intercept);
  }

  Certificate certificate_of(const AnyModel& model) const override {
    const auto& linear = std::get<LinearModel>(model);
    return certificate_at(problem_, linear.parameters(problem_.intercept != Intercept::none),
                          problem_.intercept);
  }
  std::optional<std::string> refuses_certificate() const override {
    return refuse_certificate(problem_.loss, data_->targets, model_.loss_name);
  }

 private:
  void write(std::span<const double> parameters, LinearModel& model) const override {
    model.set_parameters(parameters, problem_.features(), problem_.outputs);
  }

  TrainingTargets<T> targets_;
  LinearProblem<T> problem_;
};

// Orders of the documents of queries.
template <Real T>
class DocumentFit final : public RowFit<LinearModel> {
 public:
  DocumentFit(std::shared_ptr<const PreparedData> data, const FeaturesView<T>& x, const LossOfSize& losses,
              const FitOptions& options, const AnyModel* start)
      : RowFit(std::move(data), completed(losses(any_documents)), options) {
    if (options.intercept && *options.intercept != Intercept::none) {
      throw OptionError(
          "`intercept`: rankings have none, since it would move all documents of a query alike");
    }
    check_features(x, 1, data_->source);
    const DocumentProblem<T> problem{.x = x,
                                     .relevance = data_->targets.rows.entries(),
                                     .queries = data_->targets.queries,
                                     .loss = losses,
                                     .center = data_->center};
    model_.losses = losses;
    start_from(start, false);
    begin(problem, choose_solver(problem, train_options(options, {})), completed(losses(any_documents)),
          options);
  }

 private:
  void write(std::span<const double> parameters, LinearModel& model) const override {
    model.set_parameters(parameters, data_->x.cols(), 1);
  }
};

// Whether a row of the support of a model is row i of x.
template <Real T>
bool is_row(const KernelModel& model, std::size_t s, const FeaturesView<T>& x, std::size_t i) {
  if (model.kernel.kind == Kernel::Kind::precomputed) return true;
  std::vector<double> row(x.cols(), 0.0);
  x.for_each(i, [&](std::size_t j, double value) { row[j] = value; });
  const auto subtract = [&](std::size_t j, double value) { row[j] -= value; };
  if (model.sparse.rows() > 0) {
    FeaturesView<double>(model.sparse).for_each(s, subtract);
  } else {
    FeaturesView<double>(model.dense).for_each(s, subtract);
  }
  return max_abs(row) == 0;
}

// The coefficients that a model of other settings has for the rows of x; 0 for rows that it has not seen.
template <Real T>
std::vector<double> coefficients_of(const KernelModel& model, const FeaturesView<T>& x, std::size_t outputs) {
  if (model.outputs != outputs || model.features != x.cols()) return {};
  std::vector<double> result(x.rows() * outputs);
  const CsrView<double> coefficients = model.coefficients.view();
  for (std::size_t s = 0; s < model.support.size(); ++s) {
    const std::size_t i = model.support[s];
    if (i >= x.rows() || !is_row(model, s, x, i)) continue;
    const auto outputs_of_row = coefficients.indices(s);
    const auto values = coefficients.values(s);
    for (std::size_t e = 0; e < values.size(); ++e)
      result[i * outputs + static_cast<std::size_t>(outputs_of_row[e])] = values[e];
  }
  return result;
}

// Kernel models, through the dual.
template <Real T>
class KernelFit final : public RowFit<KernelPredictor> {
 public:
  KernelFit(std::shared_ptr<const PreparedData> data, const FeaturesView<T>& x, const LossChoice& loss,
            const FitOptions& options, const AnyModel* start)
      : RowFit(std::move(data), loss, options),
        targets_(data_->targets, loss.worths, over_structures(loss.loss)),
        problem_{.x = x,
                 .y = targets_.view(),
                 .outputs = data_->targets.outputs,
                 .loss = loss.loss,
                 .kernel = make_kernel(options.kernel),
                 .weights = data_->weights} {
    if (!data_->center.empty()) {
      throw OptionError(
          "`scale`: kernels take sparse features as they are or with maxabs; standard would make them dense");
    }
    if (leaves_gamma_open(options.kernel)) {
      problem_.kernel.gamma = default_gamma(x, data_->weights);
      remarks_.push_back(
          fmt::format("gamma: {:.6g}, 1/(features · variance of all values), as `kernel` gives none",
                      problem_.kernel.gamma));
    }
    const Intercept intercept = options.intercept.value_or(Intercept::penalised);
    if (intercept == Intercept::free) {
      throw OptionError(
          "`intercept`: kernel models cannot have a free one; choose `intercept=penalised` or "
          "`intercept=none`");
    }
    if (intercept == Intercept::penalised) problem_.kernel.constant += 1;
    problem_.gram = data_->grams->template of<T>(problem_.kernel, x, problem_.memory);
    const auto* from = start ? std::get_if<KernelPredictor>(start) : nullptr;
    if (from) start_from(coefficients_of(from->expansion, x, problem_.outputs));
    begin(problem_, choose_solver(problem_, train_options(options, {})), loss, options);
    remarks_.push_back(
        fmt::format("kernel: {}, `intercept` {}", to_json(problem_.kernel.spec()), to_string(intercept)));
    model_.classes = data_->targets.classes;
    model_.provenance["intercept"] = to_string(intercept);
    model_.provenance["kernel"] = options.kernel;
    intercept_ = intercept;
  }

  Certificate certificate_of(const AnyModel&) const override {
    return certificate_at(linear_part(problem_), {}, intercept_);
  }
  std::optional<std::string> refuses_certificate() const override {
    return refuse_certificate(problem_.loss, data_->targets, model_.loss_name);
  }

 private:
  void write(std::span<const double> parameters, KernelPredictor& model) const override {
    model.expansion =
        make_kernel_model(problem_.kernel, problem_.x,
                          MatrixView<const double>(parameters.data(), problem_.x.rows(), problem_.outputs));
  }

  TrainingTargets<T> targets_;
  KernelProblem<T> problem_;
  Intercept intercept_ = Intercept::penalised;
};

template <Real T>
std::unique_ptr<Fit> make_fit_of(std::shared_ptr<const PreparedData> data, const FeaturesView<T>& x,
                                 const LossChoice& loss, const FitOptions& options, const AnyModel* start) {
  if (!options.kernel.empty())
    return std::make_unique<KernelFit<T>>(std::move(data), x, loss, options, start);
  return std::make_unique<LinearFit<T>>(std::move(data), x, loss, options, start);
}

// The loss with the costs that the options have for mistakes.
LossChoice with_cost(LossChoice loss, const PreparedData& data, const FitOptions& options) {
  if (options.cost.empty()) return loss;
  if (data.task != Task::classification && data.task != Task::proportions) {
    throw OptionError(
        fmt::format("`cost` is for classification and proportions, not for {}; a name with "
                    "+margin, such as sparsemap+margin, has costs of structures",
                    to_string(data.task)));
  }
  if (!loss.loss.cost().empty()) {
    throw OptionError(fmt::format(
        "`cost` is given, and `omega` '{}' has a cost already; choose one without, such as argmax for hinge",
        loss.text));
  }
  loss.loss = {loss.loss.omega(), cost_of(parse_cost_table(options.cost), data.targets.classes)};
  loss.description += ", with costs of its own in training";
  return loss;
}

std::unique_ptr<Fit> make_fit_with(const std::shared_ptr<const PreparedData>& data, const LossChoice& plain,
                                   const FitOptions& given, const AnyModel* start) {
  const LossChoice loss = with_cost(plain, *data, given);
  const FitOptions options = with_penalty(given, loss.loss);
  return data->x.visit([&](const auto& view) { return make_fit_of(data, view, loss, options, start); });
}

}  // namespace

std::unique_ptr<Fit> make_fit(const std::shared_ptr<const PreparedData>& data, const FitOptions& options,
                              const AnyModel* start) {
  const std::string text = loss_text(data->task, options);
  if (data->task == Task::ranking) return make_fit(data, ranking_loss(text), options, start);
  return make_fit_with(data, resolve_loss(text, data->task, data->targets.outputs), options, start);
}

std::unique_ptr<Fit> make_fit(const std::shared_ptr<const PreparedData>& data, const LossOfSize& loss,
                              const FitOptions& options, const AnyModel* start) {
  if (data->task != Task::ranking) {
    throw OptionError(
        fmt::format("`task` is {}; a loss by the number of documents is for ranking", to_string(data->task)));
  }
  const FitOptions complete = with_penalty(options, loss(any_documents).loss);
  if (!complete.kernel.empty()) throw OptionError("`kernel`: rankings of documents are linear");
  return data->x.visit([&]<Real T>(const FeaturesView<T>& x) -> std::unique_ptr<Fit> {
    return std::make_unique<DocumentFit<T>>(data, x, loss, complete, start);
  });
}

std::unique_ptr<Fit> make_fit(const std::shared_ptr<const PreparedData>& data, const FenchelYoungLoss& loss,
                              const FitOptions& options, const AnyModel* start) {
  if (data->task == Task::ranking || data->task == Task::label_ranking) {
    throw OptionError("`task`: a loss over orders says what places are worth; name it by `omega`");
  }
  return make_fit_with(data, completed({.loss = loss}), options, start);
}

}  // namespace fenchel
