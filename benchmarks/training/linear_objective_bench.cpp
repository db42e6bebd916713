// SPDX-License-Identifier: Apache-2.0
// The gradient of multinomial logistic regression against the time the BLAS would need for its
// multiplications at full speed, and the two products alone, by our kernel and by the BLAS on the same blocks
// of rows, which decides up to how many outputs the kernel is used.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "kernels/dense_linear.hpp"
#include "training/problems/linear_objective.hpp"

extern "C" void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                       const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
                       const float* beta, float* c, const int* ldc);

namespace fenchel::bench {
namespace {

/// C (m × n) = op(A) B + beta C, row-major: the transposes of everything for the column-major BLAS.
void multiply(bool transpose, std::size_t m, std::size_t n, std::size_t k, const float* a, std::size_t lda,
              const float* b, float beta, float* c) {
  const int rows = static_cast<int>(m), cols = static_cast<int>(n), inner = static_cast<int>(k);
  const int stride = static_cast<int>(lda);
  const float one = 1;
  sgemm_("N", transpose ? "T" : "N", &cols, &rows, &inner, &one, b, &cols, a, &stride, &beta, c, &cols);
}

/// Seconds of one multiplication and addition of the BLAS at its best, on one thread.
double seconds_per_product() {
  constexpr std::size_t n = 512;
  const std::vector<float> a(n * n, 1), b(n * n, 1);
  std::vector<float> c(n * n);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 10; ++i) {
    const std::clock_t start = std::clock();
    for (int pass = 0; pass < 4; ++pass) multiply(false, n, n, n, a.data(), n, b.data(), 0, c.data());
    best = std::min(best, static_cast<double>(std::clock() - start) / (4.0 * CLOCKS_PER_SEC));
  }
  return best / (n * n * n);
}

struct Input {
  std::size_t rows, cols, outputs;
  std::vector<float> x, w, theta, gradient, offset;
  std::vector<std::int32_t> labels;

  Input(std::size_t n, std::size_t p, std::size_t k)
      : rows(n),
        cols(p),
        outputs(k),
        x(n * p),
        w(p * k),
        theta(n * k),
        gradient(p * k),
        offset(k),
        labels(n) {
    Random random(1);
    for (float& entry : x) entry = static_cast<float>(random.uniform());
    for (float& entry : w) entry = static_cast<float>(0.01 * random.normal());
    for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(k));
  }
};

void report_limit(benchmark::State& state, const Input& input) {
  const double products = 2.0 * static_cast<double>(input.rows * input.cols * input.outputs);
  state.counters["limit_ms"] = 1e3 * products * seconds_per_product();
  state.counters["per_limit"] =
      benchmark::Counter(products * seconds_per_product(),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// range: rows, features, outputs, threads. The counter per_limit is time over the limit of one thread.
void gradient(benchmark::State& state) {
  omp_set_num_threads(1);  // the limit's BLAS
  const Input input(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                    static_cast<std::size_t>(state.range(2)));
  const LinearProblem<float> problem{.x = MatrixView<const float>(input.x.data(), input.rows, input.cols),
                                     .y = input.labels,
                                     .outputs = input.outputs,
                                     .loss = Shannon{}};
  const auto objective = make_linear_objective(problem, static_cast<int>(state.range(3)));
  std::vector<double> w(objective->shape().size, 0.01), slope(w.size());
  for (auto _ : state) benchmark::DoNotOptimize(objective->evaluate(w, slope));
  report_limit(state, input);
}
BENCHMARK(gradient)
    ->ArgNames({"n", "p", "outputs", "threads"})
    ->ArgsProduct({{20000}, {784}, {2, 10, 26, 100}, {1}})
    ->Args({20000, 100, 10, 1})
    ->Args({2000, 8192, 10, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(gradient)
    ->Name("gradient_wall")
    ->ArgNames({"n", "p", "outputs", "threads"})
    ->ArgsProduct({{20000}, {784}, {10, 100}, {2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// Both products on blocks of rows that stay in the cache, by our kernel (range(2) = 1) or by the BLAS (0).
void products(benchmark::State& state) {
  omp_set_num_threads(1);
  Input input(20000, static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  constexpr std::size_t block_bytes = 160 << 10;
  const std::size_t block = std::max<std::size_t>(12, block_bytes / (4 * input.cols) / 12 * 12);
  for (auto _ : state) {
    for (std::size_t first = 0; first < input.rows; first += block) {
      const std::size_t rows = std::min(block, input.rows - first);
      const float* x = &input.x[first * input.cols];
      if (state.range(2) == 1) {
        const MatrixView<const float> view(x, rows, input.cols);
        const MatrixView<float> theta(input.theta.data(), rows, input.outputs);
        kernels::linear_scores(view, MatrixView<const float>(input.w.data(), input.outputs, input.cols),
                               std::span<const float>(input.offset), theta);
        kernels::add_linear_gradient(view, theta, std::min(block, input.rows - first - rows),
                                     MatrixView<float>(input.gradient.data(), input.outputs, input.cols));
      } else {
        multiply(false, rows, input.outputs, input.cols, x, input.cols, input.w.data(), 0,
                 input.theta.data());
        multiply(true, input.cols, input.outputs, rows, x, input.cols, input.theta.data(), 1,
                 input.gradient.data());
      }
    }
    benchmark::ClobberMemory();
  }
  report_limit(state, input);
}
BENCHMARK(products)
    ->ArgNames({"p", "outputs", "ours"})
    ->ArgsProduct({{784}, {1, 2, 5, 10, 16, 32, 64}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fenchel::bench
