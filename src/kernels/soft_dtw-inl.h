// SPDX-License-Identifier: Apache-2.0
// The forward pass of soft-DTW: A(i, j) as mantissa · 2^exponent.
#if defined(FENCHEL_KERNELS_SOFT_DTW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_SOFT_DTW_INL_H
#undef FENCHEL_KERNELS_SOFT_DTW_INL_H
#else
#define FENCHEL_KERNELS_SOFT_DTW_INL_H
#endif

#include <cmath>
#include <utility>

#include "kernels/diagonals-inl.h"
#include "kernels/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

// Exponents of masked scores and of places without a cell. Any number of additions keeps them apart from each
// other and from those of scores, and they stay finite: no NaN can arise. A tiny scale makes the exponent
// of a mask smaller.
inline constexpr double mask_exponent = 1e295;
inline constexpr double void_exponent = 1e305;
// A mantissa grows by a factor of at most 6 per diagonal and shrinks by at most ½: over this many diagonals
// it stays between 2^−64 and 2^166, so that a term left out because its exponent is 1023 lower is below
// 2^−790 of the sum.
inline constexpr std::size_t renormalized_every = 64;

struct Scaled {
  double mantissa = 1;
  double exponent = -void_exponent;
};

/// mantissa · 2^exponent, one per row.
struct ScaledLine {
  Line mantissa;
  Line exponent;

  explicit ScaledLine(Workspace& scratch) : mantissa(scratch), exponent(scratch) {}
  void clear() const {
    mantissa.fill(1);
    exponent.fill(-void_exponent);
  }
  void set_before(std::size_t i, Scaled value) const {
    *mantissa.before(i) = value.mantissa;
    *exponent.before(i) = value.exponent;
  }
  Scaled value_before(std::size_t i) const { return {*mantissa.before(i), *exponent.before(i)}; }

  /// Moves the binary exponents of the mantissas into the exponents.
  void renormalize(Range range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      int shift = 0;
      *mantissa.at(i) = std::frexp(*mantissa.at(i), &shift);
      *exponent.at(i) += shift;
    }
  }
};

/// x ↦ e^(scale·x) as mantissa and exponent.
struct ScaledExp {
  double high;  // scale · log2 e in two parts, so that large scores keep the digits after their binary point
  double low;
  double limit;  // of |x|, which keeps exponents within ±mask
  double mask;

  explicit ScaledExp(double scale) : high(scale * ExpConstants<double>::log2e) {
    low = std::fma(scale, ExpConstants<double>::log2e, -high) + scale * ExpConstants<double>::log2e_tail;
    limit = std::min(mask_exponent / std::abs(high), std::numeric_limits<double>::max());
    mask = limit * std::abs(high);
  }
};

/// 2^f for |f| ≤ 1, the polynomial of exp-inl.h by pairs of coefficients: a shorter chain than Horner's.
FENCHEL_INLINE Vector<double> exp2_fraction(Vector<double> f) {
  const auto& q = ExpConstants<double>::q;
  static_assert(std::size(ExpConstants<double>::q) == 11);
  const auto pair = [&](std::size_t k)
                        HWY_ATTR { return hn::MulAdd(broadcast(q[k + 1]), f, broadcast(q[k])); };
  const Vector<double> f2 = hn::Mul(f, f);
  const Vector<double> f4 = hn::Mul(f2, f2);
  const Vector<double> a = hn::MulAdd(pair(2), f2, pair(0));
  const Vector<double> b = hn::MulAdd(pair(6), f2, pair(4));
  const Vector<double> c = hn::MulAdd(broadcast(q[10]), f2, pair(8));
  return hn::MulAdd(hn::MulAdd(hn::MulAdd(c, f4, b), f4, a), f, broadcast(1.0));
}

/// v · 2^shift for whole shift ≤ 0.
FENCHEL_INLINE Vector<double> scaled_by(Vector<double> v, Vector<double> shift) {
  using C = ExpConstants<double>;
  const hn::RebindToUnsigned<Tag<double>> bits;
  const Vector<double> biased = hn::Add(hn::Max(shift, broadcast(C::lowest2)), broadcast(C::magic));
  return hn::Mul(v, hn::BitCast(Tag<double>(), hn::ShiftLeft<C::shift>(hn::BitCast(bits, biased))));
}

/// The forward pass over one strip after the other.
class Forward {
 public:
  Forward(const DiagonalGrid& grid, double scale, MoveProbabilities moves, Workspace& scratch)
      : grid_(grid),
        factor_(scale),
        moves_(moves),
        buffer_(scratch),
        two_before_(scratch),
        before_(scratch),
        now_(scratch),
        above_(scratch.take<Scaled>(grid.diagonals() + 2)) {
    std::fill(above_.begin(), above_.end(), Scaled{});
    above_[0] = {1, 0};  // the empty path
  }

