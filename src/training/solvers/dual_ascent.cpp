// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/dual_ascent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/polytopes/any.hpp"
#include "training/solvers/dual_part.hpp"
#include "training/solvers/kernel_ascent.hpp"
#include "training/solvers/requirements.hpp"
#include "training/solvers/stopping_rule.hpp"
#include "training/solvers/structured_ascent.hpp"

namespace fenchel {
namespace {

// Outputs of a separable Ω that one thread takes at a time: a cache line of W.
constexpr std::size_t outputs_of_part = 8;
constexpr int most_passes = 32;
// A round that leaves more of the gap than this is followed by steps on the face that it found.
constexpr double slow_share = 0.95;
// They may cost so many times as much as the round did, and twice as much each time that they pay: raise the
// dual objective by more per update than the round did. Where they do not pay, the next ones wait, twice as
// many rounds each time.
constexpr int first_budget = 2;
// Multiplications, a few milliseconds of them, that they may cost in any case; then a gain of this share of
// the gap pays.
constexpr double cheap_work = 5e6;
constexpr double gained_share = 0.001;
constexpr int largest_budget = 1024;
constexpr int longest_pause = 255;
// Multiplications of an evaluation for which waking other threads costs more than they save.
constexpr std::size_t smallest_parallel_work = 500'000;
// Multiplications of all rounds of one iteration where Ω is 0, a tenth of a millisecond of them, and how many
// rounds these may be.
constexpr double reported_work = 2e5;
constexpr std::uint64_t most_rounds = 64;
// A solver that has not improved the gap by a thousandth in that many rounds will not at working precision.
constexpr int patience = 60;

template <Real T>
class DualAscentTraining final : public StoppedAlgorithm {
 public:
  DualAscentTraining(const LinearProblem<T>& problem, bool random, const TrainOptions& options)
      : StoppedAlgorithm(DualAscent::traits.name, options, patience),
        setup_(problem, options.penalty),
        random_(random),
        w_(problem.shape().size) {
    if (problem.x.size() * problem.outputs < smallest_parallel_work) threads_ = 1;
    const std::size_t width = splits(problem, options.penalty) ? outputs_of_part : problem.outputs;
    for (std::size_t first = 0; first < problem.outputs; first += width) {
      parts_.emplace_back(setup_, first, std::min(width, problem.outputs - first));
    }
    for (DualPart<T>& part : parts_) part.start();
    if (!options.start.empty()) warm_start(options.start);
  }

  std::span<const double> parameters() const override { return w_; }
  bool dual_gradient(std::size_t i, std::span<double> out) const override {
    for (const DualPart<T>& part : parts_) part.dual_gradient(i, out.subspan(part.first(), part.width()));
    return true;
  }

  // A round. Where Ω is 0, as for hinge losses, as many as are worth a report: on small problems they are
  // many, and take microseconds. How many does not depend on the tolerance: a run that goes on by a smaller
  // one is the same as if it had had it from the start.
  StepReport step() override {
    if (!evaluated_) evaluate();  // where to spend the first round
    const auto evaluation = static_cast<double>(setup_.problem.x.size() * problem_outputs());
    const bool many = setup_.dual.ridge() == 0.0;
    double work = 0;
    std::uint64_t count = 0;
    do {
      const std::size_t visits = parts_.front().visits();
      run_round(static_cast<std::uint64_t>(stopping_.iterations()) * most_rounds + count);
      const auto visited = static_cast<double>(parts_.front().visits() - visits);
      work += evaluation * (1 + visited / static_cast<double>(setup_.rows.size()));
    } while (many && ++count < most_rounds && work < reported_work);
    prove();
    return stopping_.judge(now(), w_);
  }

  StepReport assess() override {
    if (!evaluated_) evaluate();
    prove();
    return stopping_.assess(now(), w_);
  }

  void visit_state(StateArchive& archive) override {
    archive("progress", stopping_);
    archive("part", parts_);
    archive("evaluated", evaluated_);
    archive("pause", pause_);
    archive("wait", wait_);
    archive("budget", budget_);
    archive.check("pause", pause_ >= 0 && pause_ <= longest_pause);
    archive.check("wait", wait_ >= 0 && wait_ <= pause_);
    archive.check("budget", budget_ >= first_budget && budget_ <= largest_budget);
    archive.check("evaluated", evaluated_ || stopping_.iterations() == 0);
    if (archive.reading() && evaluated_) evaluate();
  }

