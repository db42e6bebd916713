// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/task_targets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <unordered_map>

#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {
namespace {

// Targets that are whole numbers are classes unless there are more different ones than this in nearly as many
// rows.
constexpr std::size_t many_values = 10;
// More classes than this that are numbers may be quantities.
constexpr std::size_t many_classes = 50;

std::string where(const Dataset& data) { return data.source.empty() ? "the data" : data.source; }

[[noreturn]] void reject(const Dataset& data, const std::string& problem) {
  throw std::invalid_argument(fmt::format("{}: {}", where(data), problem));
}

bool all_whole(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value == std::floor(value); });
}

bool lists_every_label(const Labels& labels) {
  std::vector<bool> seen(labels.names.size());
  for (std::size_t i = 0; i < labels.rows(); ++i) {
    if (labels.row(i).size() != labels.names.size()) return false;
    seen.assign(seen.size(), false);
    for (const std::int32_t label : labels.row(i)) seen[static_cast<std::size_t>(label)] = true;
    if (std::ranges::count(seen, false) > 0) return false;
  }
  return labels.rows() > 0;
}

std::size_t longest_row(const Labels& labels) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < labels.rows(); ++i) longest = std::max(longest, labels.row(i).size());
  return longest;
}

std::size_t different_values(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

// Which class of the targets each name of the data is: the model's, or a new one after them.
std::vector<std::int32_t> match_classes(const Labels& labels, std::span<const std::string> classes,
                                        TaskTargets& out) {
  const auto known = classes.empty() ? std::span<const std::string>(labels.names) : classes;
  out.classes.assign(known.begin(), known.end());
  out.outputs = known.size();
  std::unordered_map<std::string_view, std::int32_t> indices;
  for (std::size_t k = 0; k < known.size(); ++k) indices.emplace(known[k], static_cast<std::int32_t>(k));
  std::vector<std::int32_t> matched;
  for (const std::string& name : labels.names) {
    const auto found = indices.find(name);
    matched.push_back(found == indices.end() ? -1 : found->second);
  }
  // Only names that a row uses become classes: a subset of a file keeps the names of the whole.
  std::vector<bool> used(labels.names.size());
  for (const std::int32_t label : labels.indices) used[static_cast<std::size_t>(label)] = true;
  for (std::size_t k = 0; k < matched.size(); ++k) {
    if (matched[k] >= 0 || !used[k]) continue;
    matched[k] = static_cast<std::int32_t>(out.classes.size());
    out.classes.push_back(labels.names[k]);
  }
  return matched;
}

bool unseen(const TaskTargets& targets, std::int32_t label) {
  return static_cast<std::size_t>(label) >= targets.outputs;
}

// Keeps the rows that have labels, or all of them.
void keep_rows(const Labels& labels, bool drop_empty, TaskTargets& out) {
  for (std::size_t i = 0; i < labels.rows(); ++i) {
    if (drop_empty && labels.row(i).empty()) {
      ++out.dropped;
    } else {
      out.kept.push_back(i);
    }
  }
}

// What follows reads targets whose names have become classes: `matched` has the class of each name.
using Matched = std::span<const std::int32_t>;

void read_classes(const Dataset& data, Matched matched, TaskTargets& out) {
  keep_rows(data.labels, true, out);
  for (const std::size_t i : out.kept) {
    const auto row = data.labels.row(i);
    if (row.size() > 1) {
      reject(data, fmt::format("row {} has {} labels; classification needs one (other tasks: multilabel, "
                               "proportions)",
                               i, row.size()));
    }
    out.labels.push_back(matched[static_cast<std::size_t>(row.front())]);
    out.unseen_rows += unseen(out, out.labels.back()) ? 1 : 0;
  }
}

// Calls body(class, weight) for the labels of a row.
template <class Body>
void for_each_label(const Labels& labels, Matched matched, std::size_t row, Body body) {
  for (auto e = static_cast<std::size_t>(labels.offsets[row]);
       e < static_cast<std::size_t>(labels.offsets[row + 1]); ++e) {
    body(matched[static_cast<std::size_t>(labels.indices[e])],
         labels.weights.empty() ? 1 : labels.weights[e]);
  }
}

void read_proportions(const Dataset& data, Matched matched, TaskTargets& out) {
  std::vector<double> rows, row(out.classes.size());
  for (std::size_t i = 0; i < data.labels.rows(); ++i) {
    std::ranges::fill(row, 0.0);
    double sum = 0;
    bool strange = false;
    for_each_label(data.labels, matched, i, [&](std::int32_t label, double weight) {
      if (!(weight >= 0) || std::isinf(weight)) {
        reject(data, fmt::format("row {} has a label of weight {}; expected numbers >= 0", i, weight));
      }
      row[static_cast<std::size_t>(label)] += weight;
      strange = strange || (weight > 0 && unseen(out, label));
      sum += weight;
    });
    if (std::isinf(sum)) {
      reject(data, fmt::format("row {} has proportions whose sum is not finite; expected smaller ones", i));
    }
    if (!(sum > 0)) {
      ++out.dropped;
      continue;
    }
    for (const double weight : row) rows.push_back(weight / sum);
    out.kept.push_back(i);
    out.unseen_rows += strange ? 1 : 0;
  }
  out.rows = Matrix<double>(out.kept.size(), out.classes.size(), std::move(rows));
}

void read_sets(const Dataset& data, Matched matched, TaskTargets& out) {
  keep_rows(data.labels, false, out);
  out.rows = Matrix<double>(out.kept.size(), out.classes.size());
  const bool bits =
      std::ranges::all_of(out.classes, [](const std::string& name) { return name == "0" || name == "1"; });
  for (std::size_t i = 0; i < out.kept.size(); ++i) {
    bool strange = false;
    std::vector<std::int32_t> row(data.labels.row(i).begin(), data.labels.row(i).end());
    std::ranges::sort(row);
    if (bits && std::ranges::adjacent_find(row) != row.end()) {
      reject(data, fmt::format(
                       "row {} has a label twice, and all labels are 0 or 1; a set of labels is the numbers "
                       "of those that are in it (1,0,1 is 1,3)",
                       i));
    }
    for_each_label(data.labels, matched, i, [&](std::int32_t label, double weight) {
      if (!(weight >= 0 && weight <= 1)) {
        reject(data,
               fmt::format("row {} has a label of weight {}; multilabel expects numbers from 0 to 1, how "
                           "much a label is in the set",
                           i, weight));
      }
      double& entry = out.rows(i, static_cast<std::size_t>(label));
      entry = std::max(entry, weight);
      strange = strange || (weight > 0 && unseen(out, label));
    });
    out.unseen_rows += strange ? 1 : 0;
  }
}

// Orders are among the model's classes: a label it does not know has no place to compare with.
void read_orders(const Dataset& data, Matched matched, TaskTargets& out) {
  out.classes.resize(out.outputs);
  keep_rows(data.labels, true, out);
  out.rows = Matrix<double>(out.kept.size(), out.outputs);
  for (std::size_t i = 0; i < out.kept.size(); ++i) {
    const auto first = static_cast<std::size_t>(data.labels.offsets[out.kept[i]]);
    const auto row = data.labels.row(out.kept[i]);
    auto worth = static_cast<double>(out.outputs);
    std::optional<std::size_t> before;  // the place of the last label that the model knows
    bool strange = false;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::int32_t name = row[k];
      const auto place =
          data.labels.places.empty() ? k : static_cast<std::size_t>(data.labels.places[first + k]);
      const auto label = static_cast<std::size_t>(matched[static_cast<std::size_t>(name)]);
      if (label >= out.outputs) {
        strange = true;
        continue;
      }
      if (out.rows(i, label) != 0) {
        reject(data, fmt::format("row {} ranks '{}' twice", out.kept[i], out.classes[label]));
      }
      if (before && place != *before) worth -= 1;
      before = place;
      out.rows(i, label) = worth;
    }
    out.unseen_rows += strange ? 1 : 0;
  }
}

