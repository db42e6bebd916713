// SPDX-License-Identifier: Apache-2.0
// Every solver on every problem of the matrix. Findings: a crash or a hang; parameters or an objective that
// are not finite and not said to have diverged, or saved; an objective that is not that of the parameters;
// "converged" well above what another solver reached.
//   fenchel_matrix [--every N] [--first K] [--last L]   only every N-th problem, from the K-th to the L-th
// The solvers run in a child process that tells where it is, so that a crash has a name and the rest goes on.
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "fenchel/models/model_file.hpp"
#include "fenchel/models/task_targets.hpp"
#include "fenchel/training/solver.hpp"
#include "fenchel/training/train.hpp"
#include "matrix_problems.hpp"

namespace fenchel::campaign {
namespace {

constexpr int hang_seconds = 60;  // a case takes milliseconds, the slowest some seconds
// Solvers without a gap stop when they hardly move, which bounds no distance: what counts here is an answer
// that is wrong, not one that is imprecise. Relative to the objective at W = 0.
constexpr double far = 1e-2;
constexpr double rounding = 1e-6;         // of an objective summed in another order
constexpr double single_rounding = 1e-3;  // of one whose scores are single precision

double rounding_of(const MatrixProblem& problem) {
  return problem.keeping == Keeping::single ? single_rounding : rounding;
}

struct Case {
  const MatrixProblem* problem;
  std::string solver;
};

// What a child says about a case.
struct Outcome {
  enum Kind : int { refused, finished, not_finite, saved_not_finite, other_objective, unexpected } kind;
  bool converged;
  double objective;
  double gap;  // infinite where none is known
  char text[200];
};
struct Message {
  std::size_t index;
  bool begins;
  Outcome outcome;
};

bool all_finite(std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

Outcome judge(const MatrixProblem& problem, const Dataset& data, Fit& fit, const StepReport& step) {
  const Algorithm& algorithm = fit.algorithm();
  const Report report = algorithm.report();
  Outcome outcome{Outcome::finished, report.converged(), step.objective, step.gap.value_or(HUGE_VAL), {}};
  const bool finite = all_finite(algorithm.parameters());
  if (to_string(report.status) == "diverged") return outcome;
  if (!finite || !std::isfinite(step.objective)) {
    outcome.kind = Outcome::not_finite;
    fmt::format_to_n(outcome.text, sizeof(outcome.text) - 1, "{}, objective {}, parameters {}",
                     to_string(report.status), step.objective, finite ? "finite" : "not finite");
    try {
      if (!finite && !model_bytes(fit.model()).empty()) outcome.kind = Outcome::saved_not_finite;
    } catch (const std::invalid_argument&) {
    } catch (const std::runtime_error&) {
    }
    return outcome;
  }
  const auto [plain, terms] = plain_objective(problem, data, algorithm.parameters());
  const double slack = rounding_of(problem) * (std::abs(plain) + std::abs(step.objective) + 1) + terms;
  if (std::isfinite(plain) && std::abs(plain - step.objective) > slack) {
    outcome.kind = Outcome::other_objective;
    fmt::format_to_n(outcome.text, sizeof(outcome.text) - 1, "{}: it says {}, a plain sum {}",
                     to_string(report.status), step.objective, plain);
  }
  return outcome;
}

Outcome run_case(const Case& which) {
  Outcome outcome{Outcome::refused, false, 0, 0, {}};
  try {
    FitOptions options = which.problem->options;
    options.solver = which.solver;
    const Dataset data = hostile_data(which.problem->data, which.problem->keeping, *options.task);
    const auto fit = make_fit(prepare(data, options), options);
    const StepReport step = run(fit->algorithm());
    return judge(*which.problem, data, *fit, step);
  } catch (const std::invalid_argument&) {  // refused, as promised
  } catch (const std::runtime_error&) {
  } catch (const std::exception& error) {
    outcome.kind = Outcome::unexpected;
    fmt::format_to_n(outcome.text, sizeof(outcome.text) - 1, "exception: {}", error.what());
  }
  return outcome;
}

// The child: all cases from `first` on, each announced and then told about.
[[noreturn]] void run_cases(const std::vector<Case>& cases, std::size_t first, int out) {
  for (std::size_t i = first; i < cases.size(); ++i) {
    Message message{i, true, {}};
    if (::write(out, &message, sizeof(message)) != sizeof(message)) _exit(3);
    message = {i, false, run_case(cases[i])};
    if (::write(out, &message, sizeof(message)) != sizeof(message)) _exit(3);
  }
  _exit(0);
}

class Matrix {
 public:
  explicit Matrix(std::vector<Case> cases) : cases_(std::move(cases)) {}

  void run() {
    for (std::size_t next = 0; next < cases_.size();) next = run_child(next);
    compare();
    for (const auto& [kind, count] : counts_) fmt::print("{:>6} × {}\n", count, kind);
    fmt::print("{} cases, {} refused, {} converged, {} findings\n", cases_.size(), refused_, converged_,
               findings_);
  }
  std::size_t findings() const { return findings_; }

 private:
  // One child, until it ends; the case to go on with.
  std::size_t run_child(std::size_t first) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) run_cases(cases_, first, ends[1]);
    close(ends[1]);
    std::size_t current = first;
    bool hangs = false;
    for (Message message;;) {
      pollfd waiting{ends[0], POLLIN, 0};
      if (poll(&waiting, 1, hang_seconds * 1000) == 0) {
        hangs = true;
        kill(child, SIGKILL);
        break;
      }
      if (::read(ends[0], &message, sizeof(message)) != sizeof(message)) break;  // small writes come whole
      current = message.begins ? message.index : message.index + 1;
      if (!message.begins) note(message.index, message.outcome);
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (current == cases_.size()) return current;
    find(current, hangs ? "hangs" : "crashes", hangs ? "" : fmt::format("wait status {:#x}", status));
    return current + 1;
  }

  void note(std::size_t index, const Outcome& outcome) {
    static constexpr const char* names[] = {
        "", "", "not finite", "not finite and saved", "another objective", "unexpected"};
    if (outcome.kind == Outcome::refused) ++refused_;
    if (outcome.kind > Outcome::finished) find(index, names[outcome.kind], outcome.text);
    if (outcome.kind != Outcome::finished) return;
    if (outcome.converged) ++converged_;
    outcomes_[index] = outcome;
  }

  // "converged" against the best of the solvers on the same problem.
  void compare() {
    std::map<const MatrixProblem*, double> best;
    for (const auto& [index, outcome] : outcomes_) {
      const auto [place, fresh] = best.try_emplace(cases_[index].problem, outcome.objective);
      if (!fresh) place->second = std::min(place->second, outcome.objective);
    }
    for (const auto& [index, outcome] : outcomes_) {
      const MatrixProblem& problem = *cases_[index].problem;
      const double least = best[&problem];
      if (!outcome.converged || !(outcome.objective > least)) continue;
      const Dataset data = hostile_data(problem.data, problem.keeping, *problem.options.task);
      const std::size_t outputs = make_targets(data, *problem.options.task).outputs;
      const std::vector<double> zeros((3 + (problem.options.intercept == Intercept::none ? 0 : 1)) * outputs);
      constexpr double nothing = 1e-250;  // objectives of features that hardly differ from 0
      const double scale = std::abs(plain_objective(problem, data, zeros).value) + std::abs(least) + nothing;
      const double distance = outcome.objective - least;
      if (distance > far * scale || distance > outcome.gap + rounding_of(problem) * scale) {
        find(index, "wrong converged",
             fmt::format("{} with gap {}, another solver reached {}", outcome.objective, outcome.gap, least));
      }
    }
  }

  void find(std::size_t index, const std::string& kind, const std::string& text) {
    ++findings_;
    const Case& which = cases_[index];
    // The first of each kind in full; the others are counted.
    if (counts_[fmt::format("{}: {} on {}", kind, which.solver, which.problem->data)]++ > 0) return;
    fmt::print("finding: {}: {} on {}: {}\n", kind, which.solver, which.problem->description(), text);
    std::fflush(stdout);
  }

  std::vector<Case> cases_;
  std::map<std::size_t, Outcome> outcomes_;
  std::map<std::string, int> counts_;
  std::size_t refused_ = 0, converged_ = 0, findings_ = 0;
};

std::size_t value_of(int argc, char** argv, const char* name, std::size_t otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], name) == 0) return std::stoul(argv[i + 1]);
  }
  return otherwise;
}

}  // namespace
}  // namespace fenchel::campaign

int main(int argc, char** argv) {
  using namespace fenchel;
  using namespace fenchel::campaign;
  const std::size_t every = value_of(argc, argv, "--every", 1), first = value_of(argc, argv, "--first", 0);
  const std::vector<MatrixProblem> problems = all_problems();
  const std::size_t last = std::min(value_of(argc, argv, "--last", problems.size() - 1), problems.size() - 1);
  std::vector<Case> cases;
  for (std::size_t i = first; i <= last; i += every) {
    for (const SolverEntry& entry : solver_list())
      cases.push_back({&problems[i], std::string(entry.traits.name)});
  }
  campaign::Matrix matrix(std::move(cases));
  matrix.run();
  return matrix.findings() > 0 ? 1 : 0;
}
