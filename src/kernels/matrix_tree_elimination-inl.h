// SPDX-License-Identifier: Apache-2.0
// Elimination of words from the walk "word → head" without subtraction, for every word as the last one.
//
// Eliminating word k at rate s = r(k) + Σ_h w(h, k): f(h) = w(h, k)/s is where the walk goes from k; every
// arc m → k becomes arcs m → h by w(h, m) += f(h) w(k, m), and r(m) += f(root) w(k, m). Loops at m are
// dropped, as they do not change where the walk goes (diagonals hold unused numbers). Words are eliminated in
// panels, whose updates to the rest are applied together: one pass over memory for several words.
#if defined(FENCHEL_KERNELS_MATRIX_TREE_ELIMINATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_MATRIX_TREE_ELIMINATION_INL_H
#undef FENCHEL_KERNELS_MATRIX_TREE_ELIMINATION_INL_H
#else
#define FENCHEL_KERNELS_MATRIX_TREE_ELIMINATION_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/matrix_tree_lanes-inl.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// The words first … last − 1 that are left, and the root: arc (h, m) at row h − first, column m − first.
struct Rest {
  double* arcs;
  double* root;
  std::size_t stride;
  std::size_t first;
  std::size_t last;

  std::size_t size() const { return last - first; }
};

/// Memory of Elimination, in graphs of n words (times the width).
struct EliminationScratch {
  std::span<double> fractions;  // n (n + 1): f of every eliminated word, the root's at n
  std::span<double> meeting;    // n n: X(h, m), the probability that the walk from h meets the root before m
  std::span<double> last;       // n: r̄(m), the rate of m towards the root when all others are eliminated
  std::span<double> pivots;     // n: the rate of each word when it is eliminated on the way to word 0
  std::span<double> spare;      // copies of what is left, at most 2 n² + 4 n + 64
};

template <std::size_t width>
class Elimination {
 public:
  Elimination(std::size_t n, const EliminationScratch& scratch) : n_(n), scratch_(scratch) {}

  /// Fills meeting, last and pivots; overwrites the graph.
  void run(const Rest& graph) const { descend(graph, scratch_.spare.data()); }

 private:
  static constexpr std::size_t rank = 4;          // words eliminated together
  static constexpr std::size_t accumulators = 8;  // columns of a row that advance together

  double* fraction(std::size_t k) const { return scratch_.fractions.data() + k * (n_ + 1) * width; }
  double* meeting(std::size_t h) const { return scratch_.meeting.data() + h * n_ * width; }

  void descend(const Rest& rest, double* spare) const {
    const std::size_t size = rest.size();
    if (size == 1) {
      std::copy_n(rest.root, width, scratch_.last.data() + rest.first * width);
      std::fill_n(meeting(rest.first) + rest.first * width, width, 0.0);
      return;
    }
    if (size == 2) return descend_pair(rest);
    const std::size_t half = size / 2;
    const std::size_t middle = rest.first + half;
    const Rest copy = copy_of(rest, spare);
    for (std::size_t end = size; end > half;) {
      const std::size_t count = std::min(rank, end - half);
      eliminate(copy, end - count, end, 0, end - count);
      end -= count;
    }
    double* deeper = spare + (size + 1) * size * width;
    descend({copy.arcs, copy.root, copy.stride, rest.first, middle}, deeper);
    for (std::size_t k = middle; k < rest.last; ++k) meet(k, rest.first, k, rest.first, middle);

    for (std::size_t begin = 0; begin < half;) {
      const std::size_t count = std::min(rank, half - begin);
      eliminate(rest, begin, begin + count, begin + count, size);
      begin += count;
    }
    descend({rest.arcs + half * (rest.stride + 1) * width, rest.root + half * width, rest.stride, middle,
             rest.last},
            spare);
    for (std::size_t k = middle; k-- > rest.first;) meet(k, k + 1, rest.last, middle, rest.last);
  }

