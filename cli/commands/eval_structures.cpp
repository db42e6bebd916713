// SPDX-License-Identifier: Apache-2.0
#include "commands/eval_structures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "commands/json_fields.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/gibbs.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "fenchel/regularizers/combinators.hpp"
#include "fenchel/regularizers/smoothed_paths.hpp"
#include "fenchel/regularizers/spec.hpp"

namespace fenchel::cli {
namespace {

constexpr std::int64_t most_structures = 1'000'000;  // in one answer
constexpr std::size_t most_numbers = 20'000'000;     // in one answer: some hundred megabytes while it is made

template <Real T>
Json rounded(const std::vector<double>& values) {
  return finite(std::vector<T>(values.begin(), values.end()));
}

template <Real T>
Json dense(const Structure& y, std::size_t dimension) {
  std::vector<double> vector(dimension);
  write(y, vector);
  return rounded<T>(vector);
}

std::size_t count(const Json& item, const std::string& key) {
  const std::int64_t value = integer(item, key);
  if (value < 1 || value > most_structures) {
    reject(fmt::format("{} is {}; expected a whole number in 1..{}", key, value, most_structures));
  }
  return static_cast<std::size_t>(value);
}

// Structures are written as dense lists: refuses answers of too many numbers.
void check_answer(std::string_view what, std::size_t structures, std::size_t dimension) {
  if (structures <= most_numbers / dimension) return;
  reject(fmt::format("{} gives {} structures of {} entries; expected at most {} numbers in one answer", what,
                     structures, dimension, most_numbers));
}

// The number of structures that θ does not mask, where the set can tell.
double count_structures(const GibbsDistribution& gibbs) {
  if (!gibbs.polytope().offers(Oracle::marginals)) return 0;
  std::vector<double> equal = gibbs.theta();
  for (double& score : equal) score = score == -infinity ? score : 0;
  return std::exp(gibbs.polytope().log_partition(equal, thread_workspace()));
}

template <Real T>
std::vector<double> doubles(const Json& item, const std::string& key) {
  const auto values = numbers<T>(item, key);
  return {values.begin(), values.end()};
}

template <Real T>
Json k_best(const GibbsDistribution& gibbs, const Json& item) {
  const std::size_t k = count(item, "k");
  const std::size_t d = gibbs.theta().size();
  // Before they are looked for, if their number is known.
  check_answer("k", static_cast<std::size_t>(std::min(count_structures(gibbs), static_cast<double>(k))), d);
  const std::vector<Structure> structures = gibbs.k_best(k);
  check_answer("k", structures.size(), d);
  Json list = Json::array();
  for (const Structure& y : structures) {
    list.push_back({{"score", finite(dot(y, gibbs.theta()))}, {"y", dense<T>(y, gibbs.theta().size())}});
  }
  return list;
}

template <Real T>
Json sparsemap(const GibbsDistribution& gibbs, Report& report) {
  const auto sparse = gibbs.sparsemap();
  report = sparse.report;
  Json list = Json::array();
  for (std::size_t i = 0; i < sparse.mixture.size(); ++i) {
    list.push_back({{"weight", sparse.mixture.weights[i]},
                    {"y", dense<T>(sparse.mixture.structures[i], gibbs.theta().size())}});
  }
  return {{"mean", rounded<T>(sparse.mean)}, {"mixture", list}, {"gap", finite(sparse.report.residual)}};
}

template <Real T>
Json samples(const GibbsDistribution& gibbs, const Json& item) {
  const auto seed = item.contains("seed") ? static_cast<std::uint64_t>(integer(item, "seed")) : 0;
  const std::size_t draws = count(item, "count");
  check_answer("count", draws, gibbs.theta().size());
  Json list = Json::array();
  for (const Structure& y : gibbs.sample(draws, seed)) {
    list.push_back(dense<T>(y, gibbs.theta().size()));
  }
  return list;
}

// The smoothed dynamic programme over paths: its value and gradient.
template <Real T>
Json smoothed_maximum(const GibbsDistribution& gibbs, const Json& item, Report& report) {
  const Json smoothing = item.value("smoothing", Json("shannon"));
  if (!smoothing.is_string() && !smoothing.is_object()) {
    reject(
        fmt::format("smoothing is {}; expected an omega over the simplex", smoothing.dump().substr(0, 60)));
  }
  std::string text = smoothing.is_string() ? smoothing.get<std::string>() : smoothing.dump();
  if (text == "gini") text = "sparsemax";  // as the paper calls its entropy
  const SmoothedPaths paths{gibbs.polytope(), make_regularizer(text)};
  const double temperature =
      item.contains("temperature") ? number("temperature", field(item, "temperature")) : 1.0;
  const AnyRegularizer omega = Temperature{paths, temperature};
  std::vector<double> mu(gibbs.theta().size());
  report = omega.predict(gibbs.theta(), mu, thread_workspace());
  return {{"value", finite(omega.conjugate(gibbs.theta(), mu))}, {"gradient", rounded<T>(mu)}};
}

}  // namespace

template <Real T>
nlohmann::json evaluate_structures(const std::string& op, const nlohmann::json& item, Report& report) {
  const Json& set = field(item, "polytope");
  if (!set.is_string() && !set.is_object()) {
    reject(fmt::format("polytope is {}; expected an object with a name, or name:key=value",
                       set.dump().substr(0, 60)));
  }
  using Operation = std::function<Json(const GibbsDistribution&)>;
  const std::map<std::string, Operation> operations{
      {"map", [](const auto& gibbs) { return dense<T>(gibbs.map(), gibbs.theta().size()); }},
      {"marginals", [](const auto& gibbs) { return rounded<T>(gibbs.marginals()); }},
      {"log_partition", [](const auto& gibbs) { return finite(gibbs.log_partition()); }},
      {"entropy", [](const auto& gibbs) { return finite(gibbs.entropy()); }},
      {"project",
       [&](const auto& gibbs) {
         std::vector<double> mu(gibbs.theta().size());
         report = gibbs.project(mu);
         return rounded<T>(mu);
       }},
      {"project_kl",
       [&](const auto& gibbs) {
         std::vector<double> mu(gibbs.theta().size());
         report = gibbs.project_kl(mu);
         return rounded<T>(mu);
       }},
      {"sparsemap", [&](const auto& gibbs) { return sparsemap<T>(gibbs, report); }},
      {"covariance",
       [&](const auto& gibbs) { return rounded<T>(gibbs.covariance_product(doubles<T>(item, "v"))); }},
      {"log_probability",
       [&](const auto& gibbs) { return logarithm(gibbs.log_probability(doubles<T>(item, "y"))); }},
      {"k_best", [&](const auto& gibbs) { return k_best<T>(gibbs, item); }},
      {"sample", [&](const auto& gibbs) { return samples<T>(gibbs, item); }},
      {"smoothed_maximum", [&](const auto& gibbs) { return smoothed_maximum<T>(gibbs, item, report); }}};
  const auto found = operations.find(op);
  if (found == operations.end()) {
    std::string names;
    for (const auto& [name, operation] : operations) names += (names.empty() ? "" : ", ") + name;
    reject(fmt::format("unknown op '{}' for a polytope; expected one of {}", op, names));
  }
  const AnyPolytope polytope = make_polytope(set.is_string() ? set.get<std::string>() : set.dump());
  return found->second(GibbsDistribution(polytope, doubles<T>(item, "theta")));
}

template nlohmann::json evaluate_structures<float>(const std::string&, const nlohmann::json&, Report&);
template nlohmann::json evaluate_structures<double>(const std::string&, const nlohmann::json&, Report&);

}  // namespace fenchel::cli
