// SPDX-License-Identifier: Apache-2.0
// Our side of the comparison with scikit-learn's LogisticRegression (logistic.py is the other one).
//
// usage: fenchel_bench_logistic PREFIX ROWS FEATURES CLASSES THREADS SOLVER INTERCEPT TARGET [L1]
// PREFIX.x and PREFIX.y hold float32 features and int32 labels; with PREFIX.offsets (int64) and
// PREFIX.indices (int32) the features are sparse. INTERCEPT is free or none, lambda is 1; with L1 the
// penalty is l1 of that strength instead. Trains until the objective is no larger than TARGET, or with TARGET
// 0 to a relative gap of 1e-7. One line of JSON is written.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "fenchel/regularizers/shannon.hpp"
#include "fenchel/training/train.hpp"
#include "training/problems/linear_objective.hpp"

namespace {

using namespace fenchel;

constexpr int gradient_repeats = 10;
constexpr int fit_repeats = 3;

template <class T>
std::vector<T> read_raw(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<T> values(std::filesystem::file_size(path) / sizeof(T));
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

/// The shortest processor and wall-clock times of several passes.
struct Best {
  double processor = std::numeric_limits<double>::infinity();
  double wall = std::numeric_limits<double>::infinity();

  template <class Body>
  void time(const Body& body) {
    const std::clock_t processor_start = std::clock();
    const auto wall_start = std::chrono::steady_clock::now();
    body();
    processor = std::min(processor, static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC);
    wall =
        std::min(wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count());
  }
};

void run(int count, char** arguments) {
  const std::string prefix = arguments[1];
  const std::size_t rows = std::stoul(arguments[2]), features = std::stoul(arguments[3]);
  const double target = std::stod(arguments[8]);
  const auto x = read_raw<float>(prefix + ".x");
  const auto y = read_raw<std::int32_t>(prefix + ".y");
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> indices;
  FeaturesView<float> view = MatrixView<const float>(x.data(), rows, features);
  if (std::filesystem::exists(prefix + ".offsets")) {
    offsets = read_raw<std::int64_t>(prefix + ".offsets");
    indices = read_raw<std::int32_t>(prefix + ".indices");
    view = CsrView<float>(features, offsets, indices.data(), x.data());
  }
  const LinearProblem<float> problem{
      .x = view,
      .y = y,
      .outputs = std::stoul(arguments[4]),
      .loss = Shannon{},
      .intercept = std::string(arguments[7]) == "free" ? Intercept::free : Intercept::none};
  const Penalty penalty = count > 9 ? Penalty(L1(std::stod(arguments[9]))) : Penalty(L2(1));
  TrainOptions options{.penalty = penalty, .solver = arguments[6], .threads = std::stoi(arguments[5])};
  options.tolerance = target > 0 ? 0 : 1e-7;
  const auto above_target = [&](const StepReport& now, const Algorithm&) { return now.objective > target; };
  Best gradient, fit;
  const auto objective = make_objective(problem, options.threads);
  std::vector<double> w(objective->shape().size, 0.01), slope(w.size());
  for (int i = 0; i < gradient_repeats; ++i) gradient.time([&] { objective->evaluate(w, slope); });
  TrainResult result;
  for (int i = 0; i < (target > 0 ? fit_repeats : 1); ++i)
    fit.time([&] { result = train(problem, options, target > 0 ? Observer(above_target) : Observer()); });
  std::printf(
      "{\"gradient\": %.6g, \"gradient_wall\": %.6g, \"fit\": %.6g, \"fit_wall\": %.6g, \"iterations\": %d, "
      "\"objective\": %.15g, \"solver\": \"%s\"}\n",
      gradient.processor, gradient.wall, fit.processor, fit.wall, result.report.iterations,
      result.last_step.objective, std::string(result.choice.solver.name()).c_str());
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 9 && count != 10)
      throw std::invalid_argument("expected 8 or 9 arguments: see the head of logistic.cpp");
    run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fenchel_bench_logistic: %s\n", error.what());
    return 1;
  }
  return 0;
}
