// SPDX-License-Identifier: Apache-2.0
// Elimination of several neighbouring words at once from the walk "word → head", without subtraction.
//
// With P the words of the panel, D(i, j) is the time that the walk from j spends at i before it leaves P. It
// comes from eliminating them one by one inside the block, the rate of k being the sum of its ways out.
// N(h, P) D then holds where the walk leaves to, and arcs into P become arcs by N(h, m) += N(h, P) D N(P, m).
// Loops at m are dropped, as they do not change where the walk goes (diagonals hold unused numbers).
#if defined(FENCHEL_KERNELS_MATRIX_TREE_PANEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_MATRIX_TREE_PANEL_INL_H
#undef FENCHEL_KERNELS_MATRIX_TREE_PANEL_INL_H
#else
#define FENCHEL_KERNELS_MATRIX_TREE_PANEL_INL_H
#endif

#include <cstddef>
#include <type_traits>

#include "kernels/matrix_tree_lanes-inl.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

inline constexpr std::size_t panel_rank = 4;  // words eliminated together
// Rows updated together: with their shares they fill the registers.
inline constexpr std::size_t panel_rows = 3;

/// Calls op with `count` ≤ most as a constant.
template <std::size_t most, class Op>
FENCHEL_INLINE void with_count(std::size_t count, Op op) {
  if constexpr (most > 0) {
    if (count == most) return op(std::integral_constant<std::size_t, most>());
    with_count<most - 1>(count, op);
  }
}

struct Words {
  std::size_t begin, end;
};

/// `count` words from `begin` on of a graph whose rows are `step` numbers apart.
template <std::size_t width, std::size_t count>
class Panel {
 public:
  using V = Vector<double>;

  Panel(double* arcs, double* root, std::size_t step, std::size_t begin)
      : arcs_(arcs), root_(root), step_(step), begin_(begin) {}

  /// Fills D, given the other words that are left, and `rates` with the rate of each word.
  FENCHEL_INLINE void invert(Words left, V (&rates)[count]) {
    using D = Tag<double>;
    V out[count];   // the rates out of the panel
    V more[count];  // two sums each, or the additions would wait for each other
    for (std::size_t t = 0; t < count; ++t) {
      out[t] = entry<width>(D(), root_ + (begin_ + t) * width);
      more[t] = hn::Zero(D());
    }
    const double* column = arcs_ + begin_ * width;
    std::size_t h = left.begin;
    for (; h + 2 <= left.end; h += 2) {
      for (std::size_t t = 0; t < count; ++t) {
        out[t] = hn::Add(out[t], entry<width>(D(), column + h * step_ + t * width));
        more[t] = hn::Add(more[t], entry<width>(D(), column + (h + 1) * step_ + t * width));
      }
    }
    if (h < left.end) {
      for (std::size_t t = 0; t < count; ++t)
        more[t] = hn::Add(more[t], entry<width>(D(), column + h * step_ + t * width));
    }
    V a[count][count];
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = hn::Add(out[i], more[i]);
      for (std::size_t j = 0; j < count; ++j)
        a[i][j] = entry<width>(D(), column + (begin_ + i) * step_ + j * width);
    }
    for (std::size_t p = 0; p < count; ++p) rates[p] = sweep(a, out, p);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j)
        hn::Store(a[i][j], D(), values_ + (i * count + j) * lanes<double>);
    }
  }

  /// D(i, j), in every lane its own (all lanes alike where the width is 1).
  FENCHEL_INLINE V at(std::size_t i, std::size_t j) const {
    return hn::Load(Tag<double>(), values_ + (i * count + j) * lanes<double>);
  }

  /// N(h, P) ← N(h, P) D for some rows h.
  template <std::size_t rows>
  FENCHEL_INLINE void share(double* const* row, V (&shares)[rows][count]) const {
    for (std::size_t r = 0; r < rows; ++r) {
      double* own = row[r] + begin_ * width;
      V old[count];
      for (std::size_t u = 0; u < count; ++u) old[u] = entry<width>(Tag<double>(), own + u * width);
      for (std::size_t t = 0; t < count; ++t) {
        shares[r][t] = hn::Mul(old[0], at(0, t));
        for (std::size_t u = 1; u < count; ++u) shares[r][t] = hn::MulAdd(old[u], at(u, t), shares[r][t]);
      }
      for (std::size_t t = 0; t < count; ++t) set_entry<width>(shares[r][t], own + t * width);
    }
  }

  /// N(h, m) += N(h, P) N(P, m) for some rows h and columns m.
  template <std::size_t rows>
  FENCHEL_INLINE void add(double* const* row, const V (&shares)[rows][count], Words columns) const {
    const double* pivot = arcs_ + begin_ * step_;
    for_each_chunk<width>(columns.begin, columns.end, [&](auto d, std::size_t i) HWY_ATTR {
      hn::Vec<decltype(d)> value[rows];
      for (std::size_t r = 0; r < rows; ++r) value[r] = hn::LoadU(d, row[r] + i);
      for (std::size_t t = 0; t < count; ++t) {
        const auto weight = hn::LoadU(d, pivot + t * step_ + i);
        for (std::size_t r = 0; r < rows; ++r)
          value[r] = hn::MulAdd(first_lanes(d, shares[r][t]), weight, value[r]);
      }
      for (std::size_t r = 0; r < rows; ++r) hn::StoreU(value[r], d, row[r] + i);
    });
  }

 private:
  /// Eliminates word p inside the block, and returns its rate.
  static FENCHEL_INLINE V sweep(V (&a)[count][count], V (&out)[count], std::size_t p) {
    V rate = out[p];
    for (std::size_t i = p + 1; i < count; ++i) rate = hn::Add(rate, a[i][p]);
    const V inverse = hn::Div(broadcast(1.0), rate);
    const V share_out = hn::Mul(out[p], inverse);
    for (std::size_t j = p + 1; j < count; ++j) out[j] = hn::MulAdd(share_out, a[p][j], out[j]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i == p) continue;
      a[i][p] = hn::Mul(a[i][p], inverse);
      for (std::size_t j = 0; j < count; ++j) {
        if (j != p) a[i][j] = hn::MulAdd(a[i][p], a[p][j], a[i][j]);
      }
    }
    for (std::size_t j = 0; j < count; ++j) a[p][j] = j == p ? inverse : hn::Mul(a[p][j], inverse);
    return rate;
  }

  double* arcs_;
  double* root_;
  std::size_t step_;
  std::size_t begin_;
  HWY_ALIGN double values_[count * count * lanes<double>];
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
