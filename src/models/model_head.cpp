// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/model_head.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>

#include "fenchel/core/check.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/losses/ragged.hpp"
#include "fenchel/metrics/evaluate.hpp"

namespace fenchel {
namespace {

double temperature_of(const ModelHead& model, const PredictOptions& options) {
  const double temperature = options.temperature.value_or(model.temperature);
  check_greater("temperature", temperature, 0);
  check_at_least("temperature", temperature, 1e-150);  // scores are divided by it
  check_finite("temperature", temperature);
  return temperature;
}

// Each query's documents share the places of a permutahedron of their number.
Report predict_documents(const ModelHead& model, MatrixView<double> scores, const PredictOptions& options) {
  std::vector<std::size_t> offsets(options.queries.begin(), options.queries.end());
  if (offsets.empty()) offsets = {0, scores.rows()};
  if (offsets.front() != 0 || offsets.back() != scores.rows()) {
    throw std::invalid_argument(fmt::format("queries go from row {} to {}; expected 0 to {}", offsets.front(),
                                            offsets.back(), scores.rows()));
  }
  const LossOfSize loss = model.losses ? model.losses : ranking_loss(model.loss_name);
  std::map<std::size_t, FenchelYoungLoss> of_size;
  std::vector<FenchelYoungLoss> losses;
  std::vector<std::size_t> filled{0};  // queries without documents are left out
  for (std::size_t q = 0; q + 1 < offsets.size(); ++q) {
    const std::size_t size = offsets[q + 1] - offsets[q];
    if (size == 0) continue;
    auto found = of_size.find(size);
    if (found == of_size.end()) found = of_size.emplace(size, loss(size).loss).first;
    losses.push_back(found->second);
    filled.push_back(offsets[q + 1]);
  }
  const RaggedView<double> rows(scores.data(), filled);
  return batch::predict(losses, RaggedView<const double>(rows), rows, {.threads = options.threads});
}

// argmax over the set of ⟨θ, y⟩.
void best_structure(const AnyPolytope& set, std::span<const double> theta, std::span<double> structure) {
  Structure best;
  set.map(theta, best, thread_workspace());
  write(best, structure);
}

}  // namespace

void ModelHead::check(std::size_t features, std::size_t outputs) const {
  if (!classes.empty()) check_size("classes", classes.size(), outputs);
  std::set<std::string_view> seen;
  for (const std::string& name : classes) {
    if (!seen.insert(name).second) {
      throw std::invalid_argument(fmt::format("classes has '{}' twice; expected different names", name));
    }
  }
  if (!feature_names.empty()) check_size("feature_names", feature_names.size(), features);
  const bool standard = scaler.scaling == Scaling::standard;
  check_size("the means of the scaling", scaler.mean.size(), standard ? features : 0);
  check_size("the scales", scaler.scale.size(), scaler.scaling == Scaling::none ? 0 : features);
  if (!fill.empty()) check_size("fill", fill.size(), features);
  check_nominal(nominal, features);
  check_finite("mean", scaler.mean);
  check_finite("scale", scaler.scale);
  check_finite("fill", fill);
  for (const double factor : scaler.scale) check_greater("scale", factor, 0);
  check_greater("temperature", temperature, 0);
  check_finite("temperature", temperature);
  const auto dimension = loss.omega().dimension();
  if (dimension && task != Task::ranking) check_size("a row of scores", outputs, *dimension);
}

Report outputs_from_scores(const ModelHead& model, MatrixView<const double> theta, MatrixView<double> out,
                           const PredictOptions& options) {
  const double temperature = temperature_of(model, options);
  for (std::size_t i = 0; i < theta.rows(); ++i) {
    std::ranges::transform(theta.row(i), out.row(i).begin(),
                           [temperature](double score) { return score / temperature; });
  }
  if (model.task == Task::ranking) return predict_documents(model, out, options);
  return model.loss.predict(MatrixView<const double>(out), out, {.threads = options.threads});
}

CsrMatrix<double> outputs_from_scores_csr(const ModelHead& model, MatrixView<double> theta,
                                          const PredictOptions& options) {
  const double temperature = temperature_of(model, options);
  for (std::size_t i = 0; i < theta.rows(); ++i) {
    for (double& score : theta.row(i)) score /= temperature;
  }
  if (model.task != Task::ranking) {
    return model.loss.predict_csr(MatrixView<const double>(theta), {.threads = options.threads});
  }
  predict_documents(model, theta, options);
  CsrMatrix<double> result;
  result.cols = 1;
  for (std::size_t i = 0; i < theta.rows(); ++i) {
    if (theta.row(i)[0] != 0) {
      result.indices.push_back(0);
      result.values.push_back(theta.row(i)[0]);
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

void nearest_structure(const AnyPolytope& set, std::span<const double> point, std::span<double> structure) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto scores = scratch.take<double>(point.size());
  // ‖y − p‖² = ‖p‖² − 2 ⟨p − ½, y⟩ for y of zeros and ones; structures of one sum and one norm agree with it.
  std::ranges::transform(point, scores.begin(), [](double entry) { return entry - 0.5; });
  best_structure(set, scores, structure);
}

void predicted_set(const AnyRegularizer& omega, std::span<const double> theta, std::span<const double> output,
                   std::span<double> set) {
  const AnyPolytope* polytope = omega.polytope();
  if (!polytope) {
    for (std::size_t k = 0; k < set.size(); ++k) set[k] = output[k] > metrics::label_threshold ? 1 : 0;
  } else if (omega.refined_traits().zero_at_vertices) {
    best_structure(*polytope, theta, set);
  } else {
    nearest_structure(*polytope, output, set);
  }
}

Matrix<double> predicted_sets(const AnyRegularizer& omega, MatrixView<const double> theta,
                              MatrixView<const double> outputs) {
  Matrix<double> sets(theta.rows(), theta.cols());
  for (std::size_t i = 0; i < theta.rows(); ++i) {
    predicted_set(omega, theta.row(i), outputs.row(i), sets.row(i));
  }
  return sets;
}

std::vector<std::int32_t> predicted_labels(const ModelHead& model, std::span<const double> theta,
                                           std::span<const double> output) {
  std::vector<std::int32_t> labels;
  switch (model.task) {
    case Task::classification:
    case Task::proportions:
    case Task::tagging:
      if (!theta.empty()) {
        labels.push_back(static_cast<std::int32_t>(std::ranges::max_element(theta) - theta.begin()));
      }
      break;
    case Task::multilabel: {
      std::vector<double> set(output.size());
      predicted_set(model.loss.omega(), theta, output, set);
      for (std::size_t k = 0; k < set.size(); ++k) {
        if (set[k] > 0) labels.push_back(static_cast<std::int32_t>(k));
      }
      break;
    }
    case Task::label_ranking:
      labels.resize(theta.size());
      std::iota(labels.begin(), labels.end(), 0);
      std::ranges::stable_sort(labels, [&](std::int32_t a, std::int32_t b) {
        return theta[static_cast<std::size_t>(a)] > theta[static_cast<std::size_t>(b)];
      });
      break;
    case Task::regression:
    case Task::ranking:
    case Task::structured:
      break;
  }
  return labels;
}

}  // namespace fenchel
