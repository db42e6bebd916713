// SPDX-License-Identifier: Apache-2.0
#include "matrix_problems.hpp"

#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <limits>

#include "fenchel/core/numeric.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/models/task_targets.hpp"

namespace fenchel::campaign {
namespace {

constexpr std::size_t features = 3;
constexpr std::size_t classes = 3;

// Numbers between −1 and 1 without a pattern.
double plain_entry(std::size_t i, std::size_t j) {
  return std::sin(12.9898 * static_cast<double>(i + 1) + 78.233 * static_cast<double>(j + 1));
}

struct Kind {
  std::string name;
  std::size_t rows;
  std::function<double(std::size_t i, std::size_t j)> entry;
  bool one_class = false;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list{
      {"ordinary", 8, plain_entry},
      {"huge", 8, [](auto i, auto j) { return 1e300 * plain_entry(i, j); }},
      {"squares overflow", 8, [](auto i, auto j) { return 1e154 * plain_entry(i, j); }},
      {"large", 8, [](auto i, auto j) { return 1e30 * plain_entry(i, j); }},
      {"tiny", 8, [](auto i, auto j) { return 1e-300 * plain_entry(i, j); }},
      {"denormal", 8, [](auto i, auto j) { return (i + j) % 2 == 0 ? 5e-324 : -5e-324; }},
      {"mixed", 8, [](auto i, auto j) { return plain_entry(i, j) * (j == 0   ? 1e300
                                                                    : j == 1 ? 1e-300
                                                                             : 1); }},
      {"duplicates", 8, [](auto i, auto j) { return plain_entry(i % 2, j); }},
      {"constant column", 8, [](auto i, auto j) { return j == 0 ? 7 : plain_entry(i, j); }},
      {"zero", 8, [](auto, auto) { return 0.0; }},
      {"one class", 8, plain_entry, true},
      {"one row", 1, plain_entry},
      {"no rows", 0, plain_entry},
  };
  return list;
}

// Beyond the range of float, the nearest numbers within.
float to_float(double value) {
  constexpr double largest = std::numeric_limits<float>::max();
  return static_cast<float>(std::min(std::max(value, -largest), largest));
}

Features features_of(const Kind& kind, Keeping keeping) {
  if (keeping == Keeping::single) {
    Matrix<float> x(kind.rows, features);
    for (std::size_t i = 0; i < kind.rows; ++i) {
      for (std::size_t j = 0; j < features; ++j) x(i, j) = to_float(kind.entry(i, j));
    }
    return Features(std::move(x));
  }
  Matrix<double> x(kind.rows, features);
  CsrMatrix<double> sparse{features, {0}, {}, {}};
  for (std::size_t i = 0; i < kind.rows; ++i) {
    for (std::size_t j = 0; j < features; ++j) {
      x(i, j) = kind.entry(i, j);
      sparse.indices.push_back(static_cast<std::int32_t>(j));
      sparse.values.push_back(x(i, j));
    }
    sparse.offsets.push_back(static_cast<std::int64_t>(sparse.indices.size()));
  }
  return keeping == Keeping::dense ? Features(std::move(x)) : Features(std::move(sparse));
}

void add_label(Dataset& data, std::size_t label) {
  data.labels.indices.push_back(static_cast<std::int32_t>(label));
  data.labels.offsets.push_back(static_cast<std::int64_t>(data.labels.indices.size()));
}

struct LossOfTask {
  Task task;
  std::string omega;
};
const std::vector<LossOfTask>& losses() {
  static const std::vector<LossOfTask> list{
      {Task::classification, "logistic"},
      {Task::classification, "sparsemax"},
      {Task::classification, "tsallis:alpha=1.5"},
      {Task::classification, "tsallis:alpha=0.5"},
      {Task::classification, "norm:q=2"},
      {Task::classification, "norm:q=inf"},
      {Task::classification, "squared_norm:q=1.5"},
      {Task::classification, "renyi:beta=0.5"},
      {Task::classification, "pairwise_hinge"},
      {Task::classification, "pairwise_smoothed_hinge"},
      {Task::classification, "pairwise_squared_hinge"},
      {Task::classification, "hinge"},
      {Task::classification, "perceptron"},
      {Task::classification, "softmax-margin"},
      {Task::classification, "modified-huber"},
      {Task::classification, R"({"name":"sparsemap","polytope":{"name":"simplex","d":3}})"},
      {Task::multilabel, "sigmoid"},
      {Task::multilabel, "sparse_sigmoid"},
      {Task::multilabel, "tsallis_sigmoid"},
      {Task::multilabel, R"({"name":"sparsemap","polytope":{"name":"cube","d":3}})"},
      {Task::regression, "squared"},
      {Task::regression, "relu"},
      {Task::regression, "poisson"},
      {Task::label_ranking, "sparsemap"},
  };
  return list;
}

const Kind& kind_called(const std::string& name) {
  for (const Kind& kind : kinds()) {
    if (kind.name == name) return kind;
  }
  throw std::invalid_argument("there are no data called " + name);
}

std::string_view keeping_name(Keeping keeping) {
  return keeping == Keeping::dense ? "dense" : keeping == Keeping::sparse ? "sparse" : "single";
}

}  // namespace

std::string MatrixProblem::description() const {
  return fmt::format("{} {}, {}, {}, {} lambda={:g}, intercept {}", data, keeping_name(keeping),
                     to_string(*options.task), options.omega, options.penalty, options.lambda,
                     to_string(*options.intercept));
}

const std::vector<std::string>& data_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Kind& kind : kinds()) result.push_back(kind.name);
    return result;
  }();
  return names;
}

