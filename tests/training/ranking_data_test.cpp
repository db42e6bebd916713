// SPDX-License-Identifier: Apache-2.0
// Real rankings: MQ2008 and the label-ranking sets train with every choice of what places are worth, and the
// models order better than chance.
#include <gtest/gtest.h>

#include "data_dir.hpp"
#include "fenchel/data/csv.hpp"
#include "fenchel/data/svmlight.hpp"
#include "fenchel/models/linear_model.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/models/task_targets.hpp"
#include "training/solvers/lbfgs_starts.hpp"

namespace fenchel::test {
namespace {

const std::vector<std::string> presets{"top1", "k-subsets,k=2", "full", "partial,k=3", "ranking"};

TEST(RankingData, Mq2008WithEveryPreset) {
  const auto folder = data_dir();
  if (!folder) GTEST_SKIP() << "skipped: no data";
  const auto path = [&](const char* name) { return (*folder / "rank/mq2008_fold1" / name).string(); };
  const Dataset train = read_svmlight({path("train.txt.gz")}), test = read_svmlight({path("test.txt.gz")});
  const TaskTargets y = make_targets(train, Task::ranking), truth = make_targets(test, Task::ranking);
  EXPECT_EQ(guess_task(train).task, Task::ranking);
  EXPECT_EQ(y.queries.size(), 472u);
  for (const std::string& preset : presets) {
    LinearModel model;
    model.task = Task::ranking;
    model.loss_name = "sparsemap:w=" + preset;
    train.x.visit([&]<Real T>(const FeaturesView<T>& x) {
      const DocumentProblem<T> problem{
          .x = x, .relevance = y.rows.entries(), .queries = y.queries, .loss = ranking_loss(model.loss_name)};
      const TrainResult result =
          fenchel::train(problem, {.penalty = L2(1e-2), .tolerance = 1e-4, .max_iterations = 100});
      model.set_parameters(result.parameters, x.cols(), 1);
    });
    test.x.visit([&](const auto& x) {
      const auto predicted = predict(model, x, {.queries = test.queries});
      const auto metrics = metrics::evaluate(
          Task::ranking, {std::as_const(predicted).outputs.view(), std::as_const(predicted).scores.view()},
          truth.truth());
      EXPECT_GT(metrics::value_of(metrics, "ndcg_10"), 0.65) << preset;
      RecordProperty("ndcg_10 " + preset, std::to_string(metrics::value_of(metrics, "ndcg_10")));
    });
  }
}

TEST(RankingData, LabelRankingSetsWithEveryPreset) {
  const auto folder = data_dir();
  if (!folder) GTEST_SKIP() << "skipped: no data";
  for (const std::string name : {"iris", "vehicle", "vowel", "authorship"}) {
    const Dataset data = read_csv({(*folder / "label_ranking" / (name + ".txt")).string()});
    EXPECT_EQ(guess_task(data).task, Task::label_ranking) << name;
    const TaskTargets targets = make_targets(data, Task::label_ranking);
    for (const std::string& preset : presets) {
      LinearModel model;
      model.task = Task::label_ranking;
      const LossChoice loss = resolve_loss("sparsemap:w=" + preset, model.task, targets.outputs);
      model.loss = loss.loss;
      model.scaler = Scaler::fit(data.x, Scaling::standard);
      const ScaledFeatures scaled = model.scaler.apply(data.x);
      scaled.x.visit([&]<Real T>(const FeaturesView<T>& x) {
        const TrainingTargets<T> y(targets, loss.worths);
        const LinearProblem<T> problem{
            .x = x, .y = y.view(), .outputs = targets.outputs, .loss = loss.loss, .center = scaled.center};
        const auto result = train(
            problem, {.penalty = L2(1e-2), .solver = "lbfgs", .tolerance = 1e-4, .max_iterations = 100});
        model.set_parameters(result.parameters, x.cols(), targets.outputs);
      });
      data.x.visit([&](const auto& x) {
        const auto predicted = predict(model, x);
        const auto metrics = metrics::evaluate(
            Task::label_ranking,
            {std::as_const(predicted).outputs.view(), std::as_const(predicted).scores.view()},
            targets.truth());
        // top1 asks for the first place only; τ judges all of them.
        const double least = preset == "top1" ? 0.3 : 0.4;
        EXPECT_GT(metrics::value_of(metrics, "kendall_tau"), least) << name << ' ' << preset;
        RecordProperty("kendall_tau " + name + " " + preset,
                       std::to_string(metrics::value_of(metrics, "kendall_tau")));
      });
    }
  }
}

}  // namespace
}  // namespace fenchel::test