  /// The same for two words, each by the other.
  FENCHEL_INLINE void descend_pair(const Rest& rest) const {
    using D = Tag<double>;
    for (std::size_t m = 0; m < 2; ++m) {
      const std::size_t k = 1 - m;
      const Vector<double> root = entry<width>(D(), rest.root + k * width);
      const Vector<double> rate = hn::Add(root, entry<width>(D(), rest.arcs + (m * rest.stride + k) * width));
      const Vector<double> share = hn::Div(root, rate);
      const Vector<double> into_k = entry<width>(D(), rest.arcs + (k * rest.stride + m) * width);
      const std::size_t word = rest.first + m;
      set_entry<width>(hn::MulAdd(share, into_k, entry<width>(D(), rest.root + m * width)),
                       scratch_.last.data() + word * width);
      set_entry<width>(share, meeting(rest.first + k) + word * width);
      std::fill_n(meeting(word) + word * width, width, 0.0);
      if (word == 0) set_entry<width>(rate, scratch_.pivots.data() + width);
    }
  }

  Rest copy_of(const Rest& rest, double* to) const {
    const std::size_t size = rest.size();
    for (std::size_t h = 0; h < size; ++h) {
      std::copy_n(rest.arcs + h * rest.stride * width, size * width, to + h * size * width);
    }
    std::copy_n(rest.root, size * width, to + size * size * width);
    return {to, to + size * size * width, size, rest.first, rest.last};
  }

  /// Eliminates the panel begin … end − 1 (from the side away from what is kept), keeping `kept` … `kept_end`
  /// − 1.
  FENCHEL_INLINE void eliminate(const Rest& rest, std::size_t begin, std::size_t end, std::size_t kept,
                                std::size_t kept_end) const {
    const bool upper = kept < begin;
    const std::size_t count = end - begin;
    std::size_t words[rank] = {};
    for (std::size_t t = 0; t < count; ++t) words[t] = upper ? end - 1 - t : begin + t;
    for (std::size_t t = 0; t < count; ++t) {
      const Columns left{upper ? kept : words[t] + 1, upper ? words[t] : kept_end};
      switch (t) {
        case 3:
          divide<3>(rest, words, left);
          break;
        case 2:
          divide<2>(rest, words, left);
          break;
        case 1:
          divide<1>(rest, words, left);
          break;
        default:
          divide<0>(rest, words, left);
      }
    }
    switch (count) {
      case 4:
        return update_kept<4>(rest, words, kept, kept_end);
      case 3:
        return update_kept<3>(rest, words, kept, kept_end);
      case 2:
        return update_kept<2>(rest, words, kept, kept_end);
      default:
        return update_kept<1>(rest, words, kept, kept_end);
    }
  }

  struct Columns {
    std::size_t begin, end;
  };

  /// The fractions of word k = words[done], once its row and column know of the `done` words eliminated
  /// before it in this panel: f(h) = w(h, k)/s over the words that are left and the root.
  template <std::size_t done>
  FENCHEL_INLINE void divide(const Rest& rest, const std::size_t* words, Columns left) const {
    using D = Tag<double>;
    const std::size_t k = words[done];
    const std::size_t step = rest.stride * width;
    const double* f[done + 1];
    const double* pivots[done + 1];
    Vector<double> into_k[done + 1];
    for (std::size_t t = 0; t < done; ++t) {
      f[t] = fraction(rest.first + words[t]) + rest.first * width;
      pivots[t] = rest.arcs + words[t] * step;
      into_k[t] = entry<width>(D(), pivots[t] + k * width);
    }
    if constexpr (done > 0) update_row<done>(f, pivots, rest.arcs + k * step, k, left);

    double* out = fraction(rest.first + k) + rest.first * width;
    const auto current = [&](const double* weight, std::size_t share) HWY_ATTR {
      Vector<double> value = entry<width>(D(), weight);
      for (std::size_t t = 0; t < done; ++t) {
        value = hn::MulAdd(entry<width>(D(), f[t] + share), into_k[t], value);
      }
      return value;
    };
    const double* column = rest.arcs + k * width;
    const Vector<double> root = current(rest.root + k * width, (n_ - rest.first) * width);
    // Four sums at a time, or the additions would wait for each other.
    Vector<double> sums[4] = {root, hn::Zero(D()), hn::Zero(D()), hn::Zero(D())};
    const auto take = [&](std::size_t h, Vector<double>& sum) HWY_ATTR {
      const Vector<double> value = current(column + h * step, h * width);
      set_entry<width>(value, out + h * width);
      sum = hn::Add(sum, value);
    };
    std::size_t h = left.begin;
    for (; h + 4 <= left.end; h += 4) {
      for (std::size_t j = 0; j < 4; ++j) take(h + j, sums[j]);
    }
    for (; h < left.end; ++h) take(h, sums[1]);
    const Vector<double> rate = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
    // On the way to word 0 it is always the upper half that goes.
    if (rest.first + left.begin == 0) set_entry<width>(rate, scratch_.pivots.data() + k * width);
    const Vector<double> inverse = hn::Div(broadcast(1.0), rate);
    for_each_chunk<width>(left.begin, left.end, [&](auto d, std::size_t i) HWY_ATTR {
      hn::StoreU(hn::Mul(hn::LoadU(d, out + i), first_lanes(d, inverse)), d, out + i);
    });
    set_entry<width>(hn::Mul(root, inverse), out + (n_ - rest.first) * width);
  }

