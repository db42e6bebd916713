// SPDX-License-Identifier: Apache-2.0
#include "support/prediction_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <type_traits>

#include "fenchel/data/npy.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

using Json = nlohmann::ordered_json;

// Outputs that are not 0, largest first (equal ones by score, then by position); only `top` of them unless
// that is 0.
std::vector<std::size_t> largest_outputs(std::span<const double> scores, std::span<const double> outputs,
                                         std::size_t top) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    if (outputs[j] != 0) order.push_back(j);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return outputs[a] != outputs[b] ? outputs[a] > outputs[b] : scores[a] > scores[b];
  });
  if (top > 0 && order.size() > top) order.resize(top);
  return order;
}

template <class Name>
std::string pairs_text(std::span<const double> scores, std::span<const double> outputs, std::size_t top,
                       const Name& name) {
  std::string text;
  for (const std::size_t j : largest_outputs(scores, outputs, top)) {
    text += fmt::format("{}{}:{:.6g}", text.empty() ? "" : "\t", name(j), outputs[j]);
  }
  return text;
}

// Fields of one line of CSV, in quotes where they have to be.
std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ',';
    const bool plain = field.find_first_of(",;\"\r\n\t") == std::string::npos && !field.starts_with(' ') &&
                       !field.ends_with(' ') && (!field.empty() || fields.size() > 1);
    if (plain) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line;
}

std::string answer_text(const Predictions& said, std::size_t i) {
  if (said.task == Task::ranking) return fmt::format("{:.10g}", said.scores.row(i)[0]);
  if (said.task == Task::regression) return fmt::format("{:.10g}", fmt::join(said.outputs.row(i), "\t"));
  if (said.task == Task::structured) {
    return fmt::format("{:.10g}", fmt::join(said.structures.row(i), "\t"));
  }
  return fmt::format("{}", fmt::join(said.names(i), said.task == Task::label_ranking ? ">" : ","));
}

}  // namespace

std::vector<std::pair<std::string, OutputFormat>> output_formats() {
  return {{"tsv", OutputFormat::tsv},
          {"csv", OutputFormat::csv},
          {"jsonl", OutputFormat::jsonl},
          {"npy", OutputFormat::npy}};
}

void PredictionWriter::write(const AnyModel& model, const Corpus& corpus) {
  std::visit(
      [&](const auto& any) {
        if constexpr (std::is_same_v<std::decay_t<decltype(any)>, Tagger>) {
          write_sentences(any, *std::get<std::shared_ptr<const TaggerData>>(corpus.data));
        } else {
          write_rows(any, std::get<Dataset>(corpus.data), corpus.kept);
        }
      },
      model);
}

template <class Model>
void PredictionWriter::write_rows(const Model& model, const Dataset& rows,
                                  const std::vector<KeptColumn>& kept) {
  const PredictOptions options{
      .temperature = options_.temperature, .threads = options_.threads, .rows_before = rows_};
  const Predictions predictions = predict(model, rows, options);
  ignored_ += predictions.ignored;
  report_ = worst(report_, predictions.report);
  if (rows_ == 0) write_header(predictions, model.target, kept);
  std::vector<std::string_view> cells(kept.size());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < kept.size(); ++k) cells[k] = kept[k].cells[i];
    write_row(predictions, i, cells);
  }
}

void PredictionWriter::write_header(const Predictions& said, const std::string& target,
                                    const std::vector<KeptColumn>& kept) {
  for (const KeptColumn& column : kept) kept_names_.push_back(column.name);
  if (options_.format != OutputFormat::csv) return;
  std::vector<std::string> names = kept_names_;
  const std::size_t outputs = said.outputs.cols();
  const bool several = said.task == Task::regression && outputs > 1;
  const auto kept_as = [&](const std::string& name) { return std::ranges::count(kept_names_, name) > 0; };
  std::string prediction = target.empty() || kept_as(target) ? "prediction" : target;
  while (kept_as(prediction)) prediction += "_";
  if (!several) names.push_back(prediction);
  for (std::size_t j = 0; several && j < outputs; ++j) names.push_back(fmt::format("prediction {}", j + 1));
  if (options_.proba) names.insert(names.end(), said.classes.begin(), said.classes.end());
  fmt::print(out_, "{}\n", csv_line(names));
}