 private:
  StepReport now() const {
    StepReport report{.objective = objective_, .dual = objective_ - gap_, .gap = gap_};
    report.residual = StoppingRule::relative_gap(report);
    return report;
  }

  void run_round(std::uint64_t number) {
    const DualRound round{.seed = round_seed(seed_, number),
                          .random = random_,
                          .passes = most_passes,
                          .negligible = DualRound::dropped_share * threshold()};
    const double before = gap_, dual = objective_ - gap_;
    const std::size_t visits = parts_.front().visits();
    for_each_block(parts_.size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) parts_[p].run(round);
    });
    evaluate();
    if (gap_ > slow_share * before && parts_.front().quadratic() && --wait_ < 0) {
      climb(objective_ - gap_ - dual, parts_.front().visits() - visits);
    }
  }

  // The gap is a bound where V follows from the dual variables. Updates leave roundings in it, and what was
  // restored may be off by more: nothing is called converged before V was made anew. A run goes on from what
  // it had, whatever its tolerance, unless that was not good enough.
  void prove() {
    if (!stopping_.reached(now())) return;
    std::vector<typename DualPart<T>::Sums> left;
    for (DualPart<T>& part : parts_) left.push_back(part.renew());
    evaluate();
    if (!stopping_.reached(now())) return;
    for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].put_back(std::move(left[p]));
  }

  static bool splits(const LinearProblem<T>& problem, const Penalty& penalty) {
    return separable_outputs(problem.loss) && !problem.loss.omega().dimension() && penalty.group == 0;
  }

  // On the faces of the simplices; there is one part where Ω is on these. `risen` is what the round before
  // has gained, in so many updates.
  void climb(double risen, std::size_t updates) {
    DualPart<T>& part = parts_.front();
    const std::size_t visits = part.visits();
    const double work = static_cast<double>(setup_.problem.x.size() * problem_outputs());
    const double cheap_visits = cheap_work * static_cast<double>(setup_.rows.size()) / std::max(work, 1.0);
    const double budget = std::max(static_cast<double>(budget_) * static_cast<double>(updates), cheap_visits);
    const double gained = part.climb_faces(static_cast<std::size_t>(budget));
    const auto cost = static_cast<double>(part.visits() - visits);
    const bool pays = gained * static_cast<double>(updates) > risen * cost ||
                      (cost <= cheap_visits && gained >= gained_share * gap_);
    budget_ = pays ? std::min(2 * budget_, largest_budget) : first_budget;
    pause_ = pays ? 0 : std::min(2 * pause_ + 1, longest_pause);
    wait_ = pause_;
    evaluate();
  }

  double threshold() const { return left_out(gap_, setup_.rows.size() * parts_.size()); }

  // ŷ_Ω at the parameters given, unless μ = y does better: its dual objective is 0.
  void warm_start(std::span<const double> start) {
    check_size("start", start.size(), w_.size());
    std::vector<double> slice;
    for (DualPart<T>& part : parts_) {
      slice.resize(setup_.rows.features() * part.width());
      for (std::size_t j = 0; j < setup_.rows.features(); ++j) {
        std::copy_n(start.data() + j * problem_outputs() + part.first(), part.width(),
                    slice.data() + j * part.width());
      }
      part.start_at(slice);
    }
    evaluate();
    if (objective_ - gap_ >= 0) return;
    for (DualPart<T>& part : parts_) part.start();
    evaluated_ = false;
  }

  std::size_t problem_outputs() const { return setup_.problem.outputs; }

  void evaluate() {
    std::vector<DualSums> sums(parts_.size());
    if (parts_.size() == 1) {
      sums[0] = parts_.front().evaluate(w_, threads_);
    } else {
      for_each_block(parts_.size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
        std::vector<double> slice;
        for (std::size_t p = begin; p < end; ++p) {
          const DualPart<T>& part = parts_[p];
          slice.resize(setup_.rows.features() * part.width());
          sums[p] = parts_[p].evaluate(slice, 1);
          for (std::size_t j = 0; j < setup_.rows.features(); ++j) {
            std::copy_n(slice.data() + j * part.width(), part.width(),
                        w_.data() + j * problem_outputs() + part.first());
          }
        }
      });
    }
    objective_ = 0;
    gap_ = 0;
    for (const DualSums& sum : sums) {
      objective_ += sum.loss;
      gap_ += sum.gap;
    }
    objective_ += setup_.penalty.value(w_, problem_outputs());
    evaluated_ = true;
    for (DualPart<T>& part : parts_) part.choose(threshold());
  }

  DualSetup<T> setup_;
  bool random_;
  std::vector<DualPart<T>> parts_;
  std::vector<double> w_;
  double objective_ = 0;
  double gap_ = 0;
  bool evaluated_ = false;
  int pause_ = 0;  // rounds to wait after the last steps on faces,
  int wait_ = 0;   // and those still to wait
  int budget_ = first_budget;
};