  /// row k += Σ f_t(k) · row k_t over the columns left.
  template <std::size_t count>
  FENCHEL_INLINE void update_row(const double* const* f, const double* const* pivots, double* row,
                                 std::size_t k, Columns left) const {
    for_each_chunk<width>(left.begin, left.end, [&](auto d, std::size_t i) HWY_ATTR {
      auto value = hn::LoadU(d, row + i);
      for (std::size_t t = 0; t < count; ++t) {
        value = hn::MulAdd(entry<width>(d, f[t] + k * width), hn::LoadU(d, pivots[t] + i), value);
      }
      hn::StoreU(value, d, row + i);
    });
  }

  /// w(h, m) += Σ f_t(h) w(k_t, m) over the kept rows, two at a time, and the root.
  template <std::size_t count>
  FENCHEL_INLINE void update_kept(const Rest& rest, const std::size_t* words, std::size_t kept,
                                  std::size_t kept_end) const {
    const std::size_t step = rest.stride * width;
    const double* pivots[count];
    const double* f[count];
    for (std::size_t t = 0; t < count; ++t) {
      pivots[t] = rest.arcs + words[t] * step;
      f[t] = fraction(rest.first + words[t]);
    }
    std::size_t h = kept;
    for (; h + 2 <= kept_end; h += 2) {
      const std::size_t at = (rest.first + h) * width;
      update_two<count>(f, {at, at + width}, pivots, {rest.arcs + h * step, rest.arcs + (h + 1) * step},
                        {kept, kept_end});
    }
    if (h < kept_end) {
      update_two<count>(f, {(rest.first + h) * width, n_ * width}, pivots, {rest.arcs + h * step, rest.root},
                        {kept, kept_end});
    } else {
      update_one<count>(f, n_ * width, pivots, rest.root, {kept, kept_end});
    }
  }

  struct TwoShares {
    std::size_t a, b;
  };
  struct TwoRows {
    double *a, *b;
  };

  template <std::size_t count>
  FENCHEL_INLINE void update_two(const double* const (&f)[count], TwoShares share,
                                 const double* const (&pivots)[count], TwoRows rows, Columns columns) const {
    using D = Tag<double>;
    Vector<double> fa[count];
    Vector<double> fb[count];
    for (std::size_t t = 0; t < count; ++t) {
      fa[t] = entry<width>(D(), f[t] + share.a);
      fb[t] = entry<width>(D(), f[t] + share.b);
    }
    std::size_t i = columns.begin * width;
    const std::size_t end = columns.end * width;
    for (; i + lanes<double> <= end; i += lanes<double>) {
      Vector<double> a = load(rows.a + i);
      Vector<double> b = load(rows.b + i);
      for (std::size_t t = 0; t < count; ++t) {
        const Vector<double> pivot = load(pivots[t] + i);
        a = hn::MulAdd(fa[t], pivot, a);
        b = hn::MulAdd(fb[t], pivot, b);
      }
      store(a, rows.a + i);
      store(b, rows.b + i);
    }
    if constexpr (width == 1) {
      const Columns rest{i, end};
      update_tail<count>(f, share.a, pivots, rows.a, rest);
      update_tail<count>(f, share.b, pivots, rows.b, rest);
    }
  }

