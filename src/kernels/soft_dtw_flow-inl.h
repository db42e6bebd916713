// SPDX-License-Identifier: Apache-2.0
// The passes of soft-DTW that need only the probabilities of the moves.
//
// Backward: a cell passes an amount on to the three cells before it, in proportion to these probabilities.
// With amount E(s) this gives the marginals, E(k) = Σ E(s) P(k | s) over the cells s that follow k.
// Covariance with v: with a(s) = v(s) + Σ P(k | s) a(k) the expected sum of v on paths to s, the derivative
// of P(k | s) in direction v is P(k | s) (a(k) − a(s) + v(s)). So dE(k) = into(k) + a(k) E(k), where into(k)
// is what arrives when every cell passes on dE(s) − (a(s) − v(s)) E(s) = into(s) + v(s) E(s).
#if defined(FENCHEL_KERNELS_SOFT_DTW_FLOW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_SOFT_DTW_FLOW_INL_H
#undef FENCHEL_KERNELS_SOFT_DTW_FLOW_INL_H
#else
#define FENCHEL_KERNELS_SOFT_DTW_FLOW_INL_H
#endif

#include <utility>

#include "kernels/diagonals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// What a cell passes on of what flows into it, and what it keeps as its result: here both are the flow
/// itself.
struct ExpectedCells {
  void start(const Group&) const {}
  struct Diagonal {
    FENCHEL_INLINE Vector<double> amount(Vector<double> into, std::size_t) const { return into; }
    void add(std::size_t, double) const {}
  };
  Diagonal diagonal(const Group&, std::size_t) const { return {}; }
  const Buffer& result(const Buffer& amounts) const { return amounts; }
};

/// The same for the covariance; `sums` holds a by diagonals.
class CovarianceCells {
 public:
  CovarianceCells(const DiagonalGrid& grid, std::span<const double> mu, std::span<const double> v,
                  std::span<const double> sums, Workspace& scratch)
      : grid_(grid), mu_(mu), v_(v), sums_(sums), mu_buffer_(scratch), v_buffer_(scratch), result_(scratch) {}

  void start(const Group& some) const {
    some.read(mu_, mu_buffer_);
    some.read(v_, v_buffer_);
  }
  struct Diagonal {
    const double* mu;
    const double* v;
    const double* sums;
    double* result;
    FENCHEL_INLINE Vector<double> amount(Vector<double> into, std::size_t i) const {
      const Vector<double> expected = load(mu + i);
      store(hn::MulAdd(load(sums + i), expected, into), result + i);
      return hn::MulAdd(load(v + i), expected, into);
    }
    void add(std::size_t i, double more) const { result[i] += more; }
  };
  Diagonal diagonal(const Group& some, std::size_t d) const {
    const std::size_t k = d - some.first;
    const std::size_t position = some.strip.position + d - some.strip.first;
    return {mu_buffer_.line(k), v_buffer_.line(k), sums_.data() + position * grid_.pitch, result_.line(k)};
  }
  const Buffer& result(const Buffer&) const { return result_; }

 private:
  const DiagonalGrid& grid_;
  std::span<const double> mu_;
  std::span<const double> v_;
  std::span<const double> sums_;
  Buffer mu_buffer_;
  Buffer v_buffer_;
  Buffer result_;
};

/// The backward pass over one strip after the other, the last one first. The lines of the buffer are used in
/// turn, so those of the next two diagonals are still there.
class Backward {
 public:
  Backward(const DiagonalGrid& grid, MoveProbabilities moves, Workspace& scratch)
      : grid_(grid),
        moves_(moves),
        amounts_(scratch),
        nothing_(scratch.take<double>(3 * grid.pitch)),
        below_(scratch.take<Flow>(grid.diagonals() + 2)),
        above_(scratch.take<Flow>(grid.diagonals() + 2)) {
    std::fill(nothing_.begin(), nothing_.end(), 0.0);
    std::fill(below_.begin(), below_.end(), Flow{});
  }

  /// `seed` flows into the last cell.
  template <class Cells>
  void run(const Cells& cells, double seed, std::span<double> out) {
    if (!grid_.whole) std::fill(out.begin(), out.end(), 0.0);
    below_.back().diagonal = seed;
    for (std::size_t s = grid_.strips.size(); s-- > 0;) pass(grid_.strips[s], cells, out);
  }

 private:
  struct Flow {
    double down = 0;
    double diagonal = 0;
  };