void read_numbers(const Dataset& data, std::span<const std::string> names, TaskTargets& out) {
  if (data.values.rows() != data.rows() || data.values.cols() == 0) {
    reject(data, fmt::format("the targets are not numbers; {} needs numbers", to_string(out.task)));
  }
  if (!names.empty()) check_size("the numbers in a row", data.values.cols(), names.size());
  check_finite("the targets", data.values.entries());
  out.classes.assign(names.begin(), names.end());
  out.outputs = data.values.cols();
  out.rows = data.values;
}

// The coordinate that a label names, counted from 1.
std::size_t coordinate(const Dataset& data, const std::string& name, std::size_t outputs) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 1 || number > outputs) {
    reject(data, fmt::format("a target has the entry '{}'; structures have the entries 1 to {}",
                             name.substr(0, 80), outputs));
  }
  return number - 1;
}

// Rows of numbers, or the entries that are not 0, by their numbers from 1: "1,5,9", or with values
// "1:0.5,2:0.5".
void read_points(const Dataset& data, std::size_t outputs, TaskTargets& out) {
  const bool listed = data.labels.rows() == data.rows() && !data.labels.names.empty();
  if (!listed || data.values.cols() > 1) {
    read_numbers(data, {}, out);
    if (outputs > 0 && out.outputs != outputs) {
      reject(data, fmt::format("a target has {} numbers; structures have {}", out.outputs, outputs));
    }
    return;
  }
  if (outputs == 0) {
    throw OptionError(fmt::format(
        "{}: the targets list entries of structures; name their set, such as `polytope=birkhoff:n=3`",
        where(data)));
  }
  out.outputs = outputs;
  out.rows = Matrix<double>(data.rows(), outputs);
  std::vector<std::int32_t> numbers;
  for (const std::string& name : data.labels.names) {
    numbers.push_back(static_cast<std::int32_t>(coordinate(data, name, outputs)));
  }
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for_each_label(data.labels, numbers, i, [&](std::int32_t entry, double weight) {
      out.rows(i, static_cast<std::size_t>(entry)) += weight;
    });
  }
  check_finite("the targets", out.rows.entries());
}

