// SPDX-License-Identifier: Apache-2.0
// Fits of rows, driven step by step from Python with what the tool uses (training/fit.hpp): same data, same
// bits.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/models/temperature.hpp"
#include "fenchel/training/online.hpp"
#include "training.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

MatrixView<const double> matrix_of(const char* name, const Array<double>& array) {
  if (array.ndim() != 2) throw std::invalid_argument(std::string(name) + " is not a matrix");
  return rows_of(name, array);
}

TaskTargets targets_of(Task task, std::size_t outputs, std::size_t examples,
                       std::vector<std::string> classes) {
  TaskTargets targets;
  targets.task = task;
  targets.outputs = outputs;
  targets.classes = std::move(classes);
  targets.kept.resize(examples);
  std::iota(targets.kept.begin(), targets.kept.end(), std::size_t{0});
  return targets;
}

TaskTargets targets_from_labels(const std::string& task, const Array<std::int32_t>& labels,
                                std::vector<std::string> classes) {
  const std::size_t outputs = classes.size();
  TaskTargets targets = targets_of(parse_task(task), outputs, labels.size(), std::move(classes));
  targets.labels.assign(labels.data(), labels.data() + labels.size());
  return targets;
}

TaskTargets targets_from_rows(const std::string& task, const Array<double>& rows,
                              std::vector<std::string> classes) {
  const MatrixView<const double> view = matrix_of("y", rows);
  TaskTargets targets = targets_of(parse_task(task), view.cols(), view.rows(), std::move(classes));
  targets.rows =
      Matrix<double>(view.rows(), view.cols(), {view.data(), view.data() + view.rows() * view.cols()});
  return targets;
}

// Relevance of documents; query q has those from offsets[q] to offsets[q + 1].
TaskTargets targets_of_queries(const Array<double>& relevance, const Array<std::int64_t>& offsets) {
  TaskTargets targets = targets_of(Task::ranking, 1, relevance.size(), {});
  targets.rows = Matrix<double>(relevance.size(), 1, {relevance.data(), relevance.data() + relevance.size()});
  targets.queries.assign(offsets.data(), offsets.data() + offsets.size());
  return targets;
}

std::shared_ptr<PreparedData> prepare_rows(const Features& x, const TaskTargets& targets,
                                           const std::optional<Array<double>>& weights,
                                           const FitOptions& options,
                                           std::vector<std::string> feature_names) {
  std::vector<double> copy;
  if (weights) copy.assign(weights->data(), weights->data() + weights->size());
  const GilRelease release;
  auto data = prepare(x, targets, std::move(copy), options);
  data->feature_names = std::move(feature_names);
  data->source = "arrays";
  return data;
}

FitRun make_run(const std::shared_ptr<PreparedData>& data, const FitOptions& options, const Model* start) {
  const GilRelease release;
  return {make_fit(data, options, start ? &start->any : nullptr)};
}

// With a loss as it is, such as one of an Ω of Python, which has no text.
FitRun make_loss_run(const std::shared_ptr<PreparedData>& data, const FenchelYoungLoss& loss,
                     const FitOptions& options, const Model* start) {
  const GilRelease release;
  return {make_fit(data, loss, options, start ? &start->any : nullptr)};
}

std::optional<std::string> intercept_of(const FitOptions& options) {
  if (!options.intercept) return std::nullopt;
  return std::string(to_string(*options.intercept));
}

