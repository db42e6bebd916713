// SPDX-License-Identifier: Apache-2.0
// fenchel solve-compare: the paper's solver comparison (§9.1, "Solver comparison"). Time to ‖p − p*‖₂ < 1e-5
// on the 1.5-Tsallis entropy for bisection, Brent's family (TOMS 748), Newton and FISTA, over draws θ ~ N(0,
// σI) with log σ ~ U(−4, 4).
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "core/atomic_file.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/projections.hpp"
#include "fenchel/solvers/fista_minimizer.hpp"
#include "fenchel/solvers/root.hpp"
#include "kernels/rows.hpp"
#include "support/output_files.hpp"
#include "support/results.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {
namespace {

struct Options {
  std::vector<std::size_t> dimensions{10, 100, 1000, 10000};
  int draws = 200;
  double tolerance = 1e-5;
  std::uint64_t seed = 0;
  int repeats = 3;
  std::string csv;
  bool json = false;
  std::vector<std::string> solvers{"bisection", "brent", "newton", "fista"};
};

constexpr int most_iterations = 20000;  // where FISTA gives up

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(sum);
}

// p(τ) of the 1.5-Tsallis entropy: ([1 + x/2]₊)², x = θ − τ.
constexpr auto curve = [](double x) {
  const double root = std::max(1 + 0.5 * x, 0.0);
  return RootSample{root * root, root};
};

// As the paper's algorithm 1: the best τ after that many iterations, and p(τ) as it is.
void by_root(RootMethod method, int iterations, const std::vector<double>& theta, std::vector<double>& p) {
  const double top = max_of(theta);
  const double share = std::sqrt(1 / static_cast<double>(theta.size()));
  const RootOptions options{.method = method, .max_iterations = iterations};
  const auto excess = [&](double tau) {
    CompensatedSum sum(-1);
    double slope = 0;
    for (const double score : theta) {
      const RootSample sample = curve(score - tau);
      sum += sample.value;
      slope -= sample.slope;
    }
    return RootSample{sum.value(), slope};
  };
  const double tau = find_root(excess, top, top - 2 * (share - 1), options).x;
  for (std::size_t j = 0; j < p.size(); ++j) p[j] = curve(theta[j] - tau).value;
}

Report by_fista(int iterations, const std::vector<double>& theta, std::vector<double>& p,
                FistaMinimizer::Monitor monitor) {
  auto objective = [&](std::span<const double> at, std::span<double> gradient) {
    double total = 0;
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double root = std::sqrt(at[j]);
      total += at[j] * (4.0 / 3 * (root - 1) - theta[j]);
      gradient[j] = 2 * root - 4.0 / 3 - theta[j];
    }
    return total;
  };
  std::ranges::fill(p, 1 / static_cast<double>(p.size()));
  return FistaMinimizer{.tolerance = 0, .max_iterations = iterations}.minimize(
      objective, [](std::span<double> at) { project_simplex(at); }, p, thread_workspace(), monitor);
}

// A run that reaches the tolerance, and how many iterations it takes; 0 if it never does.
int iterations_needed(const std::string& solver, const std::vector<double>& theta,
                      const std::vector<double>& exact, double tolerance) {
  std::vector<double> p(theta.size());
  if (solver == "fista") {
    auto close = [&](std::span<const double> at) {
      double sum = 0;
      for (std::size_t j = 0; j < at.size(); ++j) sum += (at[j] - exact[j]) * (at[j] - exact[j]);
      return std::sqrt(sum) < tolerance;
    };
    const Report report = by_fista(most_iterations, theta, p, close);
    return distance(p, exact) < tolerance ? report.iterations : 0;
  }
  const RootMethod method = *root_method(solver == "brent" ? "toms748" : solver);
  for (int k = 3; k <= 200; ++k) {
    by_root(method, k, theta, p);
    if (distance(p, exact) < tolerance) return k;
  }
  return 0;
}

// The shortest of a few timed runs of exactly that many iterations, in microseconds.
double time_solver(const std::string& solver, int iterations, const std::vector<double>& theta, int repeats) {
  std::vector<double> p(theta.size());
  double best = infinity;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (solver == "fista") {
      by_fista(iterations, theta, p, [](std::span<const double>) { return false; });
    } else {
      by_root(*root_method(solver == "brent" ? "toms748" : solver), iterations, theta, p);
    }
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return best;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return infinity;
  std::ranges::sort(values);
  const double position = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(position);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return std::lerp(values[low], values[high], position - static_cast<double>(low));
}

struct Measurements {
  std::vector<double> micros;
  std::vector<double> iterations;
  int missed = 0;
};

// Every draw of d classes, by every solver; the draws go into a file, if there is one.
std::vector<Measurements> measure(const Options& options, std::size_t d, Random& random, AtomicFile* csv) {
  std::vector<Measurements> columns(options.solvers.size());
  std::vector<double> theta(d), exact(d);
  for (int draw = 0; draw < options.draws; ++draw) {
    const double sigma = std::exp(8 * random.uniform() - 4);
    for (double& score : theta) score = std::sqrt(sigma) * random.normal();
    kernels::entmax15(MatrixView<const double>(theta.data(), 1, d), MatrixView<double>(exact.data(), 1, d),
                      {});
    for (std::size_t s = 0; s < columns.size(); ++s) {
      const int iterations = iterations_needed(options.solvers[s], theta, exact, options.tolerance);
      double micros = infinity;
      if (iterations == 0) {
        ++columns[s].missed;
      } else {
        micros = time_solver(options.solvers[s], iterations, theta, options.repeats);
        columns[s].micros.push_back(micros);
        columns[s].iterations.push_back(iterations);
      }
      if (csv) {
        csv->write(fmt::format("{},{},{:.6g},{},{},{:.4f}\n", d, draw, sigma, options.solvers[s], iterations,
                               micros));
      }
    }
    if (draw % 20 == 19 && !options.json)
      tell_part(fmt::format("\rd = {}: {} of {} draws", d, draw + 1, options.draws));
  }
  if (!options.json) tell_part(fmt::format("\r{:40}\r", ""));
  return columns;
}

