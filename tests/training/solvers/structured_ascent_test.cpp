// SPDX-License-Identifier: Apache-2.0
// dual_ascent on taggers, and that all solvers of taggers agree on what they train.
#include "training/solvers/structured_ascent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fenchel/core/numeric.hpp"
#include "fenchel/training/all.hpp"
#include "fenchel/training/train.hpp"
#include "messages.hpp"
#include "training/problems_fixture.hpp"
#include "training/solvers/structure_shares.hpp"

namespace fenchel::test {
namespace {

const std::vector<std::string> quadratic{"sparsemap", "sparsemap:polytope=sequence", "sparsemap+margin",
                                         "hinge", "hinge:polytope=sequence"};

// Sentences with weights, one of them 0, and some labels that are not certain.
TaggerData sentences() {
  const TaggerData hard = random_tagging({.sentences = 14, .labels = 3, .values = true}, 21);
  TaggerData data = hard;
  data.labels.clear();
  for (std::size_t t = 0; t < hard.tokens(); ++t) {
    std::vector<double> p(3);
    p[static_cast<std::size_t>(hard.labels[t])] = t % 4 == 0 ? 0.75 : 1;
    p[static_cast<std::size_t>(hard.labels[t] + 1) % 3] += t % 4 == 0 ? 0.25 : 0;
    data.add_label("p", p);
  }
  for (std::size_t s = 0; s < data.sentence_count(); ++s)
    data.weights.push_back(static_cast<double>(s % 4) / 2);
  return data;
}

class StructuredAscent : public testing::Test {
 protected:
  const TaggerData data = sentences();
  const TaggerFeatures features = tagger_features(data, {.boundary = true});

