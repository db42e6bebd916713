// SPDX-License-Identifier: Apache-2.0
#include "support/convergence.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "fenchel/data/summary.hpp"

namespace fenchel::cli {
namespace {

struct Column {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  double size() const { return std::max(std::abs(least), std::abs(most)); }
  double width() const { return most - least; }
};

std::vector<Column> columns_of(const Features& x) {
  std::vector<Column> columns(x.cols());
  x.visit([&](const auto& rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const auto row = rows.dense_rows().row(i);
      for (std::size_t j = 0; j < row.size(); ++j) {
        const auto value = static_cast<double>(row[j]);
        columns[j] = {std::min(columns[j].least, value), std::max(columns[j].most, value)};
      }
    }
  });
  return columns;
}

// On random rows with 150 features, a spread of 10 doubles the iterations of L-BFGS. Words of documents are
// another matter: scaled by their deviations the rare ones weigh most, and training takes longer.
constexpr double large_spread = 10;

// The largest feature and the narrowest that varies, if scaling helps with them.
std::string sizes_advice(const Dataset& data) {
  if (data.x.sparse()) return {};
  const std::vector<Column> columns = columns_of(data.x);
  std::size_t largest = 0, narrowest = columns.size();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j].size() > columns[largest].size()) largest = j;
    const bool narrower = narrowest == columns.size() || columns[j].width() < columns[narrowest].width();
    if (columns[j].width() > 0 && narrower) narrowest = j;
  }
  if (narrowest == columns.size()) return {};
  const double size = columns[largest].size(), width = columns[narrowest].width();
  if (size < large_spread * width) return {};
  return fmt::format(
      "; features differ in size ({} is up to {:.3g}, {} varies by {:.3g}): --scale standard helps",
      feature_name(data, largest), size, feature_name(data, narrowest), width);
}

}  // namespace

std::string convergence_advice(Status status, const Corpus& corpus, const FitOptions& options) {
  const bool penalised = options.penalty != "none";
  std::string advice;
  if (status == Status::max_iterations) {
    advice = fmt::format("; more --max-iterations train longer, a larger {}--tolerance ends sooner",
                         penalised ? "--lambda or " : "");
  } else if (status == Status::stalled) {
    advice = fmt::format("; numbers have no more digits: a larger {}--tolerance can be reached",
                         penalised ? "--lambda or " : "");
  }
  const auto* rows = std::get_if<Dataset>(&corpus.data);
  if (rows && options.scale == Scaling::none) advice += sizes_advice(*rows);
  return advice;
}

}  // namespace fenchel::cli