void read_relevance(const Dataset& data, TaskTargets& out) {
  if (data.queries.empty()) {
    reject(
        data,
        "the rows belong to no queries; ranking needs qid in svmlight, or beside CSV a file of their sizes "
        "whose name ends in .query");
  }
  if (data.values.rows() != data.rows() || data.values.cols() != 1) {
    reject(data, "the targets are not one number per row; ranking needs relevances");
  }
  check_finite("the relevances", data.values.entries());
  out.outputs = 1;
  out.rows = data.values;
  out.queries = data.queries;
}

}  // namespace

TaskGuess guess_task(const Dataset& data) {
  const Labels& labels = data.labels;
  if (!data.queries.empty()) return {Task::ranking, "rows belong to queries (qid)"};
  if (!labels.weights.empty()) return {Task::proportions, "labels have weights"};
  const bool has_labels = labels.rows() > 0 && !labels.names.empty();
  if (!has_labels && !data.values.empty()) return {Task::regression, "the targets are numbers"};
  if (!labels.places.empty()) {
    TaskGuess guess{Task::label_ranking, "the targets are orders, such as a>b"};
    if (labels.names.size() > 2 && longest_row(labels) <= 2) {
      guess.doubt =
          "the targets are taken for orders, of two labels at most in a row; give `task=classification` if "
          "each is the name of a class";
    }
    return guess;
  }
  if (labels.names.size() > 1 && lists_every_label(labels)) {
    return {Task::label_ranking, "every row lists all labels, in its own order"};
  }
  std::size_t several = 0, none = 0;
  for (std::size_t i = 0; i < labels.rows(); ++i) {
    several += labels.row(i).size() > 1 ? 1 : 0;
    none += labels.row(i).empty() ? 1 : 0;
  }
  if (several > 0) return {Task::multilabel, fmt::format("{} rows have several labels", several)};
  if (none > 0 && has_labels) return {Task::multilabel, fmt::format("{} rows have no label", none)};
  const auto values = data.values.entries();
  if (!values.empty() && !all_whole(values)) {
    return {Task::regression, "the targets are numbers, and not all whole"};
  }
  const std::size_t different = different_values(values);
  if (different > many_values && 2 * different > values.size()) {
    return {Task::regression, fmt::format("the targets are {} different numbers", different)};
  }
  TaskGuess guess{Task::classification,
                  labels.names.size() == 1
                      ? std::string("every row has the same label")
                      : fmt::format("every row has one of {} labels", labels.names.size())};
  if (different > many_classes) {
    guess.doubt = fmt::format(
        "the targets are {} different whole numbers and taken for classes; give `task=regression` "
        "if they are quantities",
        different);
  }
  return guess;
}

