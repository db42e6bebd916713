// SPDX-License-Identifier: Apache-2.0
// Fits of rows: linear models, kernel models, and rankings of documents.
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "fenchel/models/loss_choice.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "fenchel/regularizers/map.hpp"
#include "fenchel/training/document_examples.hpp"
#include "fenchel/training/document_objective.hpp"
#include "fenchel/training/fit.hpp"
#include "fenchel/training/kernel_ascent.hpp"

namespace fenchel {
namespace {

constexpr std::size_t any_documents =
    2;  // whether a loss is smooth does not depend on the number of documents

bool dual(const std::string& solver) { return solver == "dual_ascent" || solver == "frank_wolfe"; }

// Whether a dual algorithm trains, which cannot have a free intercept: as asked, or for a loss with kinks,
// where the other way would be subgradients. Smooth losses have a free one, whatever a dual could do.
template <Real T>
bool trained_by_dual(LinearProblem<T> problem, const TrainOptions& options) {
  problem.intercept = Intercept::free;
  const std::string with_free = choose_solver(problem, options).solver;
  if (dual(with_free)) return true;
  if (with_free != "subgradient") return false;
  problem.intercept = Intercept::penalised;
  return dual(choose_solver(problem, options).solver);
}

bool over_structures(const LossChoice& loss) {
  return loss.omega.refined_traits().domain == Domain::polytope;
}

const LinearModel* linear_start(const AnyModel* start) {
  return start ? std::get_if<LinearModel>(start) : nullptr;
}

// What all models have in common, but for weights and Ω.
template <class Model>
Model blank_model(const PreparedData& data, const FitOptions& options) {
  Model model;
  model.task = data.task;
  model.scaler = data.scaler;
  model.feature_names = data.feature_names;
  model.fill = data.fill;
  model.nominal = data.nominal;
  model.provenance = {{"data", data.source},
                      {"examples", std::to_string(data.targets.examples())},
                      {"penalty", options.penalty},
                      {"lambda", fmt::format("{}", options.lambda)}};
  if (options.penalty == "elastic_net") model.provenance["rho"] = fmt::format("{}", options.rho);
  if (!options.class_weight.empty()) model.provenance["class_weight"] = options.class_weight;
  return model;
}

void note_training(ModelHead& model, const Algorithm& algorithm) {
  const Report report = algorithm.report();
  model.provenance["solver"] = algorithm.name();
  model.provenance["status"] = to_string(report.status);
  model.provenance["iterations"] = std::to_string(report.iterations);
}

// Every task whose scores are W x + b.
template <Real T>
class LinearFit final : public Fit {
 public:
  LinearFit(std::shared_ptr<const PreparedData> data, const FeaturesView<T>& x, const FitOptions& options,
            const AnyModel* start)
      : data_(std::move(data)),
        loss_(resolve_loss(options.omega.empty() ? default_loss(data_->task) : options.omega, data_->task,
                           data_->targets.outputs)),
        targets_(data_->targets, loss_.worths, over_structures(loss_)),
        problem_{.x = x,
                 .y = targets_.view(),
                 .outputs = data_->targets.outputs,
                 .omega = loss_.omega,
                 .cost = loss_.cost,
                 .weights = data_->weights,
                 .center = data_->center},
        model_(blank_model<LinearModel>(*data_, options)) {
    remarks_ = data_->remarks;
    choose_intercept(options);
    const SolverChoice choice = choose_solver(problem_, train_options(options, {}));
    if (const LinearModel* from = linear_start(start)) {
      start_ = rescaled(*from, data_->scaler).parameters(problem_.intercept != Intercept::none);
    }
    const TrainOptions training = train_options(options, start_);
    remarks_.push_back(fmt::format("loss: {}", loss_.description));
    remarks_.push_back(penalty_text(options));
    remarks_.push_back(fmt::format("solver: {} ({})", choice.solver, choice.reason));
    algorithm_ = make_algorithm(problem_, training);
    model_.loss = loss_.text;
    model_.omega = loss_.omega;
    model_.classes = data_->targets.classes;
    model_.provenance["intercept"] = to_string(problem_.intercept);
  }

  Algorithm& algorithm() override { return *algorithm_; }
  AnyModel model_of(std::span<const double> parameters) const override {
    LinearModel model = model_;
    model.set_parameters(parameters, problem_.features(), problem_.outputs);
    note_training(model, *algorithm_);
    return model;
  }

 private:
  void choose_intercept(const FitOptions& options) {
    if (options.intercept) {
      problem_.intercept = *options.intercept;
    } else if (trained_by_dual(problem_, train_options(options, {}))) {
      problem_.intercept = Intercept::penalised;
      remarks_.push_back("intercept: penalised (dual algorithms cannot have a free one)");
    }
  }

