// SPDX-License-Identifier: Apache-2.0
// A strip of rows by anti-diagonals: some diagonals at a time, in a buffer of L1 size, by transposing
// parallelograms. Row r of such a block starts one column further left than row r − 1, so that its transpose
// has one diagonal per vector.
//
// Vectors start at multiples of their size, so they may reach past both ends of a diagonal. Such lanes hold
// meaningless values; a cell looks only at its neighbours, so only the one place before and the one after the
// cells of a diagonal must be right.
#if defined(FENCHEL_KERNELS_DIAGONALS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_DIAGONALS_INL_H
#undef FENCHEL_KERNELS_DIAGONALS_INL_H
#else
#define FENCHEL_KERNELS_DIAGONALS_INL_H
#endif

#include <span>

#include "fenchel/core/workspace.hpp"
#include "kernels/soft_dtw.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

using Strip = DiagonalGrid::Strip;

inline constexpr std::size_t step = lanes<double>;
inline constexpr std::size_t group = 8;  // diagonals handled together: a cache line of every row

/// Transposes lanes × lanes entries in place.
FENCHEL_INLINE void transpose(Vector<double> (&v)[step]) {
  const Tag<double> d;
  if constexpr (step == 2) {
    const auto first = v[0];
    v[0] = hn::InterleaveLower(d, first, v[1]);
    v[1] = hn::InterleaveUpper(d, first, v[1]);
  } else {
    const auto a = hn::InterleaveLower(d, v[0], v[1]);
    const auto b = hn::InterleaveUpper(d, v[0], v[1]);
    const auto e = hn::InterleaveLower(d, v[2], v[3]);
    const auto f = hn::InterleaveUpper(d, v[2], v[3]);
    v[0] = hn::ConcatLowerLower(d, e, a);
    v[1] = hn::ConcatLowerLower(d, f, b);
    v[2] = hn::ConcatUpperUpper(d, e, a);
    v[3] = hn::ConcatUpperUpper(d, f, b);
  }
}

/// One value per row of a strip, and one place on each side.
class Line {
 public:
  explicit Line(Workspace& scratch)
      : memory_(scratch.take<double>(left + DiagonalGrid::strip_rows + right)) {}
  void fill(double value) const { std::fill(memory_.begin(), memory_.end(), value); }
  /// The place of row i of the strip, −1 included.
  double* at(std::size_t i) const { return memory_.data() + left + i; }
  double* before(std::size_t i) const { return memory_.data() + left + i - 1; }

 private:
  static constexpr std::size_t left = step;
  static constexpr std::size_t right = step;
  std::span<double> memory_;
};

/// The rows of the strip, counted from its first, that have cells on one diagonal.
struct Range {
  std::size_t begin;
  std::size_t end;

  Range(const DiagonalGrid& grid, const Strip& strip, std::size_t d)
      : begin(std::max<std::size_t>(grid.begin[d], strip.row) - strip.row),
        end(std::min<std::size_t>(grid.end[d], strip.row_end) - strip.row) {}
  std::size_t start() const { return begin / step * step; }
};

/// Entries of the diagonals first, …, last − 1 ≤ first + group − 1 of a strip; a line has a place on each
/// side.
class Buffer {
 public:
  explicit Buffer(Workspace& scratch) : values_(scratch.take<double>(left + group * pitch)) { clear(); }
  void clear() const { std::fill(values_.begin(), values_.end(), 0.0); }
  double* line(std::size_t k) const { return values_.data() + left + k * pitch; }

  static constexpr std::size_t pitch =
      DiagonalGrid::strip_rows + 8;  // not a power of two: lines share no cache set

 private:
  static constexpr std::size_t left = 8;
  std::span<double> values_;
};

/// Some diagonals of a strip.
struct Group {
  const DiagonalGrid& grid;
  const Strip& strip;
  std::size_t first;
  std::size_t last;

  /// Entry (i, d − i) of a row-major matrix, i counted from the first row of the strip.
  std::size_t index(std::size_t i, std::size_t d) const { return (strip.row + i) * (grid.cols - 1) + d; }

  /// Reads these diagonals of `matrix`. Places without a cell get any entry of it, or 0.
  void read(std::span<const double> matrix, const Buffer& buffer) const {
    // In locals: a store of a vector may change any member.
    const std::size_t stride = grid.cols - 1;
    const double* entries = matrix.data();
    const std::size_t size = matrix.size();
    double* lines = buffer.line(0);
    const std::size_t top = index(0, first);
    const std::size_t end = Range(grid, strip, last - 1).end;
    for (std::size_t i = Range(grid, strip, first).start(); i < end; i += step) {
      for (std::size_t k = 0; k < group; k += step) {
        const std::size_t start = top + i * stride + k;
        Vector<double> v[step];
        if (start + (step - 1) * stride + 3 * group <= size) {
          for (std::size_t r = 0; r < step; ++r) {
            v[r] = load(entries + start + r * stride);
            if (k == 0) hwy::Prefetch(entries + start + r * stride + 2 * group);
          }
        } else {
          for (std::size_t r = 0; r < step; ++r) {
            const std::size_t from = std::min(start + r * stride, size);
            v[r] = load_first(entries + from, std::min(step, size - from), 0.0);
          }
        }
        transpose(v);
        for (std::size_t r = 0; r < step; ++r) store(v[r], lines + (k + r) * Buffer::pitch + i);
      }
    }
  }

  /// Writes the cells of these diagonals, and nothing else, to `matrix`.
  void write(const Buffer& buffer, std::span<double> matrix) const {
    // Rows from `inner` to `outer` have a cell on every diagonal of the group.
    const bool full = last - first == group;
    const std::size_t end = Range(grid, strip, last - 1).end;
    const std::size_t inner = full ? (Range(grid, strip, last - 1).begin + step - 1) / step * step : end;
    const std::size_t outer = std::max(inner, Range(grid, strip, first).end / step * step);
    write_rows(buffer, 0, std::min(inner, end), matrix);
    // In locals: a store of a vector may change any member.
    const std::size_t stride = grid.cols - 1;
    const double* lines = buffer.line(0);
    double* start = matrix.data() + index(0, first);
    for (std::size_t i = inner; i < outer; i += step) {
      for (std::size_t k = 0; k < group; k += step) {
        Vector<double> v[step];
        for (std::size_t r = 0; r < step; ++r) v[r] = load(lines + (k + r) * Buffer::pitch + i);
        transpose(v);
        for (std::size_t r = 0; r < step; ++r) store(v[r], start + (i + r) * stride + k);
      }
    }
    write_rows(buffer, outer, end, matrix);
  }

 private:
  /// The same cell by cell, for some rows.
  void write_rows(const Buffer& buffer, std::size_t row, std::size_t row_end,
                  std::span<double> matrix) const {
    for (std::size_t k = 0; k < last - first && row < row_end; ++k) {
      const Range range(grid, strip, first + k);
      const double* line = buffer.line(k);
      double* start = matrix.data() + index(0, first + k);
      const std::size_t stop = std::min(row_end, range.end);
      for (std::size_t i = std::max(row, range.begin); i < stop; ++i) start[i * (grid.cols - 1)] = line[i];
    }
  }
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
