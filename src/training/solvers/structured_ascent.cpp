// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/structured_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/training/solvers/dual_ascent.hpp"
#include "training/solvers/dual_round.hpp"
#include "training/solvers/stopping_rule.hpp"
#include "training/solvers/structure_shares.hpp"
#include "training/solvers/term_size.hpp"

namespace fenchel {
namespace {

constexpr int most_passes = 16;
// The first round begins without knowing the gaps: near W = 0 losses of sparse Ω cost more than visits.
constexpr int first_passes = 2;
// A visit goes on until the gap of its block is this share of what it was, for so many structures at most.
constexpr double visit_share = 0.1;
constexpr int most_structures = 10;
// Slopes within a mixture are made equal up to this share of the gap of the block.
constexpr double balance_share = 0.01;
constexpr int patience = 60;
constexpr std::size_t evaluation_block = 16;
// Shares that were read sum to 1 but for rounding.
constexpr double shares_rounding = 1e-9;

struct BlockSums {
  double loss = 0;    // w L(θ; y)
  double offset = 0;  // of the dual
  double gap = 0;     // w L(θ; μ)
};

class StructuredAscent final : public StoppedAlgorithm {
 public:
  StructuredAscent(std::shared_ptr<const StructuredExamples> examples, bool random,
                   const TrainOptions& options)
      : StoppedAlgorithm(DualAscent::traits.name, options, patience),
        examples_(std::move(examples)),
        l2_(options.penalty.l2),
        random_(random),
        mixtures_(examples_->size()),
        gaps_(examples_->size()),
        w_(examples_->shape().size),
        buffer_(w_.size()) {
    start_at_targets();
    if (!options.start.empty()) warm_start(options.start);
  }

  std::span<const double> parameters() const override { return proven_.empty() ? w_ : proven_; }
  bool dual_gradient(std::size_t i, std::span<double> out) const override {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto y = scratch.take<double>(out.size());
    const auto cost = scratch.take<double>(out.size());
    if (out.empty()) return true;
    examples_->target(i, y, cost);
    write_mixture(i, out);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = examples_->weight(i) * (out[k] - y[k]);
    return true;
  }

  StepReport step() override {
    run_round();
    evaluate();
    prove();
    return stopping_.judge(now(), parameters());
  }
  StepReport assess() override {
    if (!evaluated_) evaluate();
    prove();
    return stopping_.assess(now(), parameters());
  }

  void visit_state(StateArchive& archive) override {
    archive("progress", stopping_);
    visit_mixtures(archive);
    archive("w", w_);
    archive("evaluated", evaluated_);
    archive.check("evaluated", evaluated_ || stopping_.iterations() == 0);
    if (!archive.reading()) return;
    check_parameters(archive);
    if (evaluated_) evaluate();
  }

 private:
  // The gap is a bound where W follows from the mixtures: nothing is called converged before W was made anew.
  // A run goes on from what it had, whatever its tolerance, unless that was not good enough.
  void prove() {
    proven_.clear();
    if (!stopping_.reached(now())) return;
    std::vector<double> left = std::exchange(w_, sum_of_mixtures());
    evaluate();
    if (stopping_.reached(now())) proven_ = std::exchange(w_, std::move(left));
  }

  bool moves(std::size_t i) const { return examples_->scores_size(i) > 0 && examples_->weight(i) > 0; }

  void write_mixture(std::size_t i, std::span<double> mu) const {
    std::ranges::fill(mu, 0.0);
    const StructureShares& mixture = mixtures_[i];
    for (std::size_t k = 0; k < mixture.size(); ++k) add(mixture.point(k), mixture.shares()[k], mu);
  }

  // μ_i = y_i: W = 0.
  void start_at_targets() {
    Workspace& scratch = thread_workspace();
    std::ranges::fill(w_, 0.0);
    active_.clear();
    for (std::size_t i = 0; i < examples_->size(); ++i) {
      mixtures_[i].clear();
      if (!moves(i)) continue;
      active_.push_back(static_cast<std::uint32_t>(i));
      const Workspace::Frame frame(scratch);
      const auto y = scratch.take<double>(examples_->scores_size(i));
      const auto cost = scratch.take<double>(y.size());
      examples_->target(i, y, cost);
      Structure point;
      assign(y, point);
      insert(i, std::move(point), 1, scratch);
    }
  }

