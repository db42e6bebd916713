// SPDX-License-Identifier: Apache-2.0
// Multinomial logistic regression on real data against scikit-learn's LogisticRegression(C=1, tol=1e-9),
// dense, with a free intercept. To regenerate the numbers: load_svmlight_file, fit, and print coef_[class,
// feature], intercept_[0] and Σ log loss + ½‖coef_‖².
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "fenchel/training/train.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

std::filesystem::path data_folder() {
  const char* set = std::getenv("FENCHEL_DATA");
  return set ? std::filesystem::path(set)
             : std::filesystem::path(FENCHEL_GOLDEN_DIR).parent_path().parent_path().parent_path() /
                   "shared" / "data";
}

struct Classified {
  Matrix<double> x;
  std::vector<std::int32_t> labels;
  std::size_t classes = 0;
};

// The few lines of svmlight that these files need; classes are numbered by their value.
Classified read_classified(const std::filesystem::path& file, std::size_t features) {
  const std::string command = "gzip -cdf '" + file.string() + "'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::vector<double> values, names;
  char* line = nullptr;
  std::size_t capacity = 0;
  while (getline(&line, &capacity, pipe.get()) > 0) {
    char* at = line;
    names.push_back(std::strtod(at, &at));
    const std::size_t first = values.size();
    values.resize(first + features);
    for (char* after = nullptr;; at = after) {
      const long index = std::strtol(at, &after, 10);
      if (after == at || *after != ':') break;
      values[first + static_cast<std::size_t>(index) - 1] = std::strtod(after + 1, &after);
    }
  }
  std::free(line);
  std::map<double, std::int32_t> order;
  for (const double name : names) order[name] = 0;
  Classified data;
  for (auto& [name, number] : order) number = static_cast<std::int32_t>(data.classes++);
  for (const double name : names) data.labels.push_back(order[name]);
  data.x = Matrix<double>(names.size(), features, std::move(values));
  return data;
}

struct Reference {
  std::string file;
  std::size_t features;
  double objective;
  std::vector<std::tuple<std::size_t, std::size_t, double>> weights;  // feature, class, coefficient
  double intercept;                                                   // of class 0
};

class ScikitLearn : public testing::TestWithParam<Reference> {};

TEST_P(ScikitLearn, LogisticCoefficients) {
  const Reference& expected = GetParam();
  const std::filesystem::path file = data_folder() / "libsvm" / expected.file;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "skipped: no data";
  const Classified data = read_classified(file, expected.features);
  const LinearProblem<double> problem{
      .x = data.x, .y = data.labels, .outputs = data.classes, .loss = Shannon{}};
  const TrainResult result = train(problem, {.penalty = L2(1), .tolerance = 1e-11, .max_iterations = 5000});
  EXPECT_TRUE(result.report.converged());
  EXPECT_NEAR(result.last_step.objective, expected.objective, 1e-8 * expected.objective);
  for (const auto& [feature, label, weight] : expected.weights) {
    EXPECT_NEAR(result.parameters[feature * data.classes + label], weight, 1e-4);
  }
  EXPECT_NEAR(result.parameters[expected.features * data.classes], expected.intercept, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Sets, ScikitLearn,
    testing::Values(Reference{"dna.scale",
                              180,
                              159.2304456621,
                              {{0, 0, 0.32343594}, {60, 1, -1.03184635}, {179, 2, -0.22182129}},
                              -5.49262426},
                    Reference{"letter.scale.svm.gz",
                              16,
                              20229.0146512846,
                              {{0, 0, -2.61567908}, {5, 1, -0.16753274}, {15, 25, -3.83253502}},
                              -5.95968159}),
    [](const auto& info) { return info.param.file.substr(0, info.param.file.find('.')); });

}  // namespace
}  // namespace fenchel::test