  template <class Cells>
  void pass(const Strip& strip, const Cells& cells, std::span<double> out) {
    amounts_.clear();
    std::fill(above_.begin(), above_.end(), Flow{});
    const std::size_t height = strip.row_end - strip.row;
    const std::size_t groups = (strip.last - strip.first + group - 1) / group;
    for (std::size_t g = groups; g-- > 0;) {
      const std::size_t first = strip.first + g * group;
      const Group some{grid_, strip, first, std::min(first + group, strip.last)};
      cells.start(some);
      for (std::size_t d = some.last; d-- > first;) {
        const Range range(grid_, strip, d);
        const auto cells_of_diagonal = cells.diagonal(some, d);
        double* line = amounts_.line(d - first);
        diagonal(some, d, range, cells_of_diagonal);
        if (range.end == height) {
          const double more = below_[d + 1].down + below_[d + 2].diagonal;
          line[height - 1] += more;
          cells_of_diagonal.add(height - 1, more);
        }
        *(line + range.begin - 1) = line[range.end] = 0;
        if (range.begin == 0) {
          const double* moves = moves_at(strip, d);
          above_[d] = {line[0] * moves[0], line[0] * moves[2 * grid_.pitch]};
        }
      }
      some.write(cells.result(amounts_), out);
    }
    std::swap(above_, below_);
  }

  const double* moves_at(const Strip& strip, std::size_t d) const {
    return d < strip.last ? moves_.diagonal(grid_, strip.position + d - strip.first) : nothing_.data();
  }

  template <class CellsDiagonal>
  FENCHEL_INLINE void diagonal(const Group& some, std::size_t d, Range range, CellsDiagonal cells) const {
    const std::size_t k = d - some.first;
    const double* after = amounts_.line((k + 1) % group);
    const double* two_after = amounts_.line((k + 2) % group);
    const double* down = moves_at(some.strip, d + 1);
    const double* right = down + grid_.pitch;
    const double* diagonal = moves_at(some.strip, d + 2) + 2 * grid_.pitch;
    double* now = amounts_.line(k);
    // The next probabilities lie before these, where the hardware does not look ahead.
    const double* ahead = moves_at(some.strip, std::max(d, some.strip.first + 1) - 1);
    const std::size_t pitch = grid_.pitch;
    for (std::size_t i = range.start(); i < range.end; i += step) {
      Vector<double> into = hn::Mul(load(after + i + 1), load(down + i + 1));
      into = hn::MulAdd(load(after + i), load(right + i), into);
      into = hn::MulAdd(load(two_after + i + 1), load(diagonal + i + 1), into);
      store(cells.amount(into, i), now + i);
      hwy::Prefetch(ahead + i);
      hwy::Prefetch(ahead + pitch + i);
      hwy::Prefetch(ahead + 2 * pitch + i);
    }
  }

  const DiagonalGrid& grid_;
  MoveProbabilities moves_;
  Buffer amounts_;
  std::span<double> nothing_;  // probabilities of the moves into a diagonal past the last one
  std::span<Flow> below_;      // from the row below the strip, by diagonals
  std::span<Flow> above_;      // from the first row of the strip
};

/// sums = a by diagonals; returns a at the last cell.
inline double expected_sums(const DiagonalGrid& grid, MoveProbabilities moves, std::span<const double> v,
                            std::span<double> sums, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const Buffer buffer(scratch);
  Line two_before(scratch);
  Line before(scratch);
  Line now(scratch);
  const std::span<double> above = scratch.take<double>(grid.diagonals() + 2);  // as in Forward
  std::fill(above.begin(), above.end(), 0.0);
  for (const Strip& strip : grid.strips) {
    for (const Line* line : {&two_before, &before, &now}) line->fill(0);
    *before.before(0) = above[strip.first + 1];
    *two_before.before(0) = above[strip.first];
    for (std::size_t first = strip.first; first < strip.last; first += group) {
      const Group some{grid, strip, first, std::min(first + group, strip.last)};
      some.read(v, buffer);
      for (std::size_t d = first; d < some.last; ++d) {
        const Range range(grid, strip, d);
        const std::size_t position = strip.position + d - strip.first;
        const double* from = moves.diagonal(grid, position);
        for (std::size_t i = range.start(); i < range.end; i += step) {
          Vector<double> sum = load(buffer.line(d - first) + i);
          sum = hn::MulAdd(load(from + i), load(before.before(i)), sum);
          sum = hn::MulAdd(load(from + grid.pitch + i), load(before.at(i)), sum);
          sum = hn::MulAdd(load(from + 2 * grid.pitch + i), load(two_before.before(i)), sum);
          store(sum, now.at(i));
          store(sum, sums.data() + position * grid.pitch + i);
        }
        *now.before(range.begin) = range.begin == 0 ? above[d + 2] : 0;
        *now.at(range.end) = 0;
        above[d + 2] = strip.row + range.end == strip.row_end ? *now.before(range.end) : 0;
        std::swap(two_before, before);
        std::swap(before, now);
      }
    }
  }
  return above.back();
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