void bind_options(nb::module_& module) {
  nb::class_<FitOptions>(module, "FitOptions", "The choices of a fit.")
      .def(nb::init<>())
      .def_rw("omega", &FitOptions::omega)
      .def_rw("polytope", &FitOptions::polytope)
      .def_rw("penalty", &FitOptions::penalty)
      .def_rw("reg_lambda", &FitOptions::lambda)  // lambda is a keyword of Python
      .def_rw("rho", &FitOptions::rho)
      .def_prop_rw("intercept", &intercept_of,
                   [](FitOptions& self, const std::string& name) { self.intercept = parse_intercept(name); })
      .def_prop_rw(
          "scale", [](const FitOptions& self) { return std::string(scaling_name(self.scale)); },
          [](FitOptions& self, const std::string& name) { self.scale = scaling_called(name); })
      .def_rw("class_weight", &FitOptions::class_weight)
      .def_rw("kernel", &FitOptions::kernel)
      .def_prop_rw(
          "solver", [](const FitOptions& self) { return self.solver.text(); },
          [](FitOptions& self, const std::string& text) { self.solver = text; })
      .def_rw("tolerance", &FitOptions::tolerance)
      .def_rw("max_iterations", &FitOptions::max_iterations)
      .def_rw("threads", &FitOptions::threads)
      .def_rw("seed", &FitOptions::seed);
}

void bind_fit(nb::module_& module) {
  module.attr("default_tolerance") = default_tolerance;
  nb::class_<FitRun>(module, "Fit", "A fit in progress.")
      .def("advance", &FitRun::advance, "seconds"_a, nb::call_guard<GilRelease>())
      .def_prop_ro("done", [](const FitRun& self) { return self.last_step.done; })
      .def_prop_ro("objective", [](const FitRun& self) { return self.last_step.objective; })
      .def_prop_ro("gap", [](const FitRun& self) { return self.last_step.gap; })
      .def_prop_ro("tolerance", [](const FitRun& self) { return self.last_step.tolerance; })
      .def_prop_ro("residual", [](const FitRun& self) { return self.fit->algorithm().report().residual; })
      .def_prop_ro("iterations", [](const FitRun& self) { return self.fit->algorithm().report().iterations; })
      .def_prop_ro(
          "status",
          [](const FitRun& self) { return std::string(to_string(self.fit->algorithm().report().status)); })
      .def_prop_ro("solver", [](const FitRun& self) { return std::string(self.fit->algorithm().name()); })
      .def_prop_ro("remarks", [](const FitRun& self) { return self.fit->remarks(spelled_as_argument); })
      .def(
          "model", [](const FitRun& self) { return Model{self.fit->model()}; }, nb::call_guard<GilRelease>());
}

// Learning from parts: a fit with the state of the parts before, if there is one.
std::unique_ptr<OnlineFit> make_online(const TaskTargets& targets, std::size_t features,
                                       const FitOptions& options, const FenchelYoungLoss* loss) {
  return loss ? std::make_unique<OnlineFit>(targets, features, *loss, options)
              : std::make_unique<OnlineFit>(targets, features, options);
}

double learn_rows(OnlineFit& fit, const Features& x, const TaskTargets& targets,
                  const std::optional<Array<double>>& weights) {
  std::span<const double> view;
  if (weights) view = {weights->data(), weights->size()};
  const GilRelease release;
  return fit.learn(x, targets, view);
}

nb::tuple state_of(const OnlineFit& fit) {
  const OnlineState& state = fit.state();
  const auto array = [](const std::vector<double>& values) {
    const auto result = new_array<double>({values.size()});
    std::ranges::copy(values, result.data());
    return result;
  };
  return nb::make_tuple(array(state.z), array(state.squares), state.rows);
}

void restore_state(OnlineFit& fit, const Array<double>& z, const Array<double>& squares, std::uint64_t rows) {
  fit.restore({.z = {z.data(), z.data() + z.size()},
               .squares = {squares.data(), squares.data() + squares.size()},
               .rows = rows});
}

void bind_online(nb::module_& module) {
  nb::class_<OnlineFit>(module, "OnlineFit", "Learning from one part of the rows after the other.")
      .def("learn", &learn_rows, "x"_a, "targets"_a, "weights"_a.none().noconvert())
      .def("start_at",
           [](OnlineFit& self, const Model& model) { self.start_at(std::get<LinearModel>(model.any)); })
      .def("restore", &restore_state, "z"_a.noconvert(), "squares"_a.noconvert(), "rows"_a)
      .def_prop_ro("state", &state_of)
      .def("model", [](const OnlineFit& self) { return Model{self.model()}; });
  module.def("make_online_fit", &make_online, "targets"_a, "features"_a, "options"_a,
             "loss"_a.none() = nb::none());
}