  // Every μ_i becomes the prediction at the parameters given, unless μ = y does better: its dual is 0.
  void warm_start(std::span<const double> start) {
    check_size("start", start.size(), w_.size());
    Workspace& scratch = thread_workspace();
    const double ridge = examples_->ridge();
    for (const std::uint32_t i : active_) {
      const Workspace::Frame frame(scratch);
      const auto u = scratch.take<double>(examples_->scores_size(i));
      const auto y = scratch.take<double>(u.size());
      const auto cost = scratch.take<double>(u.size());
      examples_->scores(i, start, u);
      examples_->target(i, y, cost);
      Mixture mixture;
      for (std::size_t k = 0; k < u.size(); ++k) u[k] = (u[k] + cost[k]) / (ridge > 0 ? ridge : 1);
      if (ridge > 0) {
        examples_->structures(i).project(u, mixture, u, scratch);
      } else {
        mixture.structures.resize(1);
        mixture.weights.assign(1, 1.0);
        examples_->structures(i).map(u, mixture.structures[0], scratch);
      }
      mixtures_[i].clear();
      for (std::size_t k = 0; k < mixture.size(); ++k) {
        if (mixture.weights[k] > 0) insert(i, mixture.structures[k], mixture.weights[k], scratch);
      }
      write_mixture(i, u);
      for (std::size_t k = 0; k < u.size(); ++k) u[k] -= y[k];
      examples_->add(i, u, -examples_->weight(i) / l2_, w_);
    }
    evaluate();
    if (dual_ >= 0) return;
    start_at_targets();
    evaluated_ = false;
  }

  // A new point of μ_i, with its products w r ⟨y, z⟩ + (w²/λ) ⟨A_iᵀy, A_iᵀz⟩.
  void insert(std::size_t i, Structure point, double share, Workspace& scratch) {
    const Workspace::Frame frame(scratch);
    StructureShares& mixture = mixtures_[i];
    const auto dense = scratch.take<double>(examples_->scores_size(i));
    const auto image = scratch.take<double>(dense.size());
    const auto products = scratch.take<double>(mixture.size() + 1);
    write(point, dense);
    examples_->gram(i, dense, buffer_, image);
    const double weight = examples_->weight(i);
    const double ridge = weight * examples_->ridge();
    for (std::size_t k = 0; k < products.size(); ++k) {
      const Structure& other = k < mixture.size() ? mixture.point(k) : point;
      products[k] = ridge * overlap(point, other) + weight * (weight / l2_) * dot(other, image);
    }
    mixture.add(std::move(point), share, products);
  }

  // Returns the gap of the block before its first step.
  double visit(std::size_t i, double negligible) {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const std::size_t size = examples_->scores_size(i);
    const auto slopes = scratch.take<double>(size);
    const auto change = scratch.take<double>(size);
    double first = 0;
    for (int turn = 0; turn < most_structures; ++turn) {
      const StructureShares& mixture = mixtures_[i];
      examples_->scores(i, w_, slopes);
      examples_->add_cost(i, slopes);
      for (std::size_t k = 0; k < mixture.size(); ++k) {
        add(mixture.point(k), -examples_->ridge() * mixture.shares()[k], slopes);
      }
      Structure best;
      double mean = 0;
      for (std::size_t k = 0; k < mixture.size(); ++k) {
        mean += mixture.shares()[k] * dot(mixture.point(k), slopes);
      }
      const double gap = examples_->weight(i) * (examples_->structures(i).map(slopes, best, scratch) - mean);
      if (turn == 0) first = gap;
      if (!std::isfinite(gap) || gap <= std::max(negligible, turn == 0 ? 0 : visit_share * first)) break;
      if (mixture.find(best) == mixture.size()) insert(i, std::move(best), 0, scratch);
      if (!rebalance(i, slopes, change, gap)) break;
    }
    return first;
  }

