// SPDX-License-Identifier: Apache-2.0
// Results for people (a table) and for machines (JSON).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "fenchel/core/spec.hpp"
#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/models/evaluation.hpp"
#include "fenchel/training/verify.hpp"

namespace fenchel::cli {

/// Evaluations under their names: train, valid, test.
using NamedEvaluations = std::vector<std::pair<std::string, Evaluation>>;

/// A row a metric, a column an evaluation.
void print_metrics(const NamedEvaluations& evaluations);
/// What an evaluation left out, as sentences.
std::vector<std::string> evaluation_remarks(const std::string& name, const Evaluation& evaluation);

/// Precision, recall, F1 and support of each class and each type of chunks, and for classes the confusion
/// matrix and the calibration.
void print_details(const Evaluation& evaluation, bool confusion);
nlohmann::ordered_json details_json(const Evaluation& evaluation);
/// {"accuracy": …, …}; a number that is not finite is null.
nlohmann::ordered_json metrics_json(const Evaluation& evaluation);
/// {"verified": …, "gap": …, …}.
nlohmann::ordered_json verification_json(const Verification& found);
nlohmann::ordered_json json_number(double value);
nlohmann::ordered_json spec_json(const Spec& spec);
/// In one line; what is not UTF-8 is replaced. One file has the parser and the writer of JSON: they take long
/// to compile.
std::string json_text(const nlohmann::ordered_json& value);

/// The largest memory this process had, in bytes.
std::size_t peak_memory();
/// "12.3 MB".
std::string bytes_text(std::size_t bytes);

}  // namespace fenchel::cli
