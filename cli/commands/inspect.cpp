// SPDX-License-Identifier: Apache-2.0
// fenchel inspect: what is in a model file.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/models/model_file.hpp"
#include "support/read_corpus.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::size_t count_nonzero(std::span<const double> values) {
  return values.size() - static_cast<std::size_t>(std::ranges::count(values, 0.0));
}

void describe_head(const ModelHead& model, OrderedJson& out) {
  out["task"] = to_string(model.task);
  out["loss"] = model.loss_name;
  out["omega"] = spec_json(model.loss.omega().spec());
  out["scaling"] = scaling_name(model.scaler.scaling);
  out["temperature"] = model.temperature;
  if (!model.classes.empty()) out["classes"] = model.classes;
}

OrderedJson describe(const LinearModel& model) {
  OrderedJson out{{"kind", ModelKind<LinearModel>::name}};
  describe_head(model, out);
  out["features"] = model.features();
  out["outputs"] = model.outputs();
  out["weights"] = model.weights.entries().size();
  out["nonzero_weights"] = count_nonzero(model.weights.entries());
  if (!model.intercept.empty()) out["intercept"] = model.intercept;
  return out;
}

OrderedJson describe(const KernelPredictor& model) {
  OrderedJson out{{"kind", ModelKind<KernelPredictor>::name}};
  describe_head(model, out);
  out["kernel"] = spec_json(model.expansion.kernel.spec());
  out["features"] = model.features();
  out["outputs"] = model.outputs();
  out["support"] = model.expansion.support.size();
  out["coefficients"] = model.expansion.coefficients.values.size();
  return out;
}

OrderedJson describe(const Tagger& model) {
  OrderedJson out{
      {"kind", ModelKind<Tagger>::name}, {"task", to_string(Task::tagging)}, {"loss", model.loss}};
  out["temperature"] = model.temperature;
  out["classes"] = model.labels.strings();
  out["attributes"] = model.attributes.size();
  out["weights"] = model.parameters.size();
  out["nonzero_weights"] = count_nonzero(model.parameters);
  out["transitions"] = model.features.transitions.size();
  if (!model.templates.empty()) out["templates"] = model.templates;
  if (model.clusters) {
    out["clusters"] = {{"words", model.clusters->size()}, {"clusters", model.clusters->names().size()}};
  }
  return out;
}

// What it was trained on and how its data were read.
template <class Model>
std::map<std::string, std::string> notes_of(const Model& model) {
  auto notes = model.provenance;
  if constexpr (std::is_same_v<Model, Tagger>) {
    if (model.columns > 0) notes.insert_or_assign("columns", std::to_string(model.columns));
  } else {
    if (model.zero_based) notes.insert_or_assign("indices", std::string("0"));
    if (model.format != DataFormat::automatic)
      notes.insert_or_assign("data format", std::string(format_name(model.format)));
  }
  return notes;
}

// Names of what has weights, and the weights of one output.
struct Column {
  std::string title;
  std::vector<std::pair<std::string, double>> largest;
};

template <class Name, class Weight>
Column largest_of(std::string title, std::size_t size, std::size_t top, const Name& name,
                  const Weight& weight) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shown = std::min(top, size);
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown), std::greater<>(),
                            [&](std::size_t j) { return std::abs(weight(j)); });
  Column column{std::move(title), {}};
  for (std::size_t i = 0; i < shown && weight(order[i]) != 0; ++i) {
    column.largest.emplace_back(name(order[i]), weight(order[i]));
  }
  return column;
}

std::vector<Column> largest_weights(const LinearModel& model, std::size_t top) {
  std::vector<Column> columns;
  const auto name = [&](std::size_t j) {
    return model.feature_names.empty() ? fmt::format("feature {}", j + 1) : model.feature_names[j];
  };
  for (std::size_t k = 0; k < model.outputs(); ++k) {
    std::string title = model.classes.empty() ? fmt::format("output {}", k + 1) : model.classes[k];
    columns.push_back(largest_of(std::move(title), model.features(), top, name,
                                 [&, k](std::size_t j) { return model.weights(j, k); }));
  }
  return columns;
}

