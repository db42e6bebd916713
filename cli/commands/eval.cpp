// SPDX-License-Identifier: Apache-2.0
// fenchel eval: one JSON case per line in, one result or error per line out, in order.
#include <fmt/core.h>

#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/eval_divergences.hpp"
#include "commands/eval_structures.hpp"
#include "commands/json_fields.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

constexpr int deepest = 64;  // nesting of a case; more is a mistake or an attack on the stack

template <Real T>
void check_target_size(const std::vector<T>& y, const std::vector<T>& theta) {
  check_size("y", y.size(), theta.size());
}

// Ops on scores: the result, and through `report` how the computation went.
template <Real T>
Json evaluate_scores(const std::string& op, const FenchelYoungLoss& loss, const Json& item, Report& report) {
  using Span = std::span<const T>;
  const auto theta = numbers<T>(item, "theta");
  std::vector<T> out(theta.size());
  if (op == "predict") {
    report = loss.predict(Span(theta), std::span<T>(out));
    return finite(out);
  }
  const BatchOptions single{.threads = 1, .one_vector = true};
  const MatrixView<const T> scores{Span(theta)};
  double value = 0;
  if (op == "conjugate") {
    report = loss.conjugate(scores, std::span<double>(&value, 1), single);
    return finite(value);
  }
  if (op == "jvp") {
    const auto v = numbers<T>(item, "v");
    check_size("v", v.size(), theta.size());
    report = loss.jvp(Span(theta), Span(v), std::span<T>(out));
    return finite(out);
  }
  const MatrixView<T> gradient{std::span<T>(out)};
  BatchLoss result;
  if (field(item, "y").is_number()) {
    const std::int64_t label = integer(item, "y");
    const Targets<T> target{std::span<const std::int64_t>(&label, 1)};
    result = loss.value_and_gradient(scores, target, {}, gradient, single);
  } else {
    const auto y = numbers<T>(item, "y");
    check_target_size(y, theta);
    result = loss.value_and_gradient(scores, Targets<T>(MatrixView<const T>(Span(y))), {}, gradient, single);
  }
  report = result.report;
  return op == "loss" ? finite(result.total) : finite(out);
}

// The polytope of a structured Ω.
AnyPolytope polytope_of(const AnyRegularizer& omega) {
  const Spec spec = omega.spec();
  const SpecValue* nested = spec.find("polytope");
  if (!nested) reject(fmt::format("hamming is for structures; {} has no polytope", spec.name));
  return make_polytope(*std::get<std::shared_ptr<const Spec>>(*nested));
}

// "cost": 0/1, a vector, or a matrix with a row per true class.
Cost table_of(const Json& cost) {
  if (cost == "zero_one") return zero_one_cost();
  const Json fields{{"cost", cost}};
  if (!cost.is_array() || cost.empty() || !cost.front().is_array()) return numbers<double>(fields, "cost");
  std::vector<std::vector<double>> rows;
  for (const Json& row : cost) {
    rows.push_back(numbers<double>(Json{{"cost", row}}, "cost"));
    check_size("a row of cost", rows.back().size(), cost.size());
  }
  return rows;
}

// The cost that "cost" or "hamming": scale asks for.
Cost cost_of(const std::string& op, const Json& item, const AnyRegularizer& omega) {
  const auto table = item.find("cost");
  const auto found = item.find("hamming");
  if ((table != item.end() || found != item.end()) && op != "loss" && op != "gradient" && op != "margin") {
    reject(fmt::format("{} is for loss, gradient and margin; {} has no costs",
                       table != item.end() ? "cost" : "hamming", op));
  }
  if (table != item.end() && found != item.end()) reject("cost and hamming are both given; choose one");
  if (table != item.end()) return table_of(*table);
  if (found == item.end()) return {};
  const double scale = number("hamming", *found);
  check_finite("hamming", scale);
  check_at_least("hamming", scale, 0);
  return hamming_cost(polytope_of(omega), scale);
}