  // The best shares for the points of μ_i; false where they are so already. `difference` is overwritten.
  bool rebalance(std::size_t i, std::span<const double> slopes, std::span<double> difference, double gap) {
    StructureShares& mixture = mixtures_[i];
    point_slopes_.resize(mixture.size());
    for (std::size_t k = 0; k < mixture.size(); ++k) {
      point_slopes_[k] = examples_->weight(i) * dot(mixture.point(k), slopes);
    }
    before_.assign(mixture.shares().begin(), mixture.shares().end());
    mixture.balance(point_slopes_, balance_share * gap);
    std::ranges::fill(difference, 0.0);
    bool moved = false;
    for (std::size_t k = 0; k < mixture.size(); ++k) {
      const double change = mixture.shares()[k] - before_[k];
      if (change != 0) add(mixture.point(k), change, difference);
      moved |= change != 0;
    }
    if (moved) examples_->add(i, difference, -examples_->weight(i) / l2_, w_);
    mixture.drop_empty();
    return moved;
  }

  void run_round() {
    const DualRound round{.seed = round_seed(seed_, static_cast<std::uint64_t>(stopping_.iterations())),
                          .random = random_,
                          .passes = evaluated_ ? most_passes : first_passes,
                          .negligible = evaluated_ ? DualRound::dropped_share * threshold() : 0};
    std::vector<std::uint32_t> order = active_;
    fenchel::run_round(round, order, [&](std::size_t i) { return visit(i, round.negligible); });
  }

  double threshold() const { return left_out(gap_, examples_->size()); }

  StepReport now() const {
    StepReport report{.objective = objective_, .dual = dual_, .gap = gap_};
    report.residual = StoppingRule::relative_gap(report);
    return report;
  }

  BlockSums evaluate_example(std::size_t i) const {
    if (!moves(i)) return {};
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const std::size_t size = examples_->scores_size(i);
    const auto theta = scratch.take<double>(size);
    const auto gradient = scratch.take<double>(size);
    const auto mu = scratch.take<double>(size);
    const auto y = scratch.take<double>(size);
    const auto cost = scratch.take<double>(size);
    examples_->scores(i, w_, theta);
    BlockSums sums;
    sums.loss = examples_->loss(i, theta, gradient, scratch);
    write_mixture(i, mu);
    examples_->target(i, y, cost);
    double score = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const double change = mu[k] - y[k];
      score += theta[k] * change;
      sums.offset += change * (cost[k] - 0.5 * examples_->ridge() * (mu[k] + y[k]));
    }
    sums.offset *= examples_->weight(i);
    sums.gap = std::max(sums.loss - examples_->weight(i) * score - sums.offset, 0.0);
    return sums;
  }