  template <bool with_moves>
  double run(std::span<const double> scores) {
    for (const Strip& strip : grid_.strips) pass<with_moves>(strip, scores);
    const Scaled total = above_.back();
    if (total.exponent <= -factor_.mask / 2) return -infinity<double>;
    if (total.exponent >= factor_.mask / 2) return infinity<double>;
    constexpr double log2_high = 0.69314718055994530942;
    constexpr double log2_low = 2.3190468138462995584e-17;
    return std::fma(total.exponent, log2_high, std::fma(total.exponent, log2_low, std::log(total.mantissa)));
  }

 private:
  template <bool with_moves>
  void pass(const Strip& strip, std::span<const double> scores) {
    for (const ScaledLine* line : {&two_before_, &before_, &now_}) line->clear();
    before_.set_before(0, above(strip.first - 1));
    two_before_.set_before(0, above(strip.first - 2));
    for (std::size_t first = strip.first; first < strip.last; first += group) {
      const Group some{grid_, strip, first, std::min(first + group, strip.last)};
      some.read(scores, buffer_);
      for (std::size_t d = first; d < some.last; ++d) {
        const Range range(grid_, strip, d);
        double* moves = with_moves ? moves_.diagonal(grid_, strip.position + d - strip.first) : nullptr;
        diagonal<with_moves>(buffer_.line(d - first), range, moves);
        if constexpr (with_moves) close(range, moves);
        // Two diagonals in turn, because both feed the next one.
        if (d % renormalized_every < 2) now_.renormalize(range);
        now_.set_before(range.begin, range.begin == 0 ? above(d) : Scaled{});
        now_.set_before(range.end + 1, Scaled{});
        const bool has_last_row = strip.row + range.end == strip.row_end;
        above(d) = has_last_row ? now_.value_before(range.end) : Scaled{};
        std::swap(two_before_, before_);
        std::swap(before_, now_);
      }
    }
    std::fill(above_.begin() + static_cast<std::ptrdiff_t>(strip.last + 2), above_.end(), Scaled{});
  }

  /// Nothing moves into the places next to the cells.
  FENCHEL_INLINE void close(Range range, double* moves) const {
    for (std::size_t move = 0; move < 3; ++move) {
      double* probabilities = moves + move * grid_.pitch;
      if (range.begin > 0) probabilities[range.begin - 1] = 0;
      probabilities[range.end] = 0;
    }
  }

  template <bool with_moves>
  FENCHEL_INLINE void diagonal(const double* scores, Range range, double* moves) const {
    // In locals: a store of a vector may change any member.
    const Vector<double> one = broadcast(1.0);
    const Vector<double> limit = broadcast(factor_.limit);
    const Vector<double> high = broadcast(factor_.high);
    const Vector<double> low = broadcast(factor_.low);
    const std::size_t pitch = grid_.pitch;
    const double* before_mantissa = before_.mantissa.at(0);
    const double* before_exponent = before_.exponent.at(0);
    const double* two_before_mantissa = two_before_.mantissa.before(0);
    const double* two_before_exponent = two_before_.exponent.before(0);
    double* now_mantissa = now_.mantissa.at(0);
    double* now_exponent = now_.exponent.at(0);
    for (std::size_t i = range.start(); i < range.end; i += step) {
      const Vector<double> x = hn::Min(hn::Max(load(scores + i), hn::Neg(limit)), limit);
      const Vector<double> n = hn::Round(hn::Mul(x, high));
      Vector<double> f = hn::MulAdd(x, low, hn::MulSub(x, high, n));
      f = hn::Min(hn::Max(f, hn::Neg(one)), one);  // wider only where the score has no fraction left
      const Vector<double> power = exp2_fraction(f);

      const Vector<double> down_exponent = load(before_exponent + i - 1);
      const Vector<double> right_exponent = load(before_exponent + i);
      const Vector<double> diagonal_exponent = load(two_before_exponent + i);
      const Vector<double> top = hn::Max(hn::Max(down_exponent, right_exponent), diagonal_exponent);
      const Vector<double> down = scaled_by(load(before_mantissa + i - 1), hn::Sub(down_exponent, top));
      const Vector<double> right = scaled_by(load(before_mantissa + i), hn::Sub(right_exponent, top));
      const Vector<double> diagonal =
          scaled_by(load(two_before_mantissa + i), hn::Sub(diagonal_exponent, top));
      const Vector<double> sum = hn::Add(hn::Add(down, right), diagonal);
      store(hn::Mul(sum, power), now_mantissa + i);
      store(hn::Add(top, n), now_exponent + i);
      if constexpr (with_moves) {
        const Vector<double> inverse = hn::Div(one, sum);
        store(hn::Mul(down, inverse), moves + i);
        store(hn::Mul(right, inverse), moves + pitch + i);
        store(hn::Mul(diagonal, inverse), moves + 2 * pitch + i);
      }
    }
  }

  /// A at the row above the strip, on diagonal d ≥ −2; then at its last row.
  Scaled& above(std::size_t d) { return above_[d + 2]; }

  const DiagonalGrid& grid_;
  ScaledExp factor_;
  MoveProbabilities moves_;
  Buffer buffer_;
  ScaledLine two_before_;
  ScaledLine before_;
  ScaledLine now_;
  std::span<Scaled> above_;
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
