// SPDX-License-Identifier: Apache-2.0
// Features too large for lambda, scores that overflow: every solver says "diverged" or gets along, none
// converges to what is not a number, and no model comes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data_dir.hpp"
#include "fenchel/data/svmlight.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/all.hpp"
#include "fenchel/training/fit.hpp"
#include "losses/row_loss.hpp"
#include "training/solvers/dual_row.hpp"

namespace fenchel::test {
namespace {

struct Setting {
  std::string data;
  double lambda;
};

// Three lines each; ‖x‖²/λ is not finite.
const std::vector<Setting> settings{{"1 1:1e154\n2 1:-1e154\n3 1:1e154\n", 1},
                                    {"1 1:10\n2 1:-20\n3 1:30\n", 1e-305},
                                    {"1 1:1e160 2:3\n2 1:-1e160\n1 1:1e160 2:1\n3 2:1e-300\n", 1},
                                    {"1 1:1e308\n2 1:-1e308\n2 1:1e307\n", 1e-300}};

TEST(Divergence, IsAnOutcomeOfEverySolver) {
  int diverged = 0;
  for (const Setting& setting : settings) {
    const TemporaryFolder folder;
    const Dataset data = read_svmlight(folder.write("a", setting.data));
    for (const SolverEntry& entry : solver_list()) {
      const std::string solver(entry.traits.name);
      for (const std::string omega : {"hinge", "logistic", "sparsemax", "one-vs-all-hinge", "squared"}) {
        for (const std::string penalty : {"l2", "l1", "elastic_net", "group_lasso"}) {
          for (const std::string kernel : {"", "linear"}) {
            SCOPED_TRACE(solver + " " + omega + " " + penalty + " " + kernel + " " + setting.data);
            FitOptions options{.task = Task::classification,
                               .omega = omega,
                               .penalty = penalty,
                               .lambda = setting.lambda,
                               .kernel = kernel,
                               .solver = solver,
                               .max_iterations = 20,
                               .threads = 1};
            if (omega == "one-vs-all-hinge") options.task = Task::multilabel;
            std::unique_ptr<Fit> fit;
            try {
              fit = make_fit(prepare(data, options), options);
            } catch (const std::invalid_argument&) {
              continue;  // not this solver
            }
            const StepReport last_step = run(fit->algorithm());
            const Report report = fit->algorithm().report();
            if (report.status == Status::diverged) {
              ++diverged;
              EXPECT_TRUE(last_step.done);
              EXPECT_THROW(fit->model(), TrainingDiverged);
              continue;
            }
            EXPECT_TRUE(std::isfinite(last_step.objective));
            EXPECT_TRUE(std::ranges::all_of(fit->algorithm().parameters(),
                                            [](double w) { return std::isfinite(w); }));
            const AnyModel model = fit->model();
            model_bytes(model);
          }
        }
      }
    }
  }
  EXPECT_GT(diverged, 10);
}

TEST(Divergence, SaysWhatToDo) {
  const TemporaryFolder folder;
  const Dataset data = read_svmlight(folder.write("a", settings[0].data));
  EXPECT_THAT(
      [&] { fit(data, {.omega = "hinge"}); },
      ::testing::ThrowsMessage<TrainingDiverged>(
          "training diverged: the objective is not finite; features or targets are too large for lambda, or "
          "the step that solver was given is: scale them (scale=standard scales features), raise lambda or "
          "leave the step out"));
}

// NaN and infinities must not send a search out of the row.
TEST(Divergence, RowsOfAnyScores) {
  const double nan = std::nan(""), huge = HUGE_VAL;
  Workspace scratch;
  for (const std::vector<double>& v :
       std::vector<std::vector<double>>{{nan, nan, nan},
                                        {huge, 0, 1},
                                        {-huge, -huge, -huge},
                                        {nan, 1, 2},
                                        {0, 1, nan},
                                        {1e308, -1e308, huge},
                                        {nan, nan, nan, nan, nan, nan, nan, nan, 1}}) {
    for (const AnyRegularizer& omega :
         {AnyRegularizer(Argmax{}), AnyRegularizer(Tsallis{2}), AnyRegularizer(Shannon{})}) {
      const DualRow row{RowLoss(omega)};
      std::vector<double> mu(v.size()), y(v.size());
      y[0] = 1;
      for (const double sigma : {0.0, 1e-300, 1.0, huge, nan}) {
        row.update(v, sigma, mu, scratch);
        if (!row.ridge()) continue;
        SparseRow projected;
        row.project(v, sigma, projected);
        for (const std::int32_t index : projected.indices)
          EXPECT_LT(static_cast<std::size_t>(index), v.size());
      }
      Report report;
      const double loss = RowLoss(omega)(v, y, {mu, report}, scratch);
      if (usable_scores(v)) continue;
      EXPECT_EQ(loss, huge);
      EXPECT_EQ(report.status, Status::diverged);
    }
  }
}

}  // namespace
}  // namespace fenchel::test