void PredictionWriter::write_row(const Predictions& said, std::size_t i,
                                 std::span<const std::string_view> kept) {
  const std::span<const double> scores = said.scores.row(i), outputs = said.outputs.row(i);
  ++rows_;
  switch (options_.format) {
    case OutputFormat::npy:
      cols_ = outputs.size();
      entries_.insert(entries_.end(), outputs.begin(), outputs.end());
      break;
    case OutputFormat::jsonl:
      write_json(said, i, kept);
      break;
    case OutputFormat::csv: {
      std::vector<std::string> cells(kept.begin(), kept.end());
      if (said.task == Task::regression) {
        for (const double value : outputs) cells.push_back(fmt::format("{:.10g}", value));
      } else {
        cells.push_back(answer_text(said, i));
      }
      for (std::size_t j = 0; options_.proba && j < outputs.size(); ++j)
        cells.push_back(fmt::format("{:.10g}", outputs[j]));
      fmt::print(out_, "{}\n", csv_line(cells));
      break;
    }
    case OutputFormat::tsv: {
      for (const std::string_view cell : kept) fmt::print(out_, "{}\t", cell);
      const bool shares = options_.proba || options_.top > 0 || said.task == Task::proportions;
      const auto name = [&](std::size_t j) { return said.classes[j]; };
      const bool points = options_.proba && said.task == Task::structured;
      fmt::print(out_, "{}\n",
                 shares && has_classes(said.task) ? pairs_text(scores, outputs, options_.top, name)
                 : points                         ? fmt::format("{:.10g}", fmt::join(outputs, "\t"))
                                                  : answer_text(said, i));
      break;
    }
  }
}

void PredictionWriter::write_json(const Predictions& said, std::size_t i,
                                  std::span<const std::string_view> kept) {
  const std::span<const double> scores = said.scores.row(i), outputs = said.outputs.row(i);
  Json row;
  for (std::size_t k = 0; k < kept.size(); ++k) row["kept"][kept_names_[k]] = kept[k];
  if (said.task == Task::ranking) {
    row["score"] = json_number(scores[0]);
  } else if (said.task == Task::structured) {
    const auto structure = said.structures.row(i);
    row["structure"] = std::vector<double>(structure.begin(), structure.end());
    row["outputs"] = std::vector<double>(outputs.begin(), outputs.end());
  } else if (said.task == Task::regression) {
    row["value"] = std::vector<double>(outputs.begin(), outputs.end());
  } else {
    const std::vector<std::string_view> labels = said.names(i);
    const bool single = said.task == Task::classification || said.task == Task::proportions;
    row[single ? "label" : "labels"] = single ? Json(labels.front()) : Json(labels);
    Json shares = Json::object();
    for (const std::size_t j : largest_outputs(scores, outputs, options_.top))
      shares[said.classes[j]] = outputs[j];
    row["outputs"] = shares;
  }
  fmt::print(out_, "{}\n", json_text(row));
}

void PredictionWriter::write_sentences(const Tagger& tagger, const TaggerData& data) {
  if (options_.format == OutputFormat::npy || options_.format == OutputFormat::csv) {
    throw std::invalid_argument("tags come in sentences: choose --format tsv or jsonl");
  }
  const TagPredictions said = predict(tagger, data,
                                      {.temperature = options_.temperature,
                                       .threads = options_.threads,
                                       .token_outputs = options_.proba || options_.top > 0});
  report_ = worst(report_, said.report);
  for (std::size_t s = 0; s < data.sentence_count(); ++s) write_sentence(said, s);
}

void PredictionWriter::write_sentence(const TagPredictions& said, std::size_t s) const {
  const auto first = static_cast<std::size_t>(said.sentences[s]);
  const auto end = static_cast<std::size_t>(said.sentences[s + 1]);
  const bool shared = said.outputs.rows() > 0;
  const auto name = [&](std::size_t j) { return said.labels[static_cast<std::int32_t>(j)]; };
  const auto row = [&](std::size_t t) { return said.outputs.row(t); };
  if (options_.format == OutputFormat::jsonl) {
    Json line{{"tags", Json::array()}};
    for (std::size_t t = first; t < end; ++t) {
      line["tags"].push_back(said.tag(t));
      if (!shared) continue;
      Json shares = Json::object();
      for (const std::size_t j : largest_outputs(row(t), row(t), options_.top))
        shares[std::string(name(j))] = row(t)[j];
      line["outputs"].push_back(shares);
    }
    fmt::print(out_, "{}\n", json_text(line));
    return;
  }
  for (std::size_t t = first; t < end; ++t) {
    fmt::print(out_, "{}\n",
               shared ? pairs_text(row(t), row(t), options_.top, name) : std::string(said.tag(t)));
  }
  fmt::print(out_, "\n");
}

void PredictionWriter::finish() {
  if (options_.format == OutputFormat::npy) {
    std::ostringstream bytes;
    write_npy(Matrix<double>(rows_, cols_, std::move(entries_)).view(), bytes);
    const std::string text = std::move(bytes).str();
    std::fwrite(text.data(), 1, text.size(), out_);
  }
  flush();
}

std::vector<std::string> PredictionWriter::remarks() const {
  std::vector<std::string> result;
  if (ignored_ > 0) {
    result.push_back(
        fmt::format("{} entries of features that the model does not have were ignored", ignored_));
  }
  if (!report_.converged())
    result.push_back(fmt::format("some predictions are {}", to_string(report_.status)));
  return result;
}

}  // namespace fenchel::cli