  std::shared_ptr<const PreparedData> data_;
  LossChoice loss_;
  TrainingTargets<T> targets_;
  LinearProblem<T> problem_;
  LinearModel model_;
  std::vector<double> start_;
  std::unique_ptr<Algorithm> algorithm_;
};

// Orders of the documents of queries.
template <Real T>
class DocumentFit final : public Fit {
 public:
  DocumentFit(std::shared_ptr<const PreparedData> data, const FeaturesView<T>& x, const FitOptions& options,
              const AnyModel* start)
      : data_(std::move(data)),
        problem_{.x = x,
                 .relevance = data_->targets.rows.entries(),
                 .queries = data_->targets.queries,
                 .loss = options.omega.empty() ? std::string(default_loss(Task::ranking)) : options.omega,
                 .center = data_->center},
        model_(blank_model<LinearModel>(*data_, options)) {
    remarks_ = data_->remarks;
    if (options.intercept && *options.intercept != Intercept::none) {
      throw std::invalid_argument(
          "intercept: rankings have none, since it would move all documents of a query alike");
    }
    if (const LinearModel* from = linear_start(start)) {
      start_ = rescaled(*from, data_->scaler).parameters(false);
    }
    constexpr std::size_t any_size =
        2;  // whether a loss is smooth does not depend on the number of documents
    const LossChoice loss = resolve_loss(problem_.loss, Task::ranking, any_size);
    const TrainOptions training = train_options(options, start_);
    algorithm_ = make_algorithm(std::make_unique<DocumentObjective<T>>(problem_, options.threads),
                                std::make_unique<DocumentExamples<T>>(problem_),
                                loss.omega.refined_traits().strongly_convex, training);
    remarks_.push_back(fmt::format("loss: {}", loss.description));
    remarks_.push_back(penalty_text(options));
    remarks_.push_back(fmt::format("solver: {}", algorithm_->name()));
    model_.loss = loss.text;
    model_.omega = loss.omega;
  }

  Algorithm& algorithm() override { return *algorithm_; }
  AnyModel model_of(std::span<const double> parameters) const override {
    LinearModel model = model_;
    model.set_parameters(parameters, problem_.x.cols(), 1);
    note_training(model, *algorithm_);
    return model;
  }

 private:
  std::shared_ptr<const PreparedData> data_;
  DocumentProblem<T> problem_;
  LinearModel model_;
  std::vector<double> start_;
  std::unique_ptr<Algorithm> algorithm_;
};

// Kernel models, through the dual.
template <Real T>
class KernelFit final : public Fit {
 public:
  KernelFit(std::shared_ptr<const PreparedData> data, const FeaturesView<T>& x, const FitOptions& options)
      : data_(std::move(data)),
        loss_(resolve_loss(options.omega.empty() ? default_loss(data_->task) : options.omega, data_->task,
                           data_->targets.outputs)),
        targets_(data_->targets, loss_.worths, over_structures(loss_)),
        problem_{.x = x,
                 .y = targets_.view(),
                 .outputs = data_->targets.outputs,
                 .omega = loss_.omega,
                 .kernel = make_kernel(options.kernel),
                 .cost = loss_.cost,
                 .weights = data_->weights},
        model_(blank_model<KernelPredictor>(*data_, options)) {
    remarks_ = data_->remarks;
    if (!data_->center.empty()) {
      throw std::invalid_argument(
          "scale: kernels take sparse features as they are or with maxabs; standard would move them");
    }
    const Intercept intercept = options.intercept.value_or(Intercept::penalised);
    if (intercept == Intercept::free) {
      throw std::invalid_argument(
          "intercept: kernel models cannot have a free one; choose penalised or none");
    }
    if (intercept == Intercept::penalised) problem_.kernel.constant += 1;
    remarks_.push_back(fmt::format("loss: {}", loss_.description));
    remarks_.push_back(penalty_text(options));
    remarks_.push_back(fmt::format("solver: kernel dual ascent; kernel {}; intercept {}",
                                   to_json(problem_.kernel.spec()), to_string(intercept)));
    algorithm_ = make_kernel_ascent(problem_, train_options(options, {}));
    model_.loss = loss_.text;
    model_.omega = loss_.omega;
    model_.classes = data_->targets.classes;
    model_.provenance["intercept"] = to_string(intercept);
    model_.provenance["kernel"] = options.kernel;
  }

  Algorithm& algorithm() override { return *algorithm_; }
  AnyModel model_of(std::span<const double> parameters) const override {
    KernelPredictor model = model_;
    model.expansion =
        make_kernel_model(problem_.kernel, problem_.x,
                          MatrixView<const double>(parameters.data(), problem_.x.rows(), problem_.outputs));
    note_training(model, *algorithm_);
    return model;
  }

 private:
  std::shared_ptr<const PreparedData> data_;
  LossChoice loss_;
  TrainingTargets<T> targets_;
  KernelProblem<T> problem_;
  KernelPredictor model_;
  std::unique_ptr<Algorithm> algorithm_;
};

// Ω = 0 and no cost: the loss is 0 at W = 0.
bool is_perceptron(const PreparedData& data, const FitOptions& options) {
  const std::size_t outputs = data.task == Task::ranking ? any_documents : data.targets.outputs;
  const LossChoice loss =
      resolve_loss(options.omega.empty() ? default_loss(data.task) : options.omega, data.task, outputs);
  return loss.cost.empty() && (loss.omega.get_if<Argmax>() || loss.omega.get_if<Map>());
}

template <Real T>
std::unique_ptr<Fit> make_fit_of(std::shared_ptr<const PreparedData> data, const FeaturesView<T>& x,
                                 const FitOptions& given, const AnyModel* start) {
  const FitOptions options = with_penalty(given, is_perceptron(*data, given));
  if (!options.kernel.empty()) {
    if (data->task == Task::ranking) throw std::invalid_argument("kernel: rankings of documents are linear");
    return std::make_unique<KernelFit<T>>(std::move(data), x, options);
  }
  if (data->task == Task::ranking) {
    return std::make_unique<DocumentFit<T>>(std::move(data), x, options, start);
  }
  return std::make_unique<LinearFit<T>>(std::move(data), x, options, start);
}

}  // namespace

std::unique_ptr<Fit> make_fit(std::shared_ptr<const PreparedData> data, const FitOptions& options,
                              const AnyModel* start) {
  const Features x = data->x;
  return x.visit([&](const auto& view) { return make_fit_of(data, view, options, start); });
}

}  // namespace fenchel
