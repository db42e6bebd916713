// SPDX-License-Identifier: Apache-2.0
// Newton's method for kernel models: the minimum of P(a) = Σ_i w_i L(θ_i + c_i; y_i) + (λ/2)⟨a, K a⟩ over
// coefficients a, θ = K a. With the inner product ⟨u, K v⟩ of the kernel its gradient is λ a − w (y − ŷ(θ))
// and its Hessian λ + w J K, where J is the Jacobian of ŷ, so that conjugate gradients find the step with
// one product by K each. They take about as many products as K has eigenvalues above λ; updates of single
// examples take as many passes as K is badly conditioned against λ. For smooth ŷ alone: where it is
// piecewise linear, pieces change with every step, and updates of single examples were faster on all sets
// that were tried.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/workspace.hpp"
#include "training/problems/gemm.hpp"
#include "training/problems/linear_losses.hpp"

namespace fenchel {

template <Real T>
class KernelNewton {
 public:
  /// `gram` is K.
  KernelNewton(const LinearLosses<T>& losses, MatrixView<const double> gram, std::size_t outputs, double l2,
               int threads)
      : losses_(losses), gram_(gram), width_(outputs), l2_(l2), threads_(threads) {}

  /// Whether the loss has what the method needs: a smooth ŷ whose Jacobian is known.
  static bool suits(const FenchelYoungLoss& loss) {
    const Traits traits = loss.traits();
    return traits.convex && !traits.sparse && traits.strongly_convex && !traits.predict_by_search &&
           !traits.jvp_by_differences;
  }

  /// From coefficients `a` (a row per example) until the duality gap of a and μ = ŷ(K a) is at most `gap`,
  /// steps do not help, or `products` by K are used up. Returns how many were.
  int run(std::span<const double> a, double gap, int products) {
    a_.assign(a.begin(), a.end());
    theta_ = product(a_);
    evaluate();
    int used = 1;
    for (;;) {
      const std::vector<double> image = product(residual_);
      ++used;
      const double squared = across(residual_, image);
      if (!(squared > 2 * l2_ * gap) || used >= products) break;  // the gap is ‖r‖²/(2 λ) in that product
      const int inner = find_step(image, squared, products - used);
      used += inner;
      if (!search()) break;
    }
    return used;
  }

  /// ŷ(θ): a row per example.
  const std::vector<double>& mu() const { return mu_; }

 private:
  std::size_t size() const { return gram_.rows(); }

  // K v: v has a row per example, the product a row per output.
  std::vector<double> product(const std::vector<double>& v) const {
    constexpr std::size_t columns = 64;
    std::vector<double> out(v.size());
    for_each_block(size(), columns, threads_, [&](std::size_t begin, std::size_t end) {
      const MatrixView<const double> part(gram_.data() + begin, size(), end - begin, gram_.stride());
      const MatrixView<double> to(out.data() + begin, width_, end - begin, size());
      multiply(MatrixView<const double>(v.data(), size(), width_), true, part, 0.0, to);
    });
    return out;
  }

  // ⟨v, image⟩, where v has a row per example and the image a row per output.
  double across(std::span<const double> v, std::span<const double> image) const {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      double own = 0;
      for (std::size_t k = 0; k < width_; ++k) own += v[i * width_ + k] * image[k * size() + i];
      sum += own;
    }
    return sum;
  }

  template <class Body>
  void for_each_example(const Body& body) const {
    constexpr std::size_t examples = 64;
    for_each_block(size(), examples, threads_, [&](std::size_t begin, std::size_t end) {
      Workspace& scratch = thread_workspace();
      const Workspace::Frame frame(scratch);
      const auto u = scratch.take<double>(width_);
      for (std::size_t i = begin; i < end; ++i) body(i, u, scratch);
    });
  }

  void gather(std::span<const double> image, std::size_t i, std::span<double> out) const {
    for (std::size_t k = 0; k < width_; ++k) out[k] = image[k * size() + i];
  }