template <Real T>
std::unique_ptr<Algorithm> start_linear(const LinearProblem<T>& problem, bool random,
                                        const TrainOptions& options) {
  return std::make_unique<DualAscentTraining<T>>(problem, random, options);
}

// Where features outnumber examples by this much, dual variables are the smaller problem.
constexpr std::size_t many_features = 4;
// Where the mean of ‖x‖² / λ is at most this, dual ascent needs some tens of passes.
constexpr double largest_norm_over_lambda = 100;
// The same where there are weights enough to tell examples apart: they hardly work against each other then.
constexpr double largest_with_many_weights = 10'000;

// Whether the dual comes near in some tens of passes: they grow with ‖x‖² / λ, as each example's own update
// reaches less far against the others'. Standardised features, for one, make ‖x‖² as large as their number.
template <Real T>
bool few_passes(const LinearProblem<T>& problem, double l2) {
  const LinearRows<T> rows(problem);
  double norms = 0;
  for (std::size_t i = 0; i < problem.examples(); ++i) norms += rows.squared_norm(i);
  const double center = squared_norm(problem.center);
  return norms <= static_cast<double>(problem.examples()) * (center + largest_norm_over_lambda * l2);
}

// Examples are numbered by 32 bits.
std::optional<Refusal> refuse_many(std::size_t examples) {
  if (examples <= std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return Refusal{fmt::format("{} examples; expected fewer than 2^32", examples)};
}

template <class Kind>
std::optional<Refusal> refuse_any(const Kind& problem) {
  if (!problem.loss.traits().convex) {
    return Refusal{
        fmt::format("{} is not convex and has no proximity operator", to_json(problem.loss.omega().spec()))};
  }
  return refuse_many(problem.examples());
}

template <Real T>
std::optional<Refusal> refuse(const KernelProblem<T>& problem, const Penalty& penalty) {
  if (!(penalty.l2 > 0) || !penalty.smooth()) {
    return Refusal{"kernels take the l2 penalty alone, with l2 > 0", {"penalty=l2"}};
  }
  return refuse_any(problem);
}

template <Real T>
std::optional<Refusal> refuse(const LinearProblem<T>& problem, const Penalty& penalty) {
  if (auto refusal = refuse_any(problem)) return refusal;
  if (auto refusal = requirements::no_free_intercept(problem)) return refusal;
  if (!(penalty.l2 > 0)) {
    return Refusal{fmt::format("l2 is {}; expected a penalty with l2 > 0 (l2, elastic net)", penalty.l2)};
  }
  if (!problem.center.empty() && !penalty.smooth()) {
    return Refusal{"features that are centred need the l2 penalty alone", {"scale=maxabs"}};
  }
  return std::nullopt;
}

// Over chains a dual variable is a mixture of sequences, whose Ω has to follow from their products.
std::optional<Refusal> refuse(const ChainProblem& problem, const Penalty& penalty) {
  if (auto refusal = refuse_many(problem.data.sentence_count())) return refusal;
  const FenchelYoungLoss loss = problem.loss(1).loss;
  if (!loss.omega().ridge() || !loss.omega().polytope()) {
    return Refusal{fmt::format(
        "trains taggers whose omega is (r/2)‖μ‖² or 0 over sequences (sparsemap, hinge, perceptron), not {}",
        loss.traits().name)};
  }
  if (!(penalty.l2 > 0) || !penalty.smooth()) {
    return Refusal{"taggers take the l2 penalty alone, with l2 > 0", {"penalty=l2"}};
  }
  return std::nullopt;
}

template <Real T>
std::optional<std::string> suit(const KernelProblem<T>&, const Penalty&) {
  return "kernel models are trained through the dual";
}

template <Real T>
std::optional<std::string> suit(const LinearProblem<T>& problem, const Penalty& penalty) {
  const Traits traits = problem.loss.traits();
  if (penalty.l2 == 0 || problem.intercept == Intercept::free || !traits.convex) return std::nullopt;
  if (!problem.loss.omega().has_prox()) return std::nullopt;  // every update would be a search
  if (!traits.strictly_convex) {
    const AnyPolytope* set = problem.loss.omega().polytope();
    const bool projects = set != nullptr && set->offers(Oracle::project);
    if (traits.domain == Domain::polytope && !projects && penalty.smooth()) return std::nullopt;
    return fmt::format(
        "the loss of {} has kinks, which the dual does not mind, and the duality gap tells when to stop",
        traits.name);
  }
  if (!penalty.smooth() || !traits.strongly_convex || traits.domain == Domain::polytope ||
      !problem.x.sparse()) {
    return std::nullopt;
  }
  if (problem.features() > many_features * problem.examples()) {
    return fmt::format("{} sparse examples with {} features: the dual is the smaller problem",
                       problem.examples(), problem.features());
  }
  if (problem.loss.omega().ridge() && few_passes(problem, penalty.l2)) {
    return "sparse examples, and a step of the dual costs hardly more than reading one";
  }
  return std::nullopt;
}

// The same for sentences, whose A_iᵀy has an entry for every attribute and pair of labels.
bool few_passes(const ChainProblem& problem, double l2) {
  const TaggerData& data = problem.data;
  double norms = static_cast<double>(data.tokens());
  for (std::size_t k = 0; k < data.attributes.size(); ++k) {
    const double value = data.values.empty() ? 1 : static_cast<double>(data.values[k]);
    norms += value * value;
  }
  const bool many_weights = problem.features.parameters() >= data.tokens();
  const double largest = many_weights ? largest_with_many_weights : largest_norm_over_lambda;
  return norms <= static_cast<double>(data.sentence_count()) * largest * l2;
}

std::optional<std::string> suit(const ChainProblem& problem, const Penalty& penalty) {
  if (refuse(problem, penalty)) return std::nullopt;
  if (problem.loss(1).loss.traits().strictly_convex && !few_passes(problem, penalty.l2)) return std::nullopt;
  return "its steps need a best sequence only, and the duality gap tells when to stop";
}

}  // namespace

