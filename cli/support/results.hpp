// SPDX-License-Identifier: Apache-2.0
// Results for people (a table) and for machines (JSON).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/models/evaluation.hpp"

namespace fenchel::cli {

/// Evaluations under their names: train, valid, test.
using NamedEvaluations = std::vector<std::pair<std::string, Evaluation>>;

/// A row a metric, a column an evaluation.
void print_metrics(const NamedEvaluations& evaluations);
/// What an evaluation left out, as sentences.
std::vector<std::string> evaluation_remarks(const std::string& name, const Evaluation& evaluation);

/// {"accuracy": …, …}; a number that is not finite is null.
nlohmann::ordered_json metrics_json(const Evaluation& evaluation);
nlohmann::ordered_json json_number(double value);

/// The largest memory this process had, in bytes.
std::size_t peak_memory();
/// "12.3 MB".
std::string bytes_text(std::size_t bytes);

}  // namespace fenchel::cli