  // At (a, θ): ŷ, r = w (y − ŷ) − λ a, which is the gradient with its sign changed, and the losses.
  void evaluate() {
    mu_.resize(a_.size());
    residual_.resize(a_.size());
    std::vector<double> values(size());
    for_each_example([&](std::size_t i, std::span<double> u, Workspace& scratch) {
      const auto residual = std::span(residual_).subspan(i * width_, width_);
      const auto mu = std::span(mu_).subspan(i * width_, width_);
      gather(theta_, i, u);
      values[i] = losses_.value_and_gradient(i, u, residual, scratch);
      losses_.predict(i, u, mu, scratch);
      for (std::size_t k = 0; k < width_; ++k) residual[k] = -residual[k] - l2_ * a_[i * width_ + k];
    });
    loss_ = sum_of(values);
  }

  // w J v for every example, J at θ.
  std::vector<double> apply_jacobian(std::span<const double> image) const {
    std::vector<double> out(image.size());
    for_each_example([&](std::size_t i, std::span<double> u, Workspace& scratch) {
      const auto own = std::span(out).subspan(i * width_, width_);
      const double weight = losses_.weight(i);
      if (weight == 0) return;
      const Workspace::Frame frame(scratch);
      const auto v = scratch.take<double>(width_);
      gather(theta_, i, u);
      gather(image, i, v);
      losses_.add_cost(i, u, scratch);
      const auto theta = losses_.row().shifted(u, scratch);
      losses_.row().omega().jvp(theta, std::span(mu_).subspan(i * width_, width_), v, own, scratch);
      for (double& entry : own) entry *= weight;
    });
    return out;
  }

  // Conjugate gradients for (λ + w J K) step = r, in the inner product of the kernel; `image` = K r.
  int find_step(std::vector<double> image, double squared, int products) {
    constexpr double share = 1e-4;  // of ‖r‖², at which the step is good enough
    std::vector<double> r = residual_, direction = r, direction_image = image;
    step_.assign(r.size(), 0.0);
    step_image_.assign(r.size(), 0.0);
    const double enough = share * squared;
    int used = 0;
    while (used < products) {
      std::vector<double> change = apply_jacobian(direction_image);
      add_scaled(l2_, direction, change.data());
      const double curvature = across(change, direction_image);
      if (!(curvature > 0)) break;
      const double along = squared / curvature;
      add_scaled(along, direction, step_.data());
      add_scaled(along, direction_image, step_image_.data());
      add_scaled(-along, change, r.data());
      image = product(r);
      ++used;
      const double before = squared;
      squared = across(r, image);
      if (!(squared > enough)) break;
      for (std::size_t e = 0; e < r.size(); ++e) {
        direction[e] = r[e] + squared / before * direction[e];
        direction_image[e] = image[e] + squared / before * direction_image[e];
      }
    }
    return used;
  }

  // Along the step, halved until P falls as it should. Returns whether it fell.
  bool search() {
    constexpr double least_share = 1e-4;  // of the fall that the slope promises
    constexpr double rounding = 1e-14;    // of P: a smaller fall is not to be seen
    constexpr int most_halvings = 30;
    const double slope = -across(residual_, step_image_);
    const double curvature = l2_ * across(step_, step_image_);
    const double tilt = l2_ * across(step_, theta_);
    const std::vector<double> a = a_, theta = theta_;
    const double before = loss_;
    double length = 1;
    for (int halvings = 0; halvings < most_halvings; ++halvings, length /= 2) {
      a_ = a;
      theta_ = theta;
      add_scaled(length, step_, a_.data());
      add_scaled(length, step_image_, theta_.data());
      evaluate();
      const double change = loss_ - before + length * tilt + 0.5 * length * length * curvature;
      if (change <= std::max(least_share * length * slope, -rounding * std::abs(before))) return true;
    }
    a_ = a;
    theta_ = theta;
    evaluate();
    return false;
  }

  const LinearLosses<T>& losses_;
  MatrixView<const double> gram_;
  std::size_t width_;
  double l2_;
  int threads_;
  std::vector<double> a_;      // a row per example
  std::vector<double> theta_;  // a row per output
  std::vector<double> mu_, residual_;
  std::vector<double> step_, step_image_;
  double loss_ = 0;  // without the penalty
};

}  // namespace fenchel
