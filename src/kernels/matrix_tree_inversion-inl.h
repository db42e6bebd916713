// SPDX-License-Identifier: Apache-2.0
// The inverse C of the matrix of the walk "word → head" (rates on the diagonal, −w(h, m) off it): C(i, j) is
// the time that the walk from j spends at i. It too takes no subtraction: rates are sums of what leaves.
//
// Panels of words are eliminated in place. With N the nonnegative numbers held (weights between words left,
// times between eliminated words, shares of the ways between the two), a panel P whose block has the inverse
// D changes them by
//   N(i, P) ← N(i, P) D,   N(i, j) += N(i, P) N(P, j),   N(P, j) ← D N(P, j),   N(P, P) ← D,
// in this order, for all i and j outside P. The root is the last row. n³ multiplications and no copies.
#if defined(FENCHEL_KERNELS_MATRIX_TREE_INVERSION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_MATRIX_TREE_INVERSION_INL_H
#undef FENCHEL_KERNELS_MATRIX_TREE_INVERSION_INL_H
#else
#define FENCHEL_KERNELS_MATRIX_TREE_INVERSION_INL_H
#endif

#include <cstddef>

#include "kernels/matrix_tree_lanes-inl.h"
#include "kernels/matrix_tree_panel-inl.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

template <std::size_t width>
class Inversion {
 public:
  /// `arcs`: n + 1 rows of n columns, the root's weights last. `rates`: a number for each panel.
  Inversion(std::size_t n, double* arcs, double* rates) : n_(n), arcs_(arcs), rates_(rates) {}

  /// Replaces the arcs by C, and fills `rates` with the product of the rates of each panel's words.
  void run() const {
    std::size_t begin = 0;
    for (; begin + panel_rank <= n_; begin += panel_rank) eliminate<panel_rank>(begin);
    switch (n_ - begin) {
      case 3:
        return eliminate<3>(begin);
      case 2:
        return eliminate<2>(begin);
      case 1:
        return eliminate<1>(begin);
      default:
        return;
    }
  }

 private:
  double* row(std::size_t h) const { return arcs_ + h * n_ * width; }

  template <std::size_t count>
  FENCHEL_INLINE void eliminate(std::size_t begin) const {
    const std::size_t end = begin + count;
    Panel<width, count> panel(arcs_, row(n_), n_ * width, begin);
    Vector<double> rates[count];
    panel.invert({end, n_}, rates);
    for (std::size_t t = 1; t < count; ++t) rates[0] = hn::Mul(rates[0], rates[t]);
    set_entry<width>(rates[0], rates_ + begin / panel_rank * width);
    update(panel, {begin, end}, {0, begin});
    update(panel, {begin, end}, {end, n_ + 1});
    finish_rows(panel, begin);
  }

  template <std::size_t count>
  FENCHEL_INLINE void update(const Panel<width, count>& panel, Words words, Words rows) const {
    std::size_t h = rows.begin;
    for (; h + panel_rows <= rows.end; h += panel_rows) update_rows<panel_rows>(panel, words, h);
    with_count<panel_rows - 1>(rows.end - h, [&](auto few) HWY_ATTR { update_rows<few>(panel, words, h); });
  }

  template <std::size_t rows, std::size_t count>
  FENCHEL_INLINE void update_rows(const Panel<width, count>& panel, Words words, std::size_t h) const {
    double* own[rows];
    for (std::size_t r = 0; r < rows; ++r) own[r] = row(h + r);
    Vector<double> shares[rows][count];
    panel.share(own, shares);
    panel.add(own, shares, {0, words.begin});
    panel.add(own, shares, {words.end, n_});
  }

  /// N(P, j) ← D N(P, j) and N(P, P) ← D.
  template <std::size_t count>
  FENCHEL_INLINE void finish_rows(const Panel<width, count>& panel, std::size_t begin) const {
    const std::size_t step = n_ * width;
    double* pivot = row(begin);
    const auto change = [&](auto d, std::size_t i) HWY_ATTR {
      hn::Vec<decltype(d)> old[count];
      for (std::size_t u = 0; u < count; ++u) old[u] = hn::LoadU(d, pivot + u * step + i);
      for (std::size_t t = 0; t < count; ++t) {
        auto value = hn::Mul(first_lanes(d, panel.at(t, 0)), old[0]);
        for (std::size_t u = 1; u < count; ++u)
          value = hn::MulAdd(first_lanes(d, panel.at(t, u)), old[u], value);
        hn::StoreU(value, d, pivot + t * step + i);
      }
    };
    for_each_chunk<width>(0, begin, change);
    for_each_chunk<width>(begin + count, n_, change);
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t u = 0; u < count; ++u)
        set_entry<width>(panel.at(t, u), pivot + t * step + (begin + u) * width);
    }
  }

  std::size_t n_;
  double* arcs_;
  double* rates_;
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
