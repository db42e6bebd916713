// SPDX-License-Identifier: Apache-2.0
#include "support/results.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

namespace fenchel::cli {

void print_metrics(const NamedEvaluations& evaluations) {
  if (evaluations.empty()) return;
  fmt::print("{:<22}", "");
  for (const auto& [name, evaluation] : evaluations) fmt::print(" {:>12}", name);
  fmt::print("\n{:<22}", "examples");
  for (const auto& [name, evaluation] : evaluations) fmt::print(" {:>12}", evaluation.examples);
  fmt::print("\n");
  for (const metrics::Metric& metric : evaluations.front().second.metrics) {
    fmt::print("{:<22}", metric.name);
    for (const auto& [name, evaluation] : evaluations) {
      const auto found = std::ranges::find(evaluation.metrics, metric.name, &metrics::Metric::name);
      fmt::print(" {:>12}", found == evaluation.metrics.end() ? "" : fmt::format("{:.5g}", found->value));
    }
    fmt::print("\n");
  }
}

namespace {

constexpr std::size_t shown_classes = 30;  // in tables; --json has all of them
constexpr int widest_name = 22;

std::string short_name(const std::string& name) { return fmt::format("{:.{}}", name, widest_name); }

void print_confusion(const Evaluation& evaluation) {
  const Matrix<double>& counts = evaluation.details.confusion;
  fmt::print("\n{:<22} predicted\n{:<22}", "confusion", "true");
  for (const std::string& name : evaluation.classes) fmt::print(" {:>8.8}", name);
  fmt::print("\n");
  for (std::size_t i = 0; i < counts.rows(); ++i) {
    fmt::print("{:<22}", short_name(evaluation.classes[i]));
    for (const double count : counts.row(i)) fmt::print(" {:>8}", static_cast<std::size_t>(count));
    fmt::print("\n");
  }
}

using Classes = std::vector<std::pair<std::string, metrics::ClassMetrics>>;

Classes classes_of(const Evaluation& evaluation) {
  Classes result;
  for (std::size_t k = 0; k < evaluation.details.classes.size(); ++k)
    result.emplace_back(evaluation.classes[k], evaluation.details.classes[k]);
  return result;
}

void print_classes(const char* what, const Classes& classes) {
  fmt::print("\n{:<22} {:>9} {:>9} {:>9} {:>9}\n", what, "precision", "recall", "f1", "support");
  const std::size_t shown = std::min(classes.size(), shown_classes);
  for (const auto& [name, one] : std::span(classes).first(shown)) {
    fmt::print("{:<22} {:>9.4f} {:>9.4f} {:>9.4f} {:>9}\n", short_name(name), one.precision, one.recall,
               one.f1, one.support);
  }
  if (shown < classes.size()) fmt::print("({} more: --json has all)\n", classes.size() - shown);
}

nlohmann::ordered_json classes_json(const Classes& classes) {
  auto result = nlohmann::ordered_json::array();
  for (const auto& [name, one] : classes) {
    result.push_back({{"name", name},
                      {"precision", one.precision},
                      {"recall", one.recall},
                      {"f1", one.f1},
                      {"support", one.support}});
  }
  return result;
}

}  // namespace

void print_details(const Evaluation& evaluation, bool confusion) {
  const Classes classes = classes_of(evaluation);
  if (classes.empty()) return;
  print_classes("class", classes);
  if (!evaluation.chunks.empty())
    print_classes("chunk", Classes(evaluation.chunks.begin(), evaluation.chunks.end()));
  if (confusion && !evaluation.details.confusion.empty()) print_confusion(evaluation);
  bool header = true;
  for (const metrics::CalibrationBin& bin : evaluation.details.calibration) {
    if (bin.rows == 0) continue;
    if (header) fmt::print("\n{:<22} {:>9} {:>9}\n", "calibration: rows", "confidence", "accuracy");
    header = false;
    fmt::print("{:<22} {:>9.4f} {:>9.4f}\n", bin.rows, bin.confidence, bin.accuracy);
  }
}

nlohmann::ordered_json details_json(const Evaluation& evaluation) {
  nlohmann::ordered_json result = nlohmann::ordered_json::object();
  const metrics::Details& details = evaluation.details;
  if (!details.classes.empty()) result["classes"] = classes_json(classes_of(evaluation));
  if (!evaluation.chunks.empty())
    result["chunks"] = classes_json(Classes(evaluation.chunks.begin(), evaluation.chunks.end()));
  for (std::size_t i = 0; i < details.confusion.rows(); ++i) {
    result["confusion"].push_back(
        std::vector<double>(details.confusion.row(i).begin(), details.confusion.row(i).end()));
  }
  for (const metrics::CalibrationBin& bin : details.calibration) {
    if (bin.rows > 0) {
      result["calibration"].push_back(
          {{"rows", bin.rows}, {"confidence", bin.confidence}, {"accuracy", bin.accuracy}});
    }
  }
  return result;
}

std::vector<std::string> evaluation_remarks(const std::string& name, const Evaluation& evaluation) {
  std::vector<std::string> result;
  if (evaluation.dropped > 0) {
    result.push_back(fmt::format("{}: {} rows have no label and are left out", name, evaluation.dropped));
  }
  if (evaluation.unseen_rows > 0) {
    result.push_back(fmt::format("{}: {} rows have labels that training did not see; {}", name,
                                 evaluation.unseen_rows, evaluation.unseen_effect));
  }
  if (evaluation.ignored > 0) {
    result.push_back(fmt::format("{}: {} entries of features that the model does not have are ignored", name,
                                 evaluation.ignored));
  }
  if (!evaluation.report.converged()) {
    result.push_back(fmt::format("{}: some predictions are {}", name, to_string(evaluation.report.status)));
  }
  return result;
}

nlohmann::ordered_json verification_json(const Verification& found) {
  nlohmann::ordered_json result{{"verified", found.verified},
                                {"primal", json_number(found.primal)},
                                {"dual", json_number(found.dual)},
                                {"gap", json_number(found.gap)},
                                {"relative", json_number(found.relative)},
                                {"tolerance", json_number(found.tolerance)},
                                {"imbalance", json_number(found.imbalance)}};
  if (std::isfinite(found.radius)) result["radius"] = found.radius;
  result["problems"] = found.problems;
  return result;
}

nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json spec_json(const Spec& spec) { return nlohmann::ordered_json::parse(to_json(spec)); }

std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json metrics_json(const Evaluation& evaluation) {
  nlohmann::ordered_json result{{"examples", evaluation.examples}};
  for (const metrics::Metric& metric : evaluation.metrics) result[metric.name] = json_number(metric.value);
  return result;
}

std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::string bytes_text(std::size_t bytes) {
  static constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
  return fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace fenchel::cli