  ChainProblem problem(const std::string& loss) const {
    return {data, features, TaggingLoss{features.labels, true}(loss)};
  }
  static TrainOptions options(const AnySolver& solver, double tolerance, int iterations = 20000) {
    return {.penalty = L2(0.3),
            .solver = solver,
            .tolerance = tolerance,
            .max_iterations = iterations,
            .threads = 1};
  }
};

TEST_F(StructuredAscent, AllSolversOfTaggersAgree) {
  for (const std::string loss :
       {"sparsemap", "sparsemap:polytope=sequence", "sparsemap+margin", "hinge", "hinge:polytope=sequence",
        "crf", "crf:polytope=sequence", "entropic", "structured_sparsemax"}) {
    SCOPED_TRACE(loss);
    const ChainProblem of = problem(loss);
    const bool smooth = facts_of(of).smooth;
    const double best =
        train(of, options(smooth ? AnySolver(Lbfgs{}) : AnySolver(DualAscent{}), 1e-9)).last_step.objective;
    for (const SolverEntry& entry : solver_list()) {
      if (entry.traits.name == "subgradient") continue;  // it has no gap to stop by
      const bool slow = entry.traits.name == "frank_wolfe";
      const TrainOptions how = options(entry.solver, slow ? 1e-2 : 1e-8, slow ? 300 : 20000);
      if (entry.solver.refuses(of, how)) continue;
      SCOPED_TRACE(entry.traits.name);
      const TrainResult found = train(of, how);
      ASSERT_TRUE(found.last_step.gap || smooth);
      const double gap = found.last_step.gap.value_or(1e-6 * best);
      EXPECT_GE(found.last_step.objective, best * (1 - 1e-8));
      EXPECT_LE(found.last_step.objective, best + gap + 1e-8 * best);
      EXPECT_LE(gap, (slow ? 0.2 : 1e-6) * best);
    }
  }
}

TEST_F(StructuredAscent, ConvergesToATinyGap) {
  for (const std::string& loss : quadratic) {
    const ChainProblem of = problem(loss);
    const TrainResult found = train(of, options(DualAscent{}, 1e-10));
    EXPECT_TRUE(found.report.converged()) << loss << " " << found.report.residual;
    EXPECT_LE(found.report.iterations, 200) << loss;
    // The objective is that of an evaluation of its own.
    std::vector<double> gradient(found.parameters.size());
    const double value =
        make_objective(of, 1)->evaluate(found.parameters, gradient) + L2(0.3).value(found.parameters, 1);
    EXPECT_NEAR(value, found.last_step.objective, 1e-9 * value) << loss;
  }
}

TEST_F(StructuredAscent, SameBitsForAnyNumberOfThreads) {
  for (const std::string& loss : quadratic) {
    TrainOptions how = options(DualAscent{}, 1e-6);
    const std::vector<double> one = train(problem(loss), how).parameters;
    how.threads = 3;
    EXPECT_EQ(train(problem(loss), how).parameters, one) << loss;
  }
}

TEST_F(StructuredAscent, ResumesWithTheSameBits) {
  for (const std::string& loss : quadratic) {
    SCOPED_TRACE(loss);
    const ChainProblem of = problem(loss);
    for (const int before : {0, 1, 4}) {
      expect_resumes([&] { return DualAscent{}.start(of, options(DualAscent{}, 0)); }, before, 3);
    }
  }
}

TEST_F(StructuredAscent, RefusesForeignStates) {
  const ChainProblem of = problem("sparsemap");
  const auto algorithm = DualAscent{}.start(of, options(DualAscent{}, 0));
  for (int k = 0; k < 3; ++k) algorithm->step();
  const auto refused = [&](const std::string& name, const auto& change) {
    State state = algorithm->save();
    auto values = state.array<double>(name);
    change(values);
    state.set(name, values);
    const auto other = DualAscent{}.start(of, options(DualAscent{}, 0));
    return message_of([&] { other->restore(state); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(refused("shares", [](auto& shares) { shares[0] += 0.1; }), HasSubstr("shares"));
  EXPECT_THAT(refused("shares", [](auto& shares) { shares[0] = -shares[0]; }), HasSubstr("shares"));
  EXPECT_THAT(refused("values", [](auto& values) { values[0] = 0.5; }), HasSubstr("values"));
  EXPECT_THAT(refused("w", [](auto& w) { w[0] += 0.1; }), HasSubstr("w"));
}

TEST_F(StructuredAscent, TakesOmegasThatFollowFromProducts) {
  for (const std::string loss : {"crf", "structured_sparsemax", "entropic", "hinge", "sparsemap"}) {
    for (const Penalty& penalty :
         {Penalty(L2(1)), Penalty(L1(1)), Penalty(ElasticNet(1, 1)), Penalty(NoPenalty())}) {
      TrainOptions how = options(DualAscent{}, 1e-3);
      how.penalty = penalty;
      const bool refused = DualAscent{}.refuses(problem(loss), how).has_value();
      const bool takes = penalty.l2 > 0 && penalty.smooth() && (loss == "hinge" || loss == "sparsemap");
      EXPECT_EQ(refused, !takes) << loss;  // solver_test.cpp says what refusals advise
    }
  }
}

// Sentences that contradict each other: W is next to nothing, and rounding is as large as their terms.
TEST(StructuredStates, OfSumsThatCancelComeBack) {
  TaggerData data;
  for (const std::string labels : {"XYab", "XYcd", "YXab", "YXcd"}) {
    for (std::size_t t = 0; t < 2; ++t) {
      data.attributes.push_back(data.attribute_names.add(labels.substr(2 + t, 1)));
      data.offsets.push_back(static_cast<std::int64_t>(data.attributes.size()));
      data.labels.push_back(data.label_names.add(labels.substr(t, 1)));
    }
    data.sentences.push_back(static_cast<std::int64_t>(data.tokens()));
  }
  const TaggerFeatures features = tagger_features(data, {.all_states = true, .all_transitions = true});
  for (const char* solver : {"dual_ascent", "frank_wolfe"}) {
    for (const char* loss : {"sparsemap", "hinge"}) {
      const ChainProblem problem{data, features, TaggingLoss{features.labels}(loss)};
      const TrainOptions options{
          .penalty = L2(0.1), .solver = solver, .tolerance = 1e-12, .max_iterations = 30, .threads = 1};
      const auto algorithm = make_algorithm(problem, options);
      run(*algorithm, [&](const StepReport&, const Algorithm& now) {
        EXPECT_NO_THROW(make_algorithm(problem, options)->restore(now.save())) << solver << " " << loss;
        return true;
      });
    }
  }
}

// With a small l2, a dual of sentences that contradict each other takes very many rounds.
TEST_F(StructuredAscent, IsChosenWhereItEndsSoon) {
  TrainOptions how = options(AnySolver(), 1e-3);
  EXPECT_EQ(choose_solver(problem("sparsemap"), how).solver.name(), "dual_ascent");
  EXPECT_EQ(choose_solver(problem("hinge"), how).solver.name(), "dual_ascent");
  how.penalty = L2(1e-4);
  EXPECT_EQ(choose_solver(problem("sparsemap"), how).solver.name(), "lbfgs");
  EXPECT_EQ(choose_solver(problem("hinge"), how).solver.name(), "dual_ascent");
}

TEST_F(StructuredAscent, ReadsLossesByStep) {
  const LossOfSize losses = TaggingLoss{3, true}("sparsemap:polytope=sequence");
  EXPECT_EQ(losses(4).loss.omega().dimension(), 4U * 3 * 3);
  EXPECT_EQ(TaggingLoss({3, true})("sparsemap:polytope=chain")(4).loss.omega().dimension(), 4U * 3 + 9 + 6);
  EXPECT_THAT(message_of([] { TaggingLoss({3})("sparsemap:polytope=birkhoff")(4); }),
              testing::HasSubstr("chain (the default) and sequence"));
}

TEST(StructureShares, BalancesToTheOptimum) {
  // f(p) = ⟨b, p⟩ − ½‖Σ p_k v_k‖² for three points of the plane: optimality is equal slopes on the support.
  const double v[3][2] = {{1, 0}, {0, 1}, {-1, 0.5}};
  const std::vector<double> b{0.3, 0.2, -5};
  StructureShares shares;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> products;
    for (std::size_t l = 0; l <= k; ++l) products.push_back(v[k][0] * v[l][0] + v[k][1] * v[l][1]);
    shares.add({.indices = {static_cast<std::uint32_t>(k)}}, k == 2 ? 1 : 0, products);
  }
  std::vector<double> slopes;
  for (std::size_t k = 0; k < 3; ++k) slopes.push_back(b[k] - (v[k][0] * v[2][0] + v[k][1] * v[2][1]));
  shares.balance(slopes, 1e-14);
  EXPECT_NEAR(shares.shares()[0], 0.55, 1e-12);
  EXPECT_NEAR(shares.shares()[1], 0.45, 1e-12);
  EXPECT_EQ(shares.shares()[2], 0);
  EXPECT_NEAR(slopes[0], slopes[1], 1e-12);
  shares.drop_empty();
  EXPECT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares.find({.indices = {1}}), 1U);
  EXPECT_EQ(shares.find({.indices = {2}}), 2U);
}

}  // namespace
}  // namespace fenchel::test
