// SPDX-License-Identifier: Apache-2.0
// Our side of hinge.py and sparsemax.py.
//
// usage: fenchel_bench_dual PREFIX ROWS FEATURES CLASSES THREADS OMEGA COST SOLVER TARGET
// PREFIX.x and PREFIX.y hold float32 features and int32 labels; with PREFIX.offsets (int64) and
// PREFIX.indices (int32) the features are sparse. COST is 0/1 or none; no intercept, lambda is 1. Trains
// until the objective is no larger than TARGET, or with TARGET 0 to a duality gap of 1e-7 of the objective,
// and with TARGET gap to one of 1e-6. One line of JSON is written.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "fenchel/regularizers/spec.hpp"
#include "fenchel/training/train.hpp"

namespace {

using namespace fenchel;

template <class T>
std::vector<T> read_raw(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<T> values(std::filesystem::file_size(path) / sizeof(T));
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

TrainOptions options_of(char** arguments) {
  TrainOptions options{.penalty = L2(1), .solver = arguments[8], .threads = std::stoi(arguments[5])};
  options.max_iterations = 100000;
  const std::string target = arguments[9];
  options.tolerance = target == "gap" ? 1e-6 : 1e-7;
  if (target != "gap" && target != "0") options.tolerance = 0;
  return options;
}

/// Stops at the objective that is the target, if it is one.
Observer observer_of(const std::string& target) {
  if (target == "gap" || target == "0") return {};
  return [wanted = std::stod(target)](const StepReport& now, const Algorithm&) {
    return now.objective > wanted;
  };
}

void run(char** arguments) {
  const std::string prefix = arguments[1];
  const std::size_t rows = std::stoul(arguments[2]), features = std::stoul(arguments[3]);
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
  const LinearProblem<float> problem{.x = view,
                                     .y = y,
                                     .outputs = std::stoul(arguments[4]),
                                     .loss = {make_regularizer(std::string_view(arguments[6])),
                                              std::string(arguments[7]) == "0/1" ? zero_one_cost() : Cost{}},
                                     .intercept = Intercept::none};
  const std::clock_t processor = std::clock();
  const auto wall = std::chrono::steady_clock::now();
  const TrainResult result = train(problem, options_of(arguments), observer_of(arguments[9]));
  const double processor_seconds = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  const double wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  std::printf(
      "{\"fit\": %.6g, \"fit_wall\": %.6g, \"iterations\": %d, \"objective\": %.15g, \"residual\": %.3g}\n",
      processor_seconds, wall_seconds, result.report.iterations, result.last_step.objective,
      result.last_step.residual);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 10) throw std::invalid_argument("expected 9 arguments: see the head of dual.cpp");
    run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fenchel_bench_dual: %s\n", error.what());
    return 1;
  }
  return 0;
}