Dataset hostile_data(const std::string& name, Keeping keeping, Task task) {
  const Kind& kind = kind_called(name);
  Dataset data;
  data.x = features_of(kind, keeping);
  data.source = name;
  data.labels.names = {"a", "b", "c"};
  if (task == Task::regression) {
    data.labels = {};
    data.labels.offsets.assign(kind.rows + 1, 0);
    data.values = Matrix<double>(kind.rows, 1);
    for (std::size_t i = 0; i < kind.rows; ++i)
      data.values(i, 0) = kind.one_class ? 1 : static_cast<double>(i % 3);
    return data;
  }
  for (std::size_t i = 0; i < kind.rows; ++i) {
    const std::size_t first = kind.one_class ? 0 : (i * 5) % classes;
    if (task == Task::label_ranking) {
      data.labels.indices.push_back(static_cast<std::int32_t>(first));
      data.labels.indices.push_back(static_cast<std::int32_t>((first + 2) % classes));
      add_label(data, (first + 1) % classes);
    } else {
      if (task == Task::multilabel && i % 2 == 1)
        data.labels.indices.push_back(static_cast<std::int32_t>((first + 1) % classes));
      add_label(data, first);
    }
  }
  return data;
}

std::vector<MatrixProblem> all_problems() {
  std::vector<MatrixProblem> result;
  for (const std::string& data : data_names()) {
    for (const LossOfTask& loss : losses()) {
      for (const double lambda : {1.0, 1e-8, 1e8, 1e-300, 1e300}) {
        for (const char* penalty : {"l2", "l1", "elastic_net", "group_lasso", "none"}) {
          if (std::string_view(penalty) == "none" && lambda != 1) continue;
          for (const Intercept intercept : {Intercept::none, Intercept::penalised, Intercept::free}) {
            for (const Keeping keeping : {Keeping::dense, Keeping::sparse, Keeping::single}) {
              result.push_back({data,
                                keeping,
                                {.task = loss.task,
                                 .omega = loss.omega,
                                 .penalty = penalty,
                                 .lambda = lambda,
                                 .intercept = intercept,
                                 // Gaps with a free intercept are estimates: judged where they are small.
                                 .tolerance = default_tolerance,
                                 .max_iterations = 100,
                                 .threads = 1}});
            }
          }
        }
      }
    }
  }
  return result;
}

PlainObjective plain_objective(const MatrixProblem& problem, const Dataset& data,
                               std::span<const double> parameters) {
  const FitOptions& options = problem.options;
  const TaskTargets targets = make_targets(data, *options.task);
  const std::size_t outputs = targets.outputs;
  const LossChoice choice = resolve_loss(options.omega, *options.task, outputs);
  const TrainingTargets<double> y(targets, choice.worths, true);
  const TrainingTargets<float> single_y(targets, choice.worths, true);
  const bool free = options.intercept == Intercept::free;
  const std::size_t penalised = parameters.size() - (free ? outputs : 0);
  const bool single = problem.keeping == Keeping::single;
  const Kind& kind = kind_called(problem.data);
  double total =
      make_penalty(options.penalty, options.lambda, options.rho).value(parameters.first(penalised), outputs);
  double terms = 0;
  std::vector<double> theta(outputs), target(outputs);
  for (std::size_t i = 0; i < targets.examples(); ++i) {
    for (std::size_t k = 0; k < outputs; ++k) {
      theta[k] = options.intercept == Intercept::none ? 0 : parameters[features * outputs + k];
      for (std::size_t j = 0; j < features; ++j) {
        const double x = kind.entry(targets.kept[i], j);
        const double term = (single ? to_float(x) : x) * parameters[j * outputs + k];
        theta[k] += term;
        terms += std::abs(term);
      }
    }
    if (single) {  // whose targets are rounded as well
      single_y.view().write(i, std::span(target));
    } else {
      y.view().write(i, std::span(target));
    }
    total += choice.loss.value(std::span<const double>(theta), std::span<const double>(target));
  }
  return {total, terms * (single ? double{std::numeric_limits<float>::epsilon()} : machine_epsilon)};
}

}  // namespace fenchel::campaign