metrics::Truth TaskTargets::truth() const {
  return {.labels = labels,
          .rows = rows.view(),
          .queries = queries,
          .classes = classes.empty() ? outputs : classes.size()};
}

TaskTargets make_targets(const Dataset& data, Task task, std::span<const std::string> classes,
                         std::size_t structure_size) {
  TaskTargets out;
  out.task = task;
  const bool by_name = has_classes(task);
  if (by_name && data.labels.rows() != data.rows()) {
    reject(data, fmt::format("{} rows have labels, of {}; {} needs labels", data.labels.rows(), data.rows(),
                             to_string(task)));
  }
  if (task == Task::tagging) reject(data, "tagging needs sequences of tokens, not rows of features");
  if (by_name) {
    const auto matched = match_classes(data.labels, classes, out);
    const auto read = task == Task::classification ? read_classes
                      : task == Task::proportions  ? read_proportions
                      : task == Task::multilabel   ? read_sets
                                                   : read_orders;
    read(data, matched, out);
    return out;
  }
  if (task == Task::regression) read_numbers(data, classes, out);
  if (task == Task::structured) read_points(data, structure_size, out);
  if (task == Task::ranking) read_relevance(data, out);
  out.kept.resize(data.rows());
  std::iota(out.kept.begin(), out.kept.end(), std::size_t{0});
  return out;
}

void worths_of_order(std::span<const double> relevance, std::span<const double> worths, std::span<double> y) {
  check_size("worths", worths.size(), relevance.size());
  std::vector<std::size_t> order(relevance.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return relevance[a] > relevance[b]; });
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    double sum = 0;
    while (last < order.size() && relevance[order[last]] == relevance[order[first]]) sum += worths[last++];
    for (std::size_t i = first; i < last; ++i) y[order[i]] = sum / static_cast<double>(last - first);
    first = last;
  }
}

template <Real T>
TrainingTargets<T>::TrainingTargets(const TaskTargets& targets, std::span<const double> worths,
                                    bool unit_vectors)
    : labels_(targets.labels), rows_(targets.rows.rows(), targets.outputs) {
  if (unit_vectors && !labels_.empty()) {
    rows_ = Matrix<T>(labels_.size(), targets.outputs);
    for (std::size_t i = 0; i < labels_.size(); ++i) rows_(i, static_cast<std::size_t>(labels_[i])) = 1;
    labels_.clear();
    return;
  }
  std::vector<double> y(targets.outputs);
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    const auto row = targets.rows.row(i).first(targets.outputs);
    if (targets.task == Task::label_ranking) {
      worths_of_order(row, worths, y);
    } else {
      std::ranges::copy(row, y.begin());
    }
    for (std::size_t j = 0; j < y.size(); ++j) rows_(i, j) = static_cast<T>(y[j]);
  }
}
template class TrainingTargets<float>;
template class TrainingTargets<double>;

}  // namespace fenchel
