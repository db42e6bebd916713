// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/tune.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "fenchel/data/split.hpp"
#include "fenchel/data/synth.hpp"
#include "fenchel/models/evaluation.hpp"
#include "fenchel/models/kernel_function.hpp"
#include "fenchel/models/tagger_corpus.hpp"

namespace fenchel {
namespace {

using ::testing::HasSubstr;

std::vector<TaggerTuneSplit> tagging_folds(std::size_t folds) {
  const TaggerData data =
      tagger_data(synth_tagging({.tags = 3, .sentences = 60, .vocabulary = 30, .mean_length = 6, .seed = 2}),
                  FeatureTemplates::preset("default", 1));
  std::vector<TaggerTuneSplit> splits;
  for (const Split& split : split_index_folds(data.sentence_count(), folds, 1)) {
    splits.push_back({std::make_shared<const TaggerData>(select_sentences(data, split.train)),
                      std::make_shared<const TaggerData>(select_sentences(data, split.held_out))});
  }
  return splits;
}

TEST(GridEdges, WhereToLookFurther) {
  TuneResult result;
  const std::vector<GridAxis> grid{{"lambda", {0.01, 0.1, 1}}, {"alpha", {1, 1.5, 2}}};
  for (const double lambda : grid[0].values) {
    for (const double alpha : grid[1].values) {
      result.rows.push_back({{{"lambda", lambda}, {"alpha", alpha}}, 1 - lambda, 0, 0, {}});
    }
  }
  result.best = 1;  // lambda = 0.01, alpha = 1.5
  auto edges = edges_of(result, grid);
  ASSERT_EQ(edges.size(), 1U);
  EXPECT_EQ(edges[0].name, "lambda");
  ASSERT_EQ(edges[0].next.values.size(), 5U);
  EXPECT_NEAR(edges[0].next.values.front(), 1e-6, 1e-15);
  EXPECT_EQ(edges[0].next.values.back(), 0.01);
  result.best = 8;  // lambda = 1, alpha = 2: what alpha is does not matter
  edges = edges_of(result, grid);
  ASSERT_EQ(edges.size(), 1U);
  EXPECT_EQ(edges[0].next.values, (std::vector<double>{1, 10, 100, 1000, 10000}));
  result.rows[6].mean = result.rows[8].mean = 2;  // lambda = 1, alpha = 1 and 2, but not what is between
  EXPECT_EQ(edges_of(result, grid).size(), 2U);
}

std::vector<TuneSplit> row_splits() {
  const Dataset data =
      synth_classification({.classes = 3, .samples = 90, .features = 4, .separation = 0.7, .seed = 3});
  const Split split = split_rows(data, 0.3, {.seed = 1});
  return {{select_rows(data, split.train), select_rows(data, split.held_out)}};
}

AnyModel finished(Fit& fit) {
  run(fit.algorithm());
  return fit.model();
}

template <class Split>
std::string refusal(const std::vector<Split>& splits, const TuneOptions& options) {
  try {
    tune(splits, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Tune, AxesOverAllNumbers) {
  for (const std::string text : {"lambda=1e-300:1e300:log", "lambda=1e300:1e-300:log"}) {
    const GridAxis axis = parse_axis(text);
    ASSERT_EQ(axis.values.size(), 601U);
    for (const double value : axis.values) EXPECT_TRUE(std::isfinite(value) && value > 0) << value;
    EXPECT_DOUBLE_EQ(axis.values[300], 1);
    EXPECT_NEAR(std::log10(axis.values.front() * axis.values.back()), 0, 1e-9);
  }
  EXPECT_TRUE(std::isfinite(parse_axis("lambda=1:1.7976931348623157e308:log").values.back()));
  EXPECT_THAT(parse_axis("a=1e-310:20:10").values, testing::ElementsAre(1e-310, 10, 20));
  EXPECT_EQ(parse_axis("a=1.7976931348623157e308:1.7976931348623157e308:1").values.size(), 1U);
  EXPECT_THAT(parse_axis("a=1:1.3:0.1").values, testing::ElementsAre(1, 1.1, 1.2, 1.3));
}

TEST(Tune, AxesThatAreTypingErrors) {
  EXPECT_EQ(parse_axis("lambda=1:100:log2").values.size(), 5U);
  for (const std::string text : {"lambda=1:10:log-2", "lambda=1:10:log0", "lambda=1:10:log1e300",
                                 "lambda=1:10:log100000", "alpha=1:2:1e-9", "lambda=1:10:logx"}) {
    EXPECT_THROW(parse_axis(text), std::invalid_argument) << text;
  }
}

TEST(Tune, RhoBelongsToTheElasticNet) {
  TuneOptions options{.fit = {.threads = 1}, .grid = {{"rho", {0.5, 1}}}};
  EXPECT_EQ(refusal(row_splits(), options), "grid rho: needs penalty elastic_net, whose parameter it is");
  options.fit.penalty = "elastic_net";
  EXPECT_EQ(refusal(row_splits(), options), "accepted");
}

TEST(Tune, TaggersAreJudgedOnTheirHeldOutSentences) {
  const auto splits = tagging_folds(3);
  std::size_t fits = 0;
  TuneOptions options{.fit = {.tolerance = 1e-10, .threads = 1, .tagger = {.min_count = 2}},
                      .grid = {{"lambda", {0.1, 10, 1}}, {"temperature", {0.5, 1}}},
                      .metric = "log_loss"};
  options.observer = [&](std::size_t, std::size_t total) {
    ++fits;
    EXPECT_EQ(total, 9);
    return true;
  };
  const TuneResult result = tune(splits, options);
  EXPECT_EQ(fits, 9);  // a temperature costs no fit
  EXPECT_EQ(result.task, Task::tagging);
  ASSERT_EQ(result.rows.size(), 6);
  for (const TuneRow& row : result.rows) {
    std::vector<double> values;
    for (const TaggerTuneSplit& split : splits) {
      FitOptions cold = options.fit;
      cold.lambda = row.setting.at("lambda");
      const auto fit = make_fit(split.train, cold);
      const AnyModel model = finished(*fit);
      const Evaluation judged =
          evaluate(std::get<Tagger>(model), *split.valid, row.setting.at("temperature"), 1);
      values.push_back(metrics::value_of(judged.metrics, "log_loss"));
    }
    const double mean = (values[0] + values[1] + values[2]) / 3;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(row.mean, mean, 1e-4 * mean);
    EXPECT_NEAR(row.deviation, std::sqrt(squares / 2), 1e-3 * mean);
    EXPECT_GE(row.mean, result.rows[result.best].mean);
    EXPECT_TRUE(row.report.converged());
  }
}

TEST(Tune, TaggersStartAtTheStrongerPenalty) {
  const auto splits = tagging_folds(2);
  TuneOptions options{.fit = {.threads = 1}, .grid = {{"lambda", {1, 0.9, 0.8}}}};
  const TuneResult warm = tune(splits, options);
  options.warm_start = false;
  const TuneResult cold = tune(splits, options);
  EXPECT_EQ(warm.metric, metrics::default_metric(Task::tagging));
  EXPECT_LT(warm.rows[2].report.iterations, cold.rows[2].report.iterations);
  EXPECT_EQ(warm.rows[0].report.iterations, cold.rows[0].report.iterations);
}

TEST(Tune, TaggersRefuseWhatTheyDoNotHave) {
  const auto splits = tagging_folds(2);
  for (const std::string name : {"alpha", "kernel.gamma"}) {
    EXPECT_THAT(refusal(splits, {.fit = {}, .grid = {{name, {1, 2}}}}),
                HasSubstr("grid " + name + ": taggers have no such parameter; expected lambda"));
  }
  EXPECT_THAT(refusal(splits, {.fit = {}, .grid = {{"lambda", {1}}}, .metric = "js"}), HasSubstr("'js'"));
  EXPECT_THAT(refusal(splits, {.fit = {.kernel = "rbf"}, .grid = {{"lambda", {1}}}}), HasSubstr("kernel"));
  EXPECT_THAT(refusal(std::vector<TaggerTuneSplit>(2), {.fit = {}, .grid = {{"lambda", {1}}}}),
              HasSubstr("splits[0] is null"));
  EXPECT_THAT(refusal(std::vector<TaggerTuneSplit>{}, {.fit = {}, .grid = {{"lambda", {1}}}}),
              HasSubstr("splits is empty"));
}

TEST(Tune, AStopLeavesOutWhatIsNotFinished) {
  TuneOptions options{.fit = {.threads = 1}, .grid = {{"lambda", {0.1, 10, 1}}}};
  options.observer = [](std::size_t done, std::size_t) { return done < 2; };
  const TuneResult result = tune(tagging_folds(2), options);
  EXPECT_FALSE(result.complete);
  EXPECT_TRUE(result.rows.empty());  // λ = 10 and 1 of the first fold alone
}

TEST(Tune, KernelModels) {
  const auto splits = row_splits();
  const FitOptions fixed{
      .omega = "sparsemax", .kernel = "rbf:gamma=7,constant=0.5", .tolerance = 1e-9, .threads = 1};
  TuneOptions tuning{.fit = fixed,
                     .grid = {{"kernel.gamma", {0.05, 0.5}}, {"lambda", {0.1, 1}}, {"temperature", {1, 2}}},
                     .metric = "brier"};
  const TuneResult warm = tune(splits, tuning);
  tuning.warm_start = false;
  const TuneResult result = tune(splits, tuning);
  ASSERT_EQ(result.rows.size(), 8);
  for (std::size_t r = 0; r < result.rows.size(); ++r) {
    EXPECT_NEAR(warm.rows[r].mean, result.rows[r].mean, 1e-4);
    const bool first = warm.rows[r].setting.at("lambda") == 1;
    EXPECT_EQ(warm.rows[r].mean == result.rows[r].mean, first) << "only λ = 0.1 starts at another fit";
  }
  for (const TuneRow& row : result.rows) {
    FitOptions options = fixed;
    options.lambda = row.setting.at("lambda");
    options.kernel =
        row.setting.at("kernel.gamma") < 0.1 ? "rbf:gamma=0.05,constant=0.5" : "rbf:gamma=0.5,constant=0.5";
    const Fitted fitted = fit(splits[0].train, options);
    const Evaluation judged =
        evaluate(std::get<KernelPredictor>(fitted.model), splits[0].valid, row.setting.at("temperature"), 1);
    EXPECT_EQ(row.mean, metrics::value_of(judged.metrics, "brier"));
    EXPECT_GE(row.mean, result.rows[result.best].mean);
  }
}

TEST(Tune, SettingsOfKernelsAndOmega) {
  const FitOptions options = apply_setting(
      {.omega = "tsallis:alpha=2", .kernel = "polynomial:coef0=1,degree=2"},
      {{"alpha", 1.25}, {"kernel.degree", 4}, {"kernel.gamma", 0.5}, {"lambda", 3}, {"temperature", 9}});
  const Kernel kernel = make_kernel(options.kernel);
  EXPECT_EQ(kernel.kind, Kernel::Kind::polynomial);
  EXPECT_EQ(kernel.degree, 4);
  EXPECT_EQ(kernel.gamma, 0.5);
  EXPECT_EQ(kernel.coef0, 1);
  EXPECT_THAT(options.omega, HasSubstr("1.25"));
  EXPECT_EQ(options.lambda, 3);
}

TEST(Tune, KernelAxesThatLeadNowhere) {
  const auto splits = row_splits();
  const auto refused = [&](const std::string& kernel, const GridAxis& axis) {
    return refusal(splits, {.fit = {.kernel = kernel}, .grid = {axis}});
  };
  EXPECT_THAT(refused("", {"kernel.gamma", {1}}), HasSubstr("grid kernel.gamma: needs kernel"));
  EXPECT_THAT(refused("rbf", {"kernel.degree", {2}}), HasSubstr("rbf has no parameter 'degree'"));
  EXPECT_THAT(refused("rbf", {"kernel.gamma", {-1}}), HasSubstr("gamma is -1"));
  EXPECT_THAT(refused("polynomial", {"kernel.degree", {1.5}}), HasSubstr("whole number"));
}

}  // namespace
}  // namespace fenchel