void DualAscent::check() const { requirements::random_order(order); }

std::optional<Refusal> DualAscent::refuses(const Problem& problem, const TrainOptions& options) const {
  return std::visit(
      [&](const auto& kind) -> std::optional<Refusal> {
        if constexpr (requires { refuse(kind, options.penalty); }) {
          return refuse(kind, options.penalty);
        } else {
          return Refusal{
              fmt::format("trains linear and kernel models and taggers, not {}", facts_of(problem).kind)};
        }
      },
      problem);
}

std::optional<std::string> DualAscent::suits(const Problem& problem, const TrainOptions& options) const {
  return std::visit(
      [&](const auto& kind) -> std::optional<std::string> {
        if constexpr (requires { suit(kind, options.penalty); }) {
          return suit(kind, options.penalty);
        } else {
          return std::nullopt;
        }
      },
      problem);
}

std::unique_ptr<Algorithm> DualAscent::start(const Problem& problem, const TrainOptions& asked) const {
  const TrainOptions options = requirements::accept(*this, problem, asked);
  const bool random = requirements::random_order(order);
  return std::visit(
      [&]<class Kind>(const Kind& kind) -> std::unique_ptr<Algorithm> {
        if constexpr (requires { start_kernel_ascent(kind, random, options); }) {
          return start_kernel_ascent(kind, random, options);
        } else if constexpr (requires { structured_examples(kind); }) {
          return start_structured_ascent(structured_examples(kind), random, options);
        } else if constexpr (requires { suit(kind, options.penalty); }) {
          return start_linear(kind, random, options);
        } else {
          throw std::invalid_argument("dual_ascent trains linear and kernel models and taggers");
        }
      },
      problem);
}

}  // namespace fenchel