// A loss with the cost of its name, or with the one that the case gives.
FenchelYoungLoss with_given_cost(const std::string& op, const Json& item, const LossChoice& choice) {
  Cost given = cost_of(op, item, choice.loss.omega());
  if (choice.loss.cost().empty()) return choice.loss.with_cost(std::move(given));
  if (!given.empty()) reject(fmt::format("omega is {}, which has a cost already", choice.text));
  return choice.loss;
}

Json margin_of(const Json& item, const FenchelYoungLoss& loss) {
  std::optional<double> margin;
  if (const auto dimension = loss.omega().dimension(); dimension && !item.contains("d")) {
    margin = loss.margin(*dimension);
  } else {
    const std::int64_t d = integer(item, "d");
    if (d < 1 || d > std::int64_t{1} << 40) reject(fmt::format("d is {}; expected a number of classes", d));
    margin = loss.margin(static_cast<std::size_t>(d));
  }
  return margin ? finite(*margin) : Json(nullptr);
}

// The length of the vectors of a case over structures, before an Ω that lists them all is made.
void check_dimension(const Json& item, const std::string& omega) {
  const Spec spec = parse_spec(omega);
  const SpecValue* nested = spec.find("polytope");
  const auto* polytope = nested ? std::get_if<std::shared_ptr<const Spec>>(nested) : nullptr;
  if (!polytope) return;  // or something else, which make_regularizer rejects
  const std::size_t dimension = make_polytope(**polytope).dimension();
  for (const char* name : {"theta", "mu", "eta", "y", "v"}) {
    const auto vector = item.find(name);
    if (vector != item.end() && vector->is_array()) check_size(name, vector->size(), dimension);
  }
}

template <Real T>
Json evaluate(const Json& item, Report& report) {
  const Json& name = field(item, "op");
  if (!name.is_string()) reject(fmt::format("op is {}; expected a string", name.dump().substr(0, 60)));
  const auto op = name.get<std::string>();
  if (item.contains("polytope")) return evaluate_structures<T>(op, item, report);
  if (const auto result = evaluate_plain(op, item)) return *result;
  const Json& omega = field(item, "omega");
  if (!omega.is_string() && !omega.is_object()) {
    reject(fmt::format("omega is {}; expected an object with a name, or name:key=value",
                       omega.dump().substr(0, 60)));
  }
  const std::string text = omega.is_string() ? omega.get<std::string>() : omega.dump();
  check_dimension(item, text);
  const LossChoice choice = resolve_loss(text);
  const AnyRegularizer& regularizer = choice.loss.omega();
  const FenchelYoungLoss loss = with_given_cost(op, item, choice);
  if (op == "predict" || op == "conjugate" || op == "loss" || op == "gradient" || op == "jvp") {
    return evaluate_scores<T>(op, loss, item, report);
  }
  if (op == "value") {
    const auto mu = numbers<T>(item, "mu");
    check_point("mu", std::span<const T>(mu), loss.traits().domain);
    const auto solved = loss.solve_regularizer(std::vector<double>(mu.begin(), mu.end()));
    report = solved.report;
    return finite(solved.value);
  }
  if (op == "prox") {
    const auto eta = numbers<T>(item, "eta");
    std::vector<T> out(eta.size());
    report = loss.prox(std::span<const T>(eta), number("tau", field(item, "tau")), std::span<T>(out));
    return finite(out);
  }
  if (op == "margin") return margin_of(item, loss);
  if (const auto result = evaluate_divergence(op, regularizer, item)) {
    if (!loss.cost().empty()) {
      reject(fmt::format("omega is {}, which has a cost; {} is of an omega without one", choice.text, op));
    }
    return *result;
  }
  reject(fmt::format(
      "unknown op '{}'; expected predict, conjugate, value, loss, gradient, prox, jvp, margin, link, "
      "or another of fenchel eval --help",
      op));
}