  void evaluate() {
    std::vector<BlockSums> sums(examples_->size());
    for_each_block(sums.size(), evaluation_block, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) sums[i] = evaluate_example(i);
    });
    const double penalty = 0.5 * l2_ * dot(w_, w_);
    objective_ = penalty;
    dual_ = -penalty;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      objective_ += sums[i].loss;
      dual_ += sums[i].offset;
      gaps_[i] = sums[i].gap;
    }
    gap_ = std::max(objective_ - dual_, 0.0);
    evaluated_ = true;
    active_.clear();
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      if (gaps_[i] > threshold()) active_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  void visit_mixtures(StateArchive& archive) {
    std::vector<std::uint32_t> points(mixtures_.size());
    std::vector<std::uint32_t> sizes, indices;
    std::vector<double> shares, values;
    for (std::size_t i = 0; !archive.reading() && i < mixtures_.size(); ++i) {
      points[i] = static_cast<std::uint32_t>(mixtures_[i].size());
      for (std::size_t k = 0; k < mixtures_[i].size(); ++k) {
        const Structure& point = mixtures_[i].point(k);
        sizes.push_back(static_cast<std::uint32_t>(point.size()));
        shares.push_back(mixtures_[i].shares()[k]);
        for (std::size_t e = 0; e < point.size(); ++e) {
          indices.push_back(point.indices[e]);
          values.push_back(point.value(e));
        }
      }
    }
    archive("points", points);
    archive.resizable("shares", shares);
    archive.check("shares", shares.size() == std::accumulate(points.begin(), points.end(), std::size_t{0}));
    sizes.resize(shares.size());
    archive("sizes", sizes);
    archive.resizable("values", values);
    archive.check("values", values.size() == std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
    indices.resize(values.size());
    archive("indices", indices);
    if (!archive.reading()) return;
    std::size_t point = 0;
    std::size_t entry = 0;
    for (std::size_t i = 0; i < mixtures_.size(); ++i) {
      archive.check("points", moves(i) ? points[i] > 0 : points[i] == 0);
      mixtures_[i].clear();
      double sum = 0;
      for (std::size_t k = 0; k < points[i]; ++k, ++point) {
        const std::size_t size = sizes[point];
        archive.check("shares", shares[point] > 0);
        sum += shares[point];
        restore_point(archive, i,
                      {.indices = {indices.data() + entry, indices.data() + entry + size},
                       .values = {values.data() + entry, values.data() + entry + size}},
                      shares[point]);
        entry += size;
      }
      archive.check("shares", points[i] == 0 || std::abs(sum - 1) <= shares_rounding);
    }
  }

  // A point is the target, or a structure.
  void restore_point(StateArchive& archive, std::size_t i, const Structure& read, double share) {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto dense = scratch.take<double>(examples_->scores_size(i));
    archive.check("indices",
                  std::ranges::adjacent_find(read.indices, std::greater_equal()) == read.indices.end());
    archive.check("indices", read.indices.empty() || read.indices.back() < dense.size());
    const auto y = scratch.take<double>(dense.size());
    const auto cost = scratch.take<double>(dense.size());
    write(read, dense);
    examples_->target(i, y, cost);
    archive.check("values", std::ranges::equal(dense, y) || examples_->structures(i).is_vertex(dense));
    Structure point;
    assign(dense, point);
    archive.check("values", mixtures_[i].find(point) == mixtures_[i].size());
    insert(i, std::move(point), share, scratch);
  }

  // What example i adds to −l2 W.
  void term(std::size_t i, std::span<double> g) const {
    if (moves(i)) return static_cast<void>(dual_gradient(i, g));
    std::ranges::fill(g, 0.0);
  }
  // W as it follows from the mixtures.
  std::vector<double> sum_of_mixtures() const {
    return sum_of_terms(
        *examples_, [&](std::size_t i, std::span<double> g) { term(i, g); }, [&] { return -1 / l2_; });
  }

  void check_parameters(StateArchive& archive) const {
    const auto gradient = [&](std::size_t i, std::span<double> g) { term(i, g); };
    archive.check_data("w", w_, sum_of_mixtures(), rounding_scale(*examples_, l2_, gradient));
  }

  std::shared_ptr<const StructuredExamples> examples_;
  double l2_;
  bool random_;
  std::vector<StructureShares> mixtures_;  // μ_i; empty where an example cannot move
  std::vector<double> gaps_;
  std::vector<std::uint32_t> active_;  // what the next round visits
  std::vector<double> w_;
  std::vector<double> proven_;  // W made anew, where that was near enough to the optimum; else empty
  std::vector<double> buffer_;  // all 0 between uses
  double objective_ = 0;
  double dual_ = 0;
  double gap_ = 0;
  bool evaluated_ = false;
  // Scratch of the visits.
  std::vector<double> point_slopes_, before_;
};

}  // namespace

std::unique_ptr<Algorithm> start_structured_ascent(std::shared_ptr<const StructuredExamples> examples,
                                                   bool random, const TrainOptions& options) {
  return std::make_unique<StructuredAscent>(std::move(examples), random, options);
}

}  // namespace fenchel
