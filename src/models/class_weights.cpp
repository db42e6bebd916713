// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/models/task_targets.hpp"

namespace fenchel {
namespace {

void check_weighted(const TaskTargets& targets) {
  if (targets.task == Task::classification || targets.task == Task::proportions) return;
  throw OptionError(fmt::format("`class_weight` is for classification and proportions, not for {}",
                                to_string(targets.task)));
}

std::vector<double> masses(const TaskTargets& targets, std::span<const double> rows) {
  std::vector<double> mass(targets.outputs);
  const auto weight = [&](std::size_t i) { return rows.empty() ? 1 : rows[i]; };
  for (std::size_t i = 0; i < targets.labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(targets.labels[i]);
    if (label < mass.size()) mass[label] += weight(i);
  }
  for (std::size_t i = 0; i < targets.rows.rows(); ++i) {
    for (std::size_t k = 0; k < mass.size(); ++k) mass[k] += weight(i) * targets.rows(i, k);
  }
  return mass;
}

// "name=weight"; the name may contain '=' itself.
void read_weight(const TaskTargets& targets, std::string_view part, std::vector<double>& weights) {
  const std::size_t equals = part.rfind('=');
  const std::string_view name = part.substr(0, equals);
  const std::string_view number = equals == std::string_view::npos ? "" : part.substr(equals + 1);
  double weight = 0;
  const auto end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, weight);
  if (number.empty() || result.ec != std::errc() || result.ptr != end) {
    throw OptionError(
        fmt::format("`class_weight` is '{}'; expected balanced, or name=number with commas between", part));
  }
  if (!(weight >= 0) || std::isinf(weight)) {
    throw OptionError(fmt::format(
        "`class_weight`: the weight of class '{}' is {}; expected a finite number >= 0", name, weight));
  }
  const auto found = std::ranges::find(targets.classes, name);
  if (found == targets.classes.end()) {
    const std::vector<std::string_view> known(targets.classes.begin(), targets.classes.end());
    throw OptionError(
        fmt::format("`class_weight`: unknown class '{}'{}", name, spec::suggestion(name, known)));
  }
  const auto index = static_cast<std::size_t>(found - targets.classes.begin());
  if (index < weights.size()) weights[index] = weight;
}

}  // namespace

std::vector<double> class_weights(const TaskTargets& targets, std::string_view text,
                                  std::span<const double> rows) {
  check_weighted(targets);
  if (!rows.empty()) check_size("weights", rows.size(), targets.examples());
  std::vector<double> weights(targets.outputs, 1.0);
  if (text == "balanced") {
    const auto mass = masses(targets, rows);
    const auto examples = rows.empty() ? static_cast<double>(targets.examples())
                                       : std::accumulate(rows.begin(), rows.end(), 0.0);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double share = static_cast<double>(targets.outputs) * mass[k];
      // A class without examples has nothing to weigh.
      if (mass[k] > 0) weights[k] = examples / share;
    }
    return weights;
  }
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    read_weight(targets, text.substr(0, comma), weights);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return weights;
}

std::vector<double> sample_weights(const TaskTargets& targets, std::span<const double> classes,
                                   std::span<const double> rows) {
  check_weighted(targets);
  check_size("class weights", classes.size(), targets.outputs);
  if (!rows.empty()) check_size("weights", rows.size(), targets.examples());
  std::vector<double> weights(targets.examples(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (targets.task == Task::classification) {
      const auto label = static_cast<std::size_t>(targets.labels[i]);
      weights[i] = label < classes.size() ? classes[label] : 1;
    } else {
      for (std::size_t k = 0; k < classes.size(); ++k) weights[i] += targets.rows(i, k) * classes[k];
    }
    if (!rows.empty()) weights[i] *= rows[i];
  }
  return weights;
}

}  // namespace fenchel
