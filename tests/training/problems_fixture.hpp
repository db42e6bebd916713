// SPDX-License-Identifier: Apache-2.0
// Small random problems for tests of training: rows for linear and kernel models, sentences for taggers;
// their objectives from the definition; and how to run an algorithm to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/models/attributes.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/problems/linear.hpp"
#include "fenchel/training/train.hpp"
#include "support.hpp"

namespace fenchel::test {

// ---------------------------------------------------------------- rows

/// Features and targets that a problem's views point at.
struct SmallData {
  Matrix<double> dense;
  CsrMatrix<double> sparse;
  std::vector<std::int32_t> labels;
  Matrix<double> targets;
  std::vector<double> weights;
  std::vector<double> center;
};

/// n × p features, about a third of them 0, the same in `dense` and `sparse`; row 2 is all 0. Labels follow
/// the scores of a random W, with noise; targets are one-hot or random points of the simplex.
SmallData small_data(std::size_t n, std::size_t p, std::size_t outputs, std::uint64_t seed);

/// Which problem LinearData makes.
struct LinearShape {
  std::size_t examples = 60;
  std::size_t features = 7;
  std::size_t outputs = 4;
  bool sparse = false;
  bool labels = true;
  bool weighted = false;
  bool centered = false;
  Intercept intercept = Intercept::free;
  std::uint64_t seed = 1;
  double shift = 0;   // of all features, which are dense then
  double weight = 1;  // that all weights are multiplied by
};

/// Small data in one precision, with targets in the domain of Ω, and the problem over them.
template <class T>
class LinearData {
 public:
  LinearData(const AnyRegularizer& omega, const LinearShape& shape)
      : data_(small_data(shape.examples, shape.features, shape.outputs, shape.seed)),
        dense_(shape.examples, shape.features),
        y_(shape.examples, shape.outputs) {
    Random random(shape.seed);
    for (std::size_t i = 0; i < shape.examples; ++i) {
      for (std::size_t j = 0; j < shape.features; ++j)
        dense_(i, j) = static_cast<T>(data_.dense(i, j) + shape.shift);
      const Vector point = domain_point(random, shape.outputs, omega.refined_traits().domain);
      for (std::size_t k = 0; k < shape.outputs; ++k) y_(i, k) = static_cast<T>(point[k]);
    }
    for (double& entry : data_.weights) entry *= shape.weight;
    csr_.cols = shape.features;
    csr_.indices = data_.sparse.indices;
    csr_.offsets = data_.sparse.offsets;
    csr_.values.assign(data_.sparse.values.begin(), data_.sparse.values.end());
    problem = std::make_unique<LinearProblem<T>>(LinearProblem<T>{
        .x = shape.sparse ? FeaturesView<T>(csr_) : FeaturesView<T>(dense_),
        .y = shape.labels ? Targets<T>(data_.labels) : Targets<T>(y_.view()),
        .outputs = shape.outputs,
        .loss = omega,
        .weights = shape.weighted ? std::span<const double>(data_.weights) : std::span<const double>(),
        .center = shape.centered ? std::span<const double>(data_.center) : std::span<const double>(),
        .intercept = shape.intercept});
  }
  LinearData(const LinearData&) = delete;
  LinearData& operator=(const LinearData&) = delete;

  std::unique_ptr<LinearProblem<T>> problem;

 private:
  SmallData data_;
  Matrix<T> dense_;
  CsrMatrix<T> csr_;
  Matrix<T> y_;
};

/// F(W) straight from the definition, in double, one example at a time.
double plain_objective(const LinearProblem<float>& problem, std::span<const double> w);
double plain_objective(const LinearProblem<double>& problem, std::span<const double> w);
/// The sparse features and the labels of `data` with a loss.
LinearProblem<double> labelled_problem(const SmallData& data, const FenchelYoungLoss& loss,
                                       Intercept intercept);
/// Options of one thread.
TrainOptions single_threaded(const Penalty& penalty, double tolerance, int max_iterations);

/// F(W) + G(W).
double objective_of(const LinearProblem<double>& problem, const Penalty& penalty, std::span<const double> w);

// ---------------------------------------------------------------- sentences

struct RandomTagging {
  std::size_t sentences = 6;
  std::size_t labels = 3;
  std::size_t attributes = 7;
  bool values = false;
};

/// "a7" from "a" and 7.
std::string numbered(std::string_view prefix, std::size_t number);

/// Sentences of 0 to 4 tokens with 0 to 4 attributes each; some attributes occur once only.
TaggerData random_tagging(const RandomTagging& shape, std::uint64_t seed);
/// The score of a sequence of labels for sentence s, from the definition.
double sequence_score(const TaggerData& data, const TaggerFeatures& features, std::span<const double> w,
                      std::size_t s, std::span<const std::int32_t> labels);
/// All sequences of n labels out of m.
std::vector<std::vector<std::int32_t>> all_sequences(std::size_t n, std::size_t m);
std::span<const std::int32_t> labels_of(const TaggerData& data, std::size_t s);
std::vector<double> random_weights(std::size_t count, double scale, std::uint64_t seed);

// ---------------------------------------------------------------- algorithms

/// Steps until done, checking what every step report promises.
StepReport run_to_end(Algorithm& algorithm);
/// Runs one algorithm through, another for `before` steps, and a third from the second's state to the end:
/// the same bits.
void expect_resumes(const std::function<std::unique_ptr<Algorithm>()>& make, int before, int after);

}  // namespace fenchel::test