  template <std::size_t count>
  FENCHEL_INLINE void update_one(const double* const (&f)[count], std::size_t share,
                                 const double* const (&pivots)[count], double* row, Columns columns) const {
    std::size_t i = columns.begin * width;
    const std::size_t end = columns.end * width;
    for (; i + lanes<double> <= end; i += lanes<double>) {
      Vector<double> a = load(row + i);
      for (std::size_t t = 0; t < count; ++t) {
        a = hn::MulAdd(entry<width>(Tag<double>(), f[t] + share), load(pivots[t] + i), a);
      }
      store(a, row + i);
    }
    if constexpr (width == 1) update_tail<count>(f, share, pivots, row, {i, end});
  }

  template <std::size_t count>
  FENCHEL_INLINE void update_tail(const double* const (&f)[count], std::size_t share,
                                  const double* const (&pivots)[count], double* row, Columns columns) const {
    const hn::CappedTag<double, 1> d;
    for (std::size_t i = columns.begin; i < columns.end; ++i) {
      auto a = hn::LoadU(d, row + i);
      for (std::size_t t = 0; t < count; ++t) {
        a = hn::MulAdd(hn::Set(d, f[t][share]), hn::LoadU(d, pivots[t] + i), a);
      }
      hn::StoreU(a, d, row + i);
    }
  }

  /// X(k, m) = f_k(root) + Σ_h f_k(h) X(h, m) over the words h = from … to − 1 left when k was eliminated.
  FENCHEL_INLINE void meet(std::size_t k, std::size_t from, std::size_t to, std::size_t begin,
                           std::size_t end) const {
    constexpr std::size_t block = accumulators * lanes<double>;
    std::size_t i = begin * width;
    const std::size_t stop = end * width;
    for (; i + block <= stop; i += block) meet_columns<accumulators>(Tag<double>(), {k, from, to}, i);
    const std::size_t vectors = (stop - i) / lanes<double>;
    meet_up_to<accumulators - 1>(Tag<double>(), {k, from, to}, i, vectors);
    i += vectors * lanes<double>;
    if constexpr (width == 1)
      meet_up_to<lanes<double> - 1>(hn::CappedTag<double, 1>(), {k, from, to}, i, stop - i);
  }

  struct Heads {
    std::size_t word, from, to;
  };

  /// `count` vectors of columns, at most `most`, all at once.
  template <std::size_t most, class D>
  FENCHEL_INLINE void meet_up_to(D d, const Heads& heads, std::size_t at, std::size_t count) const {
    if constexpr (most > 0) {
      if (count == most) return meet_columns<most>(d, heads, at);
      meet_up_to<most - 1>(d, heads, at, count);
    }
  }

  template <std::size_t count, class D>
  FENCHEL_INLINE void meet_columns(D d, const Heads& heads, std::size_t at) const {
    const double* f = fraction(heads.word);
    hn::Vec<D> sums[count];
    for (std::size_t c = 0; c < count; ++c) sums[c] = entry<width>(d, f + n_ * width);
    for (std::size_t h = heads.from; h < heads.to; ++h) {
      const auto share = entry<width>(d, f + h * width);
      const double* row = meeting(h) + at;
      for (std::size_t c = 0; c < count; ++c) {
        sums[c] = hn::MulAdd(share, hn::LoadU(d, row + c * hn::MaxLanes(d)), sums[c]);
      }
    }
    for (std::size_t c = 0; c < count; ++c)
      hn::StoreU(sums[c], d, meeting(heads.word) + at + c * hn::MaxLanes(d));
  }

  std::size_t n_;
  EliminationScratch scratch_;
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