// One line: the answer, and whether it is a result.
template <Real T>
bool answer(const std::string& line, std::string& text) {
  Json id = nullptr;
  nlohmann::ordered_json reply;
  bool good = true;
  try {
    auto shallow = [](int depth, Json::parse_event_t, Json&) {
      if (depth > deepest) reject(fmt::format("the case is nested more than {} deep", deepest));
      return true;
    };
    const Json item = Json::parse(line, shallow);
    if (!item.is_object()) reject("the line is not a JSON object");
    if (const auto found = item.find("id"); found != item.end()) id = *found;
    Report report;
    const Json result = evaluate<T>(item, report);
    reply = {{"id", id}, {"result", result}};
    if (!report.converged()) reply["status"] = to_string(report.status);
  } catch (const Json::parse_error& error) {
    reply = {{"id", id}, {"error", fmt::format("the line is not JSON, as its byte {} shows", error.byte)}};
    good = false;
  } catch (const std::exception& error) {
    reply = {{"id", id}, {"error", error.what()}};
    good = false;
  }
  text = json_text(reply);  // a message may quote invalid UTF-8
  return good;
}

// Every line of stdin; the exit status.
template <Real T>
int answer_lines() {
  std::ios::sync_with_stdio(false);
  int status = 0;
  std::string line, text;
  while (std::cout && std::getline(std::cin, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (!answer<T>(line, text)) status = 1;
    std::cout << text << '\n';
    if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();  // somebody may be waiting for the answer
  }
  return std::cout.flush() ? status : 2;
}

}  // namespace

void add_eval(Command& program) {
  Command command = program.subcommand("eval", "Evaluate JSON cases from standard input, one per line");
  auto single = std::make_shared<bool>(false);
  command.flag("--float", *single, "compute in single precision");
  command.footer(
      "Ops: predict, conjugate, loss, gradient, jvp (theta, y or v), value (mu), prox (eta, tau), margin "
      "(d),\n"
      "link (mu), bregman_divergence (y, mu), proper_loss (p, y), expected_loss and regret (theta, p, "
      "outcomes),\n"
      "bayes_risk and bregman_information (p, outcomes), binary_loss (s, y: 1 or -1). Outcomes are the "
      "values "
      "of Y,\n"
      "one per entry of p; the classes if they are left out. Without an omega: kullback_leibler (y, mu),\n"
      "project (x, set: {\"name\": \"box\", \"lower\": 0, \"upper\": 1}, ball, half_space, hyperplane or "
      "box_section),\n"
      "brier_score (p, y) and binary_loss with a loss: logistic, modified_huber, smoothed_hinge, hinge or "
      "perceptron.\n"
      "Over structures, with a polytope instead of omega: map, marginals, log_partition, entropy, project,\n"
      "project_kl, sparsemap, covariance (v), log_probability (y), k_best (k), sample (count, seed),\n"
      "smoothed_maximum (smoothing: an omega over the simplex, temperature; over paths).\n"
      "\"cost\" adds costs to the scores of a loss: a list, a list of lists with a row per true class, or "
      "\"zero_one\";\n"
      "\"hamming\": 1 adds the Hamming cost to the loss of an omega over structures.\n"
      "An omega may also be the name of a loss, such as hinge or \"sparsemax+margin\", whose cost is in "
      "loss, "
      "gradient and margin.\n"
      "A target y is a list, or an integer label. A score may be \"-inf\", which masks a class.\n"
      "A bad line gives an error line; the exit status is then 1.\n"
      "Example:\n"
      "  echo '{\"op\": \"predict\", \"omega\": \"tsallis:alpha=1.5\", \"theta\": [1.6, 0.4, -1]}' | fenchel "
      "eval");
  command.action([single] { return *single ? answer_lines<float>() : answer_lines<double>(); });
}

}  // namespace fenchel::cli