// The metrics of a task on rows of outputs and scores, by name.
nb::dict evaluate_rows(const TaskTargets& targets, const Array<double>& outputs,
                       const Array<double>& scores) {
  const metrics::Predictions predictions{matrix_of("outputs", outputs), matrix_of("scores", scores)};
  check_size("the rows of predictions", predictions.outputs.rows(), targets.examples());
  nb::dict result;
  for (const auto& metric : metrics::evaluate(targets.task, predictions, targets.truth())) {
    result[metric.name.c_str()] = metric.value;
  }
  return result;
}

// A metric that is a mean over examples, of each of them.
Result<double> evaluate_each(const TaskTargets& targets, const Array<double>& outputs,
                             const Array<double>& scores, const std::string& metric) {
  const auto predicted = matrix_of("outputs", outputs), theta = matrix_of("scores", scores);
  check_size("the rows of predictions", predicted.rows(), targets.examples());
  const auto result = new_array<double>({predicted.rows()});
  const auto one_row = [](const auto& rows, std::size_t i) {
    return MatrixView<const double>(rows.row(i).data(), 1, rows.cols());
  };
  const GilRelease release;
  for (std::size_t i = 0; i < predicted.rows(); ++i) {
    metrics::Truth truth = targets.truth();
    truth.rows = one_row(truth.rows, i);
    // Equal worths have no order to agree with, and the mean leaves them out.
    const auto [least, most] = std::ranges::minmax(truth.rows.row(0));
    const bool orders = targets.task == Task::label_ranking;
    const auto found = metrics::evaluate(targets.task, {one_row(predicted, i), one_row(theta, i)}, truth);
    result.data()[i] = orders && least == most ? std::nan("") : metrics::value_of(found, metric);
  }
  return result;
}

// The temperature that is best for a metric, and the metric.
nb::tuple best_temperature(const Model& model, const Array<double>& theta, const TaskTargets& targets,
                           const std::string& metric, const std::optional<std::vector<double>>& candidates) {
  const auto scores = matrix_of("theta", theta);
  check_size("the rows of scores", scores.rows(), targets.examples());
  TemperatureChoice choice;
  {
    const GilRelease release;
    choice = choose_temperature(head_of(model.any), scores, targets.truth(), metric,
                                candidates ? *candidates : default_temperatures(), 1);
  }
  return nb::make_tuple(choice.temperature, choice.value);
}

}  // namespace

void bind_training(nb::module_& module) {
  nb::class_<TaskTargets>(module, "Targets", "What is to be predicted, one per example.")
      .def_static("labels", &targets_from_labels, "task"_a, "labels"_a.noconvert(), "classes"_a)
      .def_static("rows", &targets_from_rows, "task"_a, "rows"_a.noconvert(), "classes"_a)
      .def_static("queries", &targets_of_queries, "relevance"_a.noconvert(), "offsets"_a.noconvert())
      .def("evaluate_each", &evaluate_each, "outputs"_a.noconvert(), "scores"_a.noconvert(), "metric"_a)
      .def("evaluate", &evaluate_rows, "outputs"_a.noconvert(), "scores"_a.noconvert());
  nb::class_<PreparedData>(module, "PreparedData", "Features and targets, scaled and weighted.");
  bind_options(module);
  bind_fit(module);
  bind_online(module);
  module.def("prepare", &prepare_rows, "x"_a, "targets"_a, "weights"_a.none().noconvert(), "options"_a,
             "feature_names"_a);
  module.def("make_fit", &make_run, "data"_a, "options"_a, "start"_a.none() = nb::none());
  module.def("make_loss_fit", &make_loss_run, "data"_a, "loss"_a, "options"_a, "start"_a.none() = nb::none());
  module.def("choose_temperature", &best_temperature, "model"_a, "theta"_a.noconvert(), "targets"_a,
             "metric"_a, "candidates"_a.none() = nb::none());
}

}  // namespace fenchel::python
