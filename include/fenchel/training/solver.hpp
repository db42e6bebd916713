// SPDX-License-Identifier: Apache-2.0
// What a solver is: an aggregate with its options as members, what it refuses, what it suits best, and a
// start. Adding one is its header, its source and a line in training/all.hpp; the tool, Python, `auto`, the
// table in docs/training.md and the tests iterate that list.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fenchel/core/spec.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/problem.hpp"

namespace fenchel {

struct TrainOptions;

/// What is known about a solver. Texts are for people.
struct SolverTraits {
  std::string_view name = {};   ///< as in the option `solver`
  bool dual = false;            ///< climbs the dual: needs l2 > 0 and an intercept that is not free
  std::string_view about = {};  ///< what it is for
};

/// Why a solver cannot train something. Whoever says so to a user adds a solver that can.
struct Refusal {
  std::string reason;                     ///< with options between backticks, as OptionError takes them
  std::vector<std::string> instead = {};  ///< settings with which it could: "penalty=l2"
};

/// A solver.
template <class S>
concept Solver = requires(const S& solver, const Problem& problem, const TrainOptions& options) {
  { S::traits } -> std::convertible_to<SolverTraits>;
  S::parameters();
  { solver.refuses(problem, options) } -> std::same_as<std::optional<Refusal>>;
  { solver.suits(problem, options) } -> std::same_as<std::optional<std::string>>;
  { solver.start(problem, options) } -> std::same_as<std::unique_ptr<Algorithm>>;
};

/// Any solver, or none yet: then `auto` chooses one for the problem.
class AnySolver {
 public:
  AnySolver() = default;
  // NOLINTBEGIN(google-explicit-constructor): every solver is one, and so is its text
  AnySolver(std::string_view text);
  AnySolver(const std::string& text) : AnySolver(std::string_view(text)) {}
  AnySolver(const char* text) : AnySolver(std::string_view(text)) {}
  template <Solver S>
  AnySolver(S solver) : model_(std::make_shared<const Model<S>>(std::move(solver))) {}
  // NOLINTEND(google-explicit-constructor)

  bool automatic() const { return !model_; }
  /// `auto` until one is chosen; the functions below need a choice.
  std::string_view name() const { return model_ ? model_->traits().name : "auto"; }
  SolverTraits traits() const { return model_->traits(); }
  Spec spec() const { return model_->spec(); }
  /// The name where it says everything, else the JSON of the spec.
  std::string text() const;
  /// Why it cannot train this; nothing where it can.
  std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const {
    return model_->refuses(problem, options);
  }
  /// Why it is the one to take, in words; nothing where another is as good or better.
  std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const {
    return model_->suits(problem, options);
  }
  /// This solver's algorithm at its start; `options.solver` is ignored. The problem's views must outlive it.
  /// With max_iterations = 0 it stays there, and its first step says how good the start is.
  std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& options) const;

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual SolverTraits traits() const = 0;
    virtual Spec spec() const = 0;
    virtual std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const = 0;
    virtual std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const = 0;
    virtual std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& options) const = 0;
  };
  template <class S>
  struct Model final : Interface {
    explicit Model(S wrapped) : solver(std::move(wrapped)) {
      if constexpr (requires { solver.check(); }) solver.check();
    }
    SolverTraits traits() const override { return S::traits; }
    Spec spec() const override { return spec_of(S::traits.name, solver); }
    std::optional<Refusal> refuses(const Problem& problem, const TrainOptions& options) const override {
      return solver.refuses(problem, options);
    }
    std::optional<std::string> suits(const Problem& problem, const TrainOptions& options) const override {
      return solver.suits(problem, options);
    }
    std::unique_ptr<Algorithm> start(const Problem& problem, const TrainOptions& options) const override {
      return solver.start(problem, options);
    }
    S solver;
  };

  std::shared_ptr<const Interface> model_;
};

/// A solver of the list, for tables and tests.
struct SolverEntry {
  SolverTraits traits;
  std::vector<ParameterEntry> parameters;
  AnySolver solver;  ///< with its defaults
};
/// Every solver of training/all.hpp, in its order, which is the order in which `auto` asks them.
const std::vector<SolverEntry>& solver_list();

}  // namespace fenchel
