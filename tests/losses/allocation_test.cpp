// SPDX-License-Identifier: Apache-2.0
// Steady state allocates nothing per row: calls of operator new are counted for the whole program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "fenchel/losses/ragged.hpp"
#include "structures.hpp"

// The sanitizers bring an operator new of their own, which must stay in place to find mistakes.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace fenchel::test {
namespace {

template <Real T>
std::size_t allocations_of_a_pass(const AnyRegularizer& omega, std::size_t rows, std::size_t d) {
  Random random(1);
  std::vector<T> theta(rows * d), out(rows * d);
  for (T& entry : theta) entry = static_cast<T>(random.normal());
  const std::vector<std::int32_t> labels(rows, 1);
  Vector losses(rows);
  std::size_t counted_calls = 0;
  for (int pass = 0; pass < 3; ++pass) {  // the first passes fill the workspaces
    const std::size_t before = allocations;
    const MatrixView<const T> scores(theta.data(), rows, d);
    const MatrixView<T> written(out.data(), rows, d);
    FenchelYoungLoss(omega).predict(scores, written, {.threads = 1});
    FenchelYoungLoss(omega).value_and_gradient(scores, Targets<T>(std::span<const std::int32_t>(labels)),
                                               losses, written, {.threads = 1});
    FenchelYoungLoss(omega).jvp(scores, scores, written, {.threads = 1});
    counted_calls = allocations - before;
  }
  return counted_calls;
}

TEST(Allocation, NonePerRowInSteadyState) {
  for (const Named& named : every_regularizer()) {
    if (named.traits().predict_by_search) continue;  // not meant for speed
    const std::size_t d = named.d == 0 ? 6 : named.d;
    EXPECT_LE(allocations_of_a_pass<double>(named.omega, 500, d), 20u) << named;
    EXPECT_LE(allocations_of_a_pass<float>(named.omega, 500, d), 20u) << named;
  }
}

// Ragged batches of structured losses. k-best lists and the network simplex of transport are left out: they
// keep lists of their own.
TEST(Allocation, NonePerExampleInSteadyState) {
  for (const NamedSet& named : every_polytope()) {
    const AnyPolytope& set = named.set;
    if (set.traits().allocates) continue;
    std::vector<AnyRegularizer> kinds{Map{set}};
    if (!set.offers(Oracle::project)) kinds.emplace_back(SparseMap{set});
    if (set.offers(Oracle::marginals)) kinds.emplace_back(Marginal{set});
    for (const AnyRegularizer& omega : kinds) {
      constexpr std::size_t examples = 100;
      const std::vector<FenchelYoungLoss> losses_of(examples, omega);
      Random random(2);
      std::vector<std::size_t> offsets{0};
      for (std::size_t i = 1; i <= examples; ++i) offsets.push_back(i * set.dimension());
      const Vector theta = normal_vector(random, examples * set.dimension());
      Vector y, gradient(theta.size()), losses(examples);
      for (std::size_t i = 0; i < examples; ++i) {
        const Vector target = random_vertex(set, random);
        y.insert(y.end(), target.begin(), target.end());
      }
      std::size_t counted_calls = 0;
      for (int pass = 0; pass < 3; ++pass) {
        const std::size_t before = allocations;
        batch::loss_and_gradient(losses_of, RaggedView<const double>(theta.data(), offsets),
                                 RaggedView<const double>(y.data(), offsets), losses,
                                 RaggedView<double>(gradient.data(), offsets), {.threads = 1});
        counted_calls = allocations - before;
      }
      EXPECT_LE(counted_calls, 20u) << omega.spec().name << " over " << named;
    }
  }
}

}  // namespace
}  // namespace fenchel::test

#endif
