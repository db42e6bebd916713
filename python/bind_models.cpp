// SPDX-License-Identifier: Apache-2.0
// Trained models: weights, scores, predictions, files; pickled as the bytes of their file.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fenchel/core/check.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "training.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

std::string kind_of(const Model& model) {
  return std::visit([]<class M>(const M&) { return std::string(ModelKind<M>::name); }, model.any);
}

const LinearModel& linear_of(const Model& model) {
  const auto* linear = std::get_if<LinearModel>(&model.any);
  if (!linear)
    throw nb::attribute_error("a model without a kernel has coefficients of features; this has none");
  return *linear;
}

/// Weights (outputs × features) and intercepts, of features as they come.
nb::tuple coefficients(const Model& model) {
  const LinearModel plain = rescaled(linear_of(model), Scaler{});
  const auto weights = new_array<double>({plain.outputs(), plain.features()});
  for (std::size_t j = 0; j < plain.features(); ++j) {
    for (std::size_t k = 0; k < plain.outputs(); ++k) {
      weights.data()[k * plain.features() + j] = plain.weights(j, k);
    }
  }
  const std::vector<double> intercept =
      plain.intercept.empty() ? std::vector<double>(plain.outputs()) : plain.intercept;
  return nb::make_tuple(weights, copied(intercept));
}

Result<double> scores_of(const Model& model, const Features& x, int threads) {
  const auto score = [&](const auto& rows) {
    const auto theta = new_array<double>({x.rows(), rows.outputs()});
    const GilRelease release;
    x.visit([&](const auto& view) {
      scores(rows, view, MatrixView<double>(theta.data(), x.rows(), rows.outputs()), threads);
    });
    return theta;
  };
  if (const auto* kernel = std::get_if<KernelPredictor>(&model.any)) return score(*kernel);
  return score(linear_of(model));
}

// `queries`, for rankings of documents: where each begins, and the end.
Result<double> outputs_of(const Model& model, const Array<double>& theta, int threads,
                          const std::optional<Array<std::int64_t>>& queries) {
  const auto rows = rows_of("theta", theta);
  const auto result = new_array<double>(shape_of(theta));
  PredictOptions options{.threads = threads};
  if (queries) options.queries = {queries->data(), queries->size()};
  const GilRelease release;
  outputs_from_scores(head_of(model.any), rows, rows_of(result, rows), options);
  return result;
}

// Zeros and ones of sets of labels, or structures.
Result<double> sets_of(const Model& model, const Array<double>& theta, int threads) {
  const auto rows = rows_of("theta", theta);
  const auto result = new_array<double>(shape_of(theta));
  const GilRelease release;
  const auto out = rows_of(result, rows);
  outputs_from_scores(head_of(model.any), rows, out, {.threads = threads});
  const Matrix<double> sets = predicted_sets(head_of(model.any).loss.omega(), rows, out);
  std::ranges::copy(sets.entries(), result.data());
  return result;
}

// The structures that are nearest to points of their convex hull.
Result<double> nearest_structures(const Model& model, const Array<double>& points) {
  const auto rows = rows_of("points", points);
  const auto result = new_array<double>(shape_of(points));
  const AnyPolytope* set = head_of(model.any).loss.omega().polytope();
  if (!set) throw std::invalid_argument("the model is not over structures");
  check_size("a row of points", rows.cols(), set->dimension());
  const auto out = rows_of(result, rows);
  const GilRelease release;
  for (std::size_t i = 0; i < rows.rows(); ++i) nearest_structure(*set, rows.row(i), out.row(i));
  return result;
}

const std::map<std::string, std::string>& provenance_of(const Model& model) {
  return std::visit(
      [](const auto& one) -> const auto& { return one.provenance; }, model.any);
}

nb::bytes to_bytes(const Model& model) {
  const std::vector<std::byte> bytes = model_bytes(model.any);
  return nb::bytes(bytes.data(), bytes.size());
}

