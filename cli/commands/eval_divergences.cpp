// SPDX-License-Identifier: Apache-2.0
#include "commands/eval_divergences.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "commands/json_fields.hpp"
#include "fenchel/core/matrix.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/losses/binary.hpp"
#include "fenchel/losses/divergences.hpp"
#include "fenchel/polytopes/convex_sets.hpp"

namespace fenchel::cli {
namespace {

using Numbers = std::vector<double>;

Numbers doubles(const Json& item, const std::string& key) { return numbers<double>(item, key); }

std::size_t label_of(const Json& item, std::size_t classes) {
  const std::int64_t label = integer(item, "y");
  if (label < 0 || static_cast<std::uint64_t>(label) >= classes) {
    reject(fmt::format("y is {}; expected a label in 0..{}", label, classes - 1));
  }
  return static_cast<std::size_t>(label);
}

// A point, or the unit vector of a label.
Numbers point_or_label(const Json& item, std::size_t classes) {
  if (!field(item, "y").is_number()) {
    Numbers y = doubles(item, "y");
    check_size("y", y.size(), classes);
    return y;
  }
  Numbers y(classes);
  y[label_of(item, classes)] = 1;
  return y;
}

// The values of Y, one per row; the classes by default.
Matrix<double> outcomes_of(const Json& item, std::size_t count) {
  const auto found = item.find("outcomes");
  if (found == item.end()) {
    Matrix<double> classes(count, count);
    for (std::size_t i = 0; i < count; ++i) classes(i, i) = 1;
    return classes;
  }
  if (!found->is_array()) reject("outcomes is not a list of lists of numbers");
  check_size("outcomes", found->size(), count);
  Numbers entries;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Numbers row = doubles(Json{{"outcomes", (*found)[i]}}, "outcomes");
    if (i == 0) columns = row.size();
    check_size(fmt::format("outcomes[{}]", i), row.size(), columns);
    entries.insert(entries.end(), row.begin(), row.end());
  }
  return {count, columns, std::move(entries)};
}

Json sample(const binary::Sample& loss) {
  return {{"value", finite(loss.value)}, {"derivative", finite(loss.derivative)}};
}

int sign_of(const Json& item) {
  const std::int64_t y = integer(item, "y");
  if (y != 1 && y != -1) reject(fmt::format("y is {}; expected 1 or -1", y));
  return static_cast<int>(y);
}

}  // namespace

std::optional<Json> evaluate_divergence(const std::string& op, const AnyRegularizer& omega,
                                        const Json& item) {
  if (op == "link") {
    const Numbers mu = doubles(item, "mu");
    Numbers out(mu.size());
    check_point("mu", std::span<const double>(mu), omega.refined_traits().domain);
    omega.check_point("mu", mu);
    omega.gradient(mu, std::span<double>(out), thread_workspace());
    Json list = Json::array();  // infinite at the boundary of the domain for some
    for (const double entry : out) list.push_back(entry == infinity ? Json("inf") : logarithm(entry));
    return list;
  }
  if (op == "bregman_divergence") {
    const Numbers y = doubles(item, "y"), mu = doubles(item, "mu");
    check_size("mu", mu.size(), y.size());
    return finite(bregman_divergence(omega, y, mu));
  }
  if (op == "proper_loss") {
    const Numbers p = doubles(item, "p");
    return finite(proper_loss(omega, p, point_or_label(item, p.size())));
  }
  if (op == "bregman_information" || op == "bayes_risk") {
    const Numbers p = doubles(item, "p");
    const Matrix<double> outcomes = outcomes_of(item, p.size());
    return finite(bregman_information(omega, outcomes.view(), p));
  }
  if (op == "expected_loss" || op == "regret") {
    const Numbers theta = doubles(item, "theta"), p = doubles(item, "p");
    const Matrix<double> outcomes = outcomes_of(item, p.size());
    check_size("theta", theta.size(), outcomes.cols());
    return finite((op == "regret" ? regret : expected_loss)(omega, theta, outcomes.view(), p));
  }
  if (op == "binary_loss") {
    return sample(binary::margin_loss(omega, number("s", field(item, "s")), sign_of(item)));
  }
  return std::nullopt;
}

std::optional<Json> evaluate_plain(const std::string& op, const Json& item) {
  if (op == "kullback_leibler") {
    const Numbers y = doubles(item, "y"), mu = doubles(item, "mu");
    check_size("mu", mu.size(), y.size());
    return finite(kullback_leibler(y, mu));
  }
  if (op == "brier_score") {
    const Numbers p = doubles(item, "p");
    return finite(brier_score(p, label_of(item, p.size())));
  }
  if (op == "project" && item.contains("set")) {
    const Numbers x = doubles(item, "x");
    const Json& set = item["set"];
    Numbers out(x.size());
    project(make_convex_set(set.is_string() ? set.get<std::string>() : set.dump()), x, out);
    return finite(out);
  }
  if (op == "binary_loss" && item.contains("loss")) {
    const Json& name = item["loss"];
    std::vector<std::string_view> names;
    for (const auto& [known, loss] : binary::named_losses()) {
      if (name == known) return sample(loss(number("s", field(item, "s")), sign_of(item)));
      names.push_back(known);
    }
    reject(fmt::format("loss is {}; expected {}, or an omega instead", name.dump().substr(0, 60),
                       fmt::join(names, ", ")));
  }
  return std::nullopt;
}

}  // namespace fenchel::cli
