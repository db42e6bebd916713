// SPDX-License-Identifier: Apache-2.0
// The root τ of S_q(τ) = Σ [z − τ]_+^q = 1 over scores in double, and the powers at the root.
#if defined(FENCHEL_KERNELS_THRESHOLD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_THRESHOLD_INL_H
#undef FENCHEL_KERNELS_THRESHOLD_INL_H
#else
#define FENCHEL_KERNELS_THRESHOLD_INL_H
#endif

#include "kernels/powers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// More steps than any row needs; only a garbage row could get this far.
inline constexpr std::size_t step_limit = 1000;

/// Scores come in whole pairs of vectors, the rest filled with −inf.
inline std::size_t padded_size(std::size_t count) {
  constexpr std::size_t unit = 2 * lanes<double>;
  return (count + unit - 1) / unit * unit;
}
inline void pad_scores(double* z, std::size_t count) {
  std::fill(z + count, z + padded_size(count), -infinity<double>);
}

/// At most `steps` Newton steps from a lower bound: every iterate is a lower bound too.
template <class Power>
FENCHEL_INLINE double solve_threshold(const Power& power, const double* z, std::size_t padded, double tau,
                                      std::size_t steps) {
  const Tag<double> d;
  constexpr std::size_t n = lanes<double>;
  const Vector<double> zero = hn::Zero(d);
  for (std::size_t i = 0; i < steps; ++i) {
    const Vector<double> t = broadcast(tau);
    Vector<double> low[2] = {zero, zero};
    Vector<double> high[2] = {zero, zero};
    for (std::size_t k = 0; k < padded; k += 2 * n) {
      power.accumulate(hn::Max(hn::Sub(hn::Load(d, z + k), t), zero), low[0], high[0]);
      power.accumulate(hn::Max(hn::Sub(hn::Load(d, z + k + n), t), zero), low[1], high[1]);
    }
    const double step = power.step(hn::GetLane(hn::SumOfLanes(d, hn::Add(low[0], low[1]))),
                                   hn::GetLane(hn::SumOfLanes(d, hn::Add(high[0], high[1]))));
    if (!(step > 0.0)) break;
    tau += step;
    if (step <= Power::template tolerance<double>) break;
  }
  return tau;
}

struct ThresholdSums {
  double mass;   // S_q
  double above;  // S_{q+1}
};

/// Pairs of vectors added up before their sum joins the compensated total: a long row then sums to one
/// as accurately as a short one.
inline constexpr std::size_t chain_length = 8;

/// z becomes [z − τ]_+^q.
template <class Power>
FENCHEL_INLINE ThresholdSums raise_scores(const Power& power, double* z, std::size_t padded, double tau) {
  const Tag<double> d;
  constexpr std::size_t n = lanes<double>;
  const Vector<double> t = broadcast(tau);
  const Vector<double> zero = hn::Zero(d);
  Vector<double> mass = zero;
  Vector<double> lost = zero;
  Vector<double> above = zero;
  for (std::size_t first = 0; first < padded; first += chain_length * 2 * n) {
    const std::size_t last = std::min(padded, first + chain_length * 2 * n);
    Vector<double> part[2] = {zero, zero};
    for (std::size_t k = first; k < last; k += 2 * n) {
      for (std::size_t j = 0; j < 2; ++j) {
        const Vector<double> u = hn::Max(hn::Sub(hn::Load(d, z + k + j * n), t), zero);
        const Vector<double> p = power.raise(u);
        hn::Store(p, d, z + k + j * n);
        part[j] = hn::Add(part[j], p);
        above = hn::MulAdd(p, u, above);
      }
    }
    const Vector<double> term = hn::Sub(hn::Add(part[0], part[1]), lost);
    const Vector<double> sum = hn::Add(mass, term);
    lost = hn::Sub(hn::Sub(sum, mass), term);
    mass = sum;
  }
  return {hn::GetLane(hn::SumOfLanes(d, mass)), hn::GetLane(hn::SumOfLanes(d, above))};
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