Model from_bytes(const nb::bytes& bytes) {
  return {model_from_bytes({static_cast<const std::byte*>(bytes.data()), bytes.size()})};
}

/// Outputs and features, of a tagger labels and attributes.
nb::tuple model_shape(const Model& model) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.outputs(); }) {
          return nb::make_tuple(one.outputs(), one.features());
        } else {
          return nb::make_tuple(one.features.labels, one.features.attributes);
        }
      },
      model.any);
}

void set_provenance(Model& model, const std::map<std::string, std::string>& provenance) {
  std::visit([&](auto& one) { one.provenance = provenance; }, model.any);
}

void check_numbers(const Model& model) {
  std::visit([](const auto& one) { one.check(); }, model.any);
}

void save_to(const Model& model, const std::filesystem::path& path) {
  const GilRelease release;
  save(model.any, path);
}

Model load_from(const std::filesystem::path& path) {
  const GilRelease release;
  return {load(path)};
}

/// Whether the outputs are probabilities (or shares): Ω over the simplex, the cube or chains of tags that is
/// more than a cost.
bool gives_probabilities(const std::string& loss, const std::string& task, std::size_t outputs) {
  const Task parsed = parse_task(task);
  const std::string text = loss.empty() ? std::string(default_loss(parsed)) : loss;
  const bool tags = parsed == Task::tagging;
  const LossChoice choice = tags ? TaggingLoss{outputs}(text)(1) : resolve_loss(text, parsed, outputs);
  if (choice.loss.omega().ridge() == 0.0) return false;  // Ω = 0: predictions are vertices
  if (tags) return true;
  const Domain domain = choice.loss.traits().domain;
  if (parsed == Task::multilabel) return domain == Domain::cube || domain == Domain::polytope;
  return domain == Domain::simplex;
}

}  // namespace

void bind_models(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A trained model.")
      .def_prop_ro("kind", &kind_of)
      .def_prop_ro("task", [](const Model& self) { return std::string(to_string(head_of(self.any).task)); })
      .def_prop_ro("loss", [](const Model& self) { return head_of(self.any).loss_name; })
      .def_prop_ro("omega", [](const Model& self) { return head_of(self.any).loss.omega(); })
      .def_prop_ro("classes", [](const Model& self) { return head_of(self.any).classes; })
      .def_prop_ro("feature_names", [](const Model& self) { return head_of(self.any).feature_names; })
      .def_prop_ro(
          "scale",
          [](const Model& self) { return std::string(scaling_name(head_of(self.any).scaler.scaling)); })
      .def_prop_rw(
          "temperature",
          [](const Model& self) {
            return std::visit([](const auto& one) { return one.temperature; }, self.any);
          },
          [](Model& self, double temperature) {
            std::visit([&](auto& one) { one.temperature = temperature; }, self.any);
          })
      .def_prop_ro("shape", &model_shape)
      .def_prop_rw("provenance", &provenance_of, &set_provenance)
      .def("check", &check_numbers, nb::call_guard<GilRelease>(),
           "raises ValueError unless all of its numbers are finite")
      .def("coefficients", &coefficients)
      .def("scores", &scores_of, "x"_a, "n_threads"_a = 1)
      .def("outputs", &outputs_of, "theta"_a.noconvert(), "n_threads"_a = 1, "queries"_a.none() = nb::none())
      .def("sets", &sets_of, "theta"_a.noconvert(), "n_threads"_a = 1)
      .def("nearest_structures", &nearest_structures, "points"_a.noconvert())
      .def("save", &save_to, "path"_a)
      .def_static("load", &load_from, "path"_a)
      .def("__getstate__", &to_bytes)
      .def("__setstate__", [](Model& self, const nb::bytes& bytes) { new (&self) Model(from_bytes(bytes)); });

  module.def("gives_probabilities", &gives_probabilities, "loss"_a, "task"_a, "outputs"_a);
}

}  // namespace fenchel::python