std::vector<Column> largest_weights(const KernelPredictor& /*model*/, std::size_t /*top*/) { return {}; }

std::vector<Column> largest_weights(const Tagger& model, std::size_t top) {
  const TaggerFeatures& features = model.features;
  const auto label = [&](std::int32_t id) { return std::string(model.labels[id]); };
  std::vector<std::int32_t> owner;  // the attribute of each state weight
  for (std::size_t a = 0; a < features.attributes; ++a)
    owner.resize(features.state_begin(a + 1), static_cast<std::int32_t>(a));
  std::vector<Column> columns;
  columns.push_back(largest_of(
      "states", features.state_weights(), top,
      [&](std::size_t i) {
        return fmt::format("{} -> {}", model.attributes[owner[i]], label(features.label(i)));
      },
      [&](std::size_t i) { return model.parameters[i]; }));
  const auto m = static_cast<std::int32_t>(features.labels);
  columns.push_back(largest_of(
      "transitions", features.transitions.size(), top,
      [&](std::size_t i) {
        return fmt::format("{} -> {}", label(features.transitions[i] / m),
                           label(features.transitions[i] % m));
      },
      [&](std::size_t i) { return model.parameters[features.state_weights() + i]; }));
  return columns;
}

OrderedJson weights_json(const std::vector<Column>& columns) {
  OrderedJson out = OrderedJson::object();
  for (const Column& column : columns) {
    OrderedJson& weights = out[column.title] = OrderedJson::array();
    for (const auto& [name, weight] : column.largest) weights.push_back({{"name", name}, {"weight", weight}});
  }
  return out;
}

void print(const OrderedJson& description, const std::vector<Column>& columns) {
  constexpr std::size_t longest = 60;  // long lists are cut on a screen; --json has all of them
  for (const auto& [key, value] : description.items()) {
    if (key == "provenance") continue;
    std::string text = value.is_string() ? value.get<std::string>() : json_text(value);
    if (text.size() > longest && value.is_array())
      text = fmt::format("{} of them: {} …", value.size(), text.substr(0, longest));
    fmt::print("{:<16} {}\n", key, text);
  }
  for (const auto& [key, value] : description["provenance"].items()) {
    fmt::print("{:<16} {}\n", key, value.get<std::string>());
  }
  if (!columns.empty()) fmt::print("\nlargest weights:\n");
  for (const Column& column : columns) {
    fmt::print("  {:<14}", column.title);
    for (const auto& [name, weight] : column.largest) fmt::print("  {} {:+.4g}", name, weight);
    fmt::print("\n");
  }
}

}  // namespace

void add_inspect(Command& program) {
  struct Flags {
    std::string model;
    std::size_t top = 5;
    bool json = false;
  };
  Command command = program.subcommand("inspect", "Show what is in a model file");
  auto flags = std::make_shared<Flags>();
  command.option("MODEL", flags->model, "a model file", {.required = true});
  command.option("--top", flags->top, "how many features to name per output", {.show_default = true});
  command.flag("--json", flags->json, "one JSON object");
  command.footer("Example:\n  fenchel inspect m.safetensors");
  command.action([flags, command] {
    const AnyModel model = load_model(flags->model);
    std::visit(
        [&](const auto& loaded) {
          OrderedJson description = describe(loaded);
          description["provenance"] = OrderedJson::object();
          for (const auto& [name, value] : notes_of(loaded)) description["provenance"][name] = value;
          const std::vector<Column> columns = largest_weights(loaded, flags->top);
          if (columns.empty() && command.given("--top")) {
            throw std::invalid_argument(fmt::format(
                "--top has no meaning for {}: a kernel model has no weights of features", flags->model));
          }
          if (flags->json) {
            if (!columns.empty()) description["largest_weights"] = weights_json(columns);
            fmt::print("{}\n", json_text(description));
          } else {
            print(description, columns);
          }
        },
        model);
    return 0;
  });
}

}  // namespace fenchel::cli