// One line of the table.
struct Summary {
  std::size_t d;
  std::string solver;
  double median, low, high, iterations, times_newton;
  int missed;
};

std::vector<Summary> summarize(const Options& options, std::size_t d,
                               const std::vector<Measurements>& columns) {
  const auto newton = std::ranges::find(options.solvers, "newton");
  const double reference =
      newton == options.solvers.end()
          ? std::nan("")
          : quantile(columns[static_cast<std::size_t>(newton - options.solvers.begin())].micros, 0.5);
  std::vector<Summary> lines;
  for (std::size_t s = 0; s < columns.size(); ++s) {
    const double median = quantile(columns[s].micros, 0.5);
    lines.push_back({d, options.solvers[s], median, quantile(columns[s].micros, 0.005),
                     quantile(columns[s].micros, 0.995), quantile(columns[s].iterations, 0.5),
                     median / reference, columns[s].missed});
  }
  return lines;
}

void print_lines(const std::vector<Summary>& lines) {
  for (const Summary& line : lines) {
    fmt::print("{:>8} {:<10} {:>10.2f} {:>10.2f} {:>10.2f} {:>11.0f} {:>8.1f} {:>7}\n", line.d, line.solver,
               line.median, line.low, line.high, line.iterations, line.times_newton, line.missed);
  }
  std::fflush(stdout);
}

nlohmann::ordered_json line_json(const Summary& line) {
  return {{"d", line.d},
          {"solver", line.solver},
          {"microseconds", json_number(line.median)},
          {"microseconds_low", json_number(line.low)},
          {"microseconds_high", json_number(line.high)},
          {"iterations", json_number(line.iterations)},
          {"times_newton", json_number(line.times_newton)},
          {"missed", line.missed}};
}

void compare(const Options& options) {
  std::optional<AtomicFile> csv;
  if (!options.csv.empty()) {
    csv.emplace(options.csv);
    csv->write("d,draw,sigma,solver,iterations,microseconds\n");
  }
  nlohmann::ordered_json out{{"tolerance", options.tolerance},
                             {"draws", options.draws},
                             {"repeats", options.repeats},
                             {"seed", options.seed},
                             {"table", nlohmann::ordered_json::array()}};
  if (!options.json) {
    fmt::print("time to |p - p*| < {:g} on the 1.5-Tsallis entropy, {} draws; microseconds, one thread\n\n",
               options.tolerance, options.draws);
    fmt::print("{:>8} {:<10} {:>10} {:>10} {:>10} {:>11} {:>8} {:>7}\n", "d", "solver", "median", "0.5 %",
               "99.5 %", "iterations", "x newton", "missed");
  }
  Random random(options.seed);
  for (const std::size_t d : options.dimensions) {
    const auto lines = summarize(options, d, measure(options, d, random, csv ? &*csv : nullptr));
    if (!options.json) print_lines(lines);
    for (const Summary& line : lines) out["table"].push_back(line_json(line));
  }
  if (csv) csv->commit();
  if (options.json) fmt::print("{}\n", json_text(out));
}

void check(const Options& options) {
  check_outputs({{"--csv", options.csv}}, {});
  check_greater("--draws", options.draws, 0);
  check_greater("--repeats", options.repeats, 0);
  check_greater("--tolerance", options.tolerance, 0);
  for (const std::size_t d : options.dimensions) check_not_empty("--dims", d);
}

}  // namespace

void add_solve_compare(Command& program) {
  Command command = program.subcommand(
      "solve-compare",
      "The paper's solver comparison: bisection, Brent, Newton and FISTA on the 1.5-Tsallis entropy");
  auto options = std::make_shared<Options>();
  command.option("--dims", options->dimensions, "numbers of classes",
                 {.show_default = true, .separator = ','});
  command.option("--draws", options->draws, "score vectors per d", {.show_default = true});
  command.option("--tolerance", options->tolerance, "accuracy to reach, in the 2-norm",
                 {.show_default = true});
  command.option("--repeats", options->repeats, "timed runs of which the shortest counts",
                 {.show_default = true});
  command.option("--seed", options->seed, "of the draws", {.show_default = true});
  command.option(
      "--solvers", options->solvers, "which to run",
      {.show_default = true, .one_of = {"bisection", "brent", "newton", "fista"}, .separator = ','});
  command.option("--csv", options->csv, "write every draw to this file");
  command.flag("--json", options->json, "one JSON object instead of the table");
  command.footer("Example:\n  fenchel solve-compare --dims 10,100,1000 --draws 50 --csv solvers.csv");
  command.action([options] {
    check(*options);
    compare(*options);
    return 0;
  });
}

}  // namespace fenchel::cli
