// SPDX-License-Identifier: Apache-2.0
// Assignment, entropic and Euclidean transport plans, and the transport linear programme, on random scores.
// The passes take turns among a few matrices, so that no branch predictor learns one by heart.
#include <memory>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "peers/structured/registry.hpp"
#include "solvers/assignment.hpp"
#include "solvers/sinkhorn.hpp"
#include "solvers/transport.hpp"
#include "solvers/transport_projection.hpp"

namespace {

using fenchel::bench::Arguments;
using Numbers = std::vector<double>;

constexpr std::size_t matrices = 4;

struct Problem {
  std::size_t n, m;
  std::vector<Numbers> theta;
  Numbers a, b, mu, row_prices, column_prices;
  std::vector<std::uint32_t> columns;
  fenchel::Structure plan;
  fenchel::Workspace scratch;
  std::size_t next = 0;

  Problem(std::size_t rows, std::size_t cols, const std::string& kind)
      : n(rows), m(cols), a(n), b(m), mu(n * m), row_prices(n), column_prices(m), columns(n) {
    fenchel::Random random(11);
    for (std::size_t t = 0; t < matrices; ++t) {
      Numbers& scores = theta.emplace_back(n * m);
      for (std::size_t k = 0; k < n * m; ++k) {
        scores[k] = kind == "integers"   ? -static_cast<double>(random.below(100))
                    : kind == "products" ? -static_cast<double>((k / m + 1) * (k % m + 1))
                                         : -random.uniform();
      }
    }
    if (kind == "masses") {
      fill(a, random);
      fill(b, random);
    } else {
      a.assign(n, 1.0 / static_cast<double>(n));
      b.assign(m, 1.0 / static_cast<double>(m));
    }
  }

  const Numbers& scores() { return theta[next++ % matrices]; }

 private:
  static void fill(Numbers& sums, fenchel::Random& random) {
    double total = 0;
    for (double& entry : sums) total += entry = 0.1 + random.uniform();
    for (double& entry : sums) entry /= total;
  }
};

std::shared_ptr<Problem> problem(const Arguments& arguments) {
  const std::size_t n = arguments.size("n");
  const std::size_t m = std::stoul(arguments.text("m", std::to_string(n)));
  return std::make_shared<Problem>(n, m, arguments.text("kind", "uniform"));
}

const bool added_assignment = fenchel::bench::add_case("assignment", [](const Arguments& arguments) {
  const auto p = problem(arguments);
  return std::function<void()>([=] {
    fenchel::assign_rows(p->scores(), p->n, {p->columns, p->row_prices, p->column_prices}, p->scratch);
  });
});

const bool added_transport = fenchel::bench::add_case("transport", [](const Arguments& arguments) {
  const auto p = problem(arguments);
  return std::function<void()>([=] {
    fenchel::solve_transport(p->scores(), p->a, p->b, {p->plan, p->row_prices, p->column_prices}, p->scratch);
  });
});

const bool added_sinkhorn = fenchel::bench::add_case("sinkhorn", [](const Arguments& arguments) {
  const auto p = problem(arguments);
  const fenchel::Sinkhorn solver{.epsilon = arguments.number("epsilon"),
                                 .tolerance = arguments.number("tolerance")};
  return std::function<void()>([=] { solver.solve(p->scores(), p->a, p->b, p->mu, p->scratch); });
});

// The plan of largest ⟨θ, μ⟩ − ½ gamma ‖μ‖² is the projection of θ/gamma.
const bool added_projection =
    fenchel::bench::add_case("transport_projection", [](const Arguments& arguments) {
      const auto p = problem(arguments);
      for (Numbers& scores : p->theta) {
        for (double& entry : scores) entry /= arguments.number("gamma");
      }
      return std::function<void()>(
          [=] { fenchel::TransportProjection{}.solve(p->scores(), p->a, p->b, p->mu, p->scratch); });
    });

}  // namespace
