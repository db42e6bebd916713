// SPDX-License-Identifier: Apache-2.0
// Elimination of words from the walk "word → head" without subtraction, for every word as the last one: first
// one half of the words, then the other, each time recursing into the half that is left. Words are eliminated
// in panels; the shares of the ways out of them stay in their columns until the walks from them are known.
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
#include "kernels/matrix_tree_panel-inl.h"
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
  std::span<double> meeting;  // n n: X(h, m), the probability that the walk from h meets the root before m
  std::span<double> last;     // n: r̄(m), the rate of m towards the root when all others are eliminated
  std::span<double> pivots;   // n: the rate of each word when it is eliminated on the way to word 0
  std::span<double> spare;    // copies of what is left, at most 2 n² + 4 n + 64
};

template <std::size_t width>
class Elimination {
 public:
  Elimination(std::size_t n, const EliminationScratch& scratch) : n_(n), scratch_(scratch) {}

  /// Fills meeting, last and pivots; overwrites the graph.
  void run(const Rest& graph) const { descend(graph, scratch_.spare.data()); }

 private:
  using V = Vector<double>;
  static constexpr std::size_t accumulators = 3;  // vectors of columns that advance together

  double* meeting(std::size_t h) const { return scratch_.meeting.data() + h * n_ * width; }

  void descend(const Rest& rest, double* spare) const {
    const std::size_t size = rest.size();
    if (size <= leaf_size) return with_count<leaf_size>(size, [&](auto count) { leaf<count>(rest); });
    const std::size_t half = size / 2;
    const Rest copy = copy_of(rest, spare);
    for (std::size_t end = size; end > half;) {
      const std::size_t begin = end - std::min(panel_rank, end - half);
      eliminate(copy, {begin, end}, {0, begin});
      end = begin;
    }
    descend({copy.arcs, copy.root, copy.stride, rest.first, rest.first + half},
            spare + (size + 1) * size * width);
    for (std::size_t begin = half; begin < size;) {
      const std::size_t end =
          begin + ((size - begin) % panel_rank == 0 ? panel_rank : (size - begin) % panel_rank);
      meet(copy, {begin, end}, {0, begin}, {0, half});
      begin = end;
    }
    for (std::size_t begin = 0; begin < half;) {
      const std::size_t end = std::min(begin + panel_rank, half);
      eliminate(rest, {begin, end}, {end, size});
      begin = end;
    }
    descend({rest.arcs + half * (rest.stride + 1) * width, rest.root + half * width, rest.stride,
             rest.first + half, rest.last},
            spare);
    for (std::size_t end = half; end > 0;) {
      const std::size_t begin = (end - 1) / panel_rank * panel_rank;
      meet(rest, {begin, end}, {end, size}, {half, size});
      end = begin;
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

  /// Eliminates a panel, keeping the words `kept`.
  FENCHEL_INLINE void eliminate(const Rest& rest, Words words, Words kept) const {
    with_count<panel_rank>(words.end - words.begin,
                           [&](auto count) HWY_ATTR { eliminate_panel<count>(rest, words.begin, kept); });
  }

  template <std::size_t count>
  FENCHEL_INLINE void eliminate_panel(const Rest& rest, std::size_t begin, Words kept) const {
    const std::size_t step = rest.stride * width;
    Panel<width, count> panel(rest.arcs, rest.root, step, begin);
    V rates[count];
    panel.invert(kept, rates);
    if (rest.first + kept.begin == 0) {
      // On the way to word 0 it is always the upper half that is eliminated.
      for (std::size_t t = 0; t < count; ++t)
        set_entry<width>(rates[t], scratch_.pivots.data() + (begin + t) * width);
    }
    // The root's row comes after the last one kept.
    std::size_t h = kept.begin;
    for (; h + panel_rows <= kept.end + 1; h += panel_rows) update_rows<panel_rows>(rest, panel, h, kept);
    with_count<panel_rows - 1>(kept.end + 1 - h,
                               [&](auto rows) HWY_ATTR { update_rows<rows>(rest, panel, h, kept); });
  }

  template <std::size_t rows, std::size_t count>
  FENCHEL_INLINE void update_rows(const Rest& rest, const Panel<width, count>& panel, std::size_t h,
                                  Words kept) const {
    double* row[rows];
    for (std::size_t r = 0; r < rows; ++r) row[r] = rest.arcs + (h + r) * rest.stride * width;
    if (h + rows > kept.end) row[rows - 1] = rest.root;
    V shares[rows][count];
    panel.share(row, shares);
    panel.add(row, shares, kept);
  }

  struct Ways {
    const double* shares;  // from the first word of the panel to the first of the heads, …
    const double* root;    // to the root
    std::size_t step;      // from head to head
    const double* heads;   // X of the first head
    std::size_t count;     // of heads
    double* to;            // X of the first word of the panel
  };

  /// X(k, m) = Σ_h share(h, k) X(h, m) + share(root, k) for the words k of a panel, the heads h left when it
  /// was eliminated, and the columns m.
  FENCHEL_INLINE void meet(const Rest& rest, Words words, Words heads, Words columns) const {
    const std::size_t step = rest.stride * width;
    const Ways ways{rest.arcs + heads.begin * step + words.begin * width,
                    rest.root + words.begin * width,
                    step,
                    meeting(rest.first + heads.begin),
                    heads.end - heads.begin,
                    meeting(rest.first + words.begin)};
    with_count<panel_rank>(words.end - words.begin, [&](auto count) HWY_ATTR {
      std::size_t i = (rest.first + columns.begin) * width;
      const std::size_t stop = (rest.first + columns.end) * width;
      constexpr std::size_t block = accumulators * lanes<double>;
      for (; i + block <= stop; i += block) meet_columns<count, accumulators>(Tag<double>(), ways, i);
      const std::size_t vectors = (stop - i) / lanes<double>;
      with_count<accumulators - 1>(
          vectors, [&](auto few) HWY_ATTR { meet_columns<count, few>(Tag<double>(), ways, i); });
      i += vectors * lanes<double>;
      if constexpr (width == 1) {
        for (; i < stop; ++i) meet_columns<count, 1>(hn::CappedTag<double, 1>(), ways, i);
      }
    });
  }

  template <std::size_t count, std::size_t vectors, class D>
  FENCHEL_INLINE void meet_columns(D d, const Ways& ways, std::size_t at) const {
    hn::Vec<D> sums[count][vectors];
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t c = 0; c < vectors; ++c) sums[t][c] = entry<width>(d, ways.root + t * width);
    }
    const double* share = ways.shares;
    const double* head = ways.heads + at;
    for (std::size_t h = 0; h < ways.count; ++h, share += ways.step, head += n_ * width) {
      hn::Vec<D> x[vectors];
      for (std::size_t c = 0; c < vectors; ++c) x[c] = hn::LoadU(d, head + c * hn::MaxLanes(d));
      for (std::size_t t = 0; t < count; ++t) {
        const auto own = entry<width>(d, share + t * width);
        for (std::size_t c = 0; c < vectors; ++c) sums[t][c] = hn::MulAdd(own, x[c], sums[t][c]);
      }
    }
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t c = 0; c < vectors; ++c)
        hn::StoreU(sums[t][c], d, ways.to + t * n_ * width + at + c * hn::MaxLanes(d));
    }
  }

  static constexpr std::size_t leaf_size = 4;  // words whose numbers are handled in registers

  /// A small graph and its results.
  template <std::size_t size>
  struct Leaf {
    V arcs[size][size];
    V root[size];
    V meeting[size][size];
    V last[size];
    V pivots[size];
  };

  template <std::size_t size>
  FENCHEL_INLINE void leaf(const Rest& rest) const {
    using D = Tag<double>;
    Leaf<size> graph;
    for (std::size_t h = 0; h < size; ++h) {
      graph.root[h] = entry<width>(D(), rest.root + h * width);
      for (std::size_t m = 0; m < size; ++m)
        graph.arcs[h][m] = entry<width>(D(), rest.arcs + (h * rest.stride + m) * width);
    }
    solve<size, 0, size>(graph);
    for (std::size_t h = 0; h < size; ++h) {
      set_entry<width>(graph.last[h], scratch_.last.data() + (rest.first + h) * width);
      for (std::size_t m = 0; m < size; ++m)
        set_entry<width>(graph.meeting[h][m], meeting(rest.first + h) + (rest.first + m) * width);
      if (rest.first == 0 && h > 0) set_entry<width>(graph.pivots[h], scratch_.pivots.data() + h * width);
    }
  }

  /// The same as descend, a word at a time.
  template <std::size_t size, std::size_t first, std::size_t last>
  static FENCHEL_INLINE void solve(Leaf<size>& graph) {
    if constexpr (last - first == 1) {
      graph.last[first] = graph.root[first];
      graph.meeting[first][first] = hn::Zero(Tag<double>());
    } else {
      constexpr std::size_t middle = first + (last - first) / 2;
      Leaf<size> copy = graph;
      for (std::size_t k = last; k-- > middle;) eliminate_word(copy, k, {first, k});
      solve<size, first, middle>(copy);
      for (std::size_t k = middle; k < last; ++k) meet_word(copy, k, {first, k}, {first, middle});
      for (std::size_t k = first; k < middle; ++k) eliminate_word(graph, k, {k + 1, last});
      solve<size, middle, last>(graph);
      for (std::size_t k = middle; k-- > first;) meet_word(graph, k, {k + 1, last}, {middle, last});
      for (std::size_t m = first; m < middle; ++m) {
        graph.last[m] = copy.last[m];
        for (std::size_t h = first; h < last; ++h) graph.meeting[h][m] = copy.meeting[h][m];
      }
      if constexpr (first == 0) {
        for (std::size_t k = 1; k < last; ++k) graph.pivots[k] = copy.pivots[k];
      }
    }
  }

  template <std::size_t size>
  static FENCHEL_INLINE void eliminate_word(Leaf<size>& graph, std::size_t k, Words kept) {
    V rate = graph.root[k];
    for (std::size_t h = kept.begin; h < kept.end; ++h) rate = hn::Add(rate, graph.arcs[h][k]);
    graph.pivots[k] = rate;
    const V inverse = hn::Div(broadcast(1.0), rate);
    graph.root[k] = hn::Mul(graph.root[k], inverse);
    for (std::size_t h = kept.begin; h < kept.end; ++h) graph.arcs[h][k] = hn::Mul(graph.arcs[h][k], inverse);
    for (std::size_t m = kept.begin; m < kept.end; ++m) {
      graph.root[m] = hn::MulAdd(graph.root[k], graph.arcs[k][m], graph.root[m]);
      for (std::size_t h = kept.begin; h < kept.end; ++h) {
        if (h != m) graph.arcs[h][m] = hn::MulAdd(graph.arcs[h][k], graph.arcs[k][m], graph.arcs[h][m]);
      }
    }
  }

  template <std::size_t size>
  static FENCHEL_INLINE void meet_word(Leaf<size>& graph, std::size_t k, Words heads, Words columns) {
    for (std::size_t m = columns.begin; m < columns.end; ++m) {
      V sum = graph.root[k];
      for (std::size_t h = heads.begin; h < heads.end; ++h) {
        if (h != m) sum = hn::MulAdd(graph.arcs[h][k], graph.meeting[h][m], sum);
      }
      graph.meeting[k][m] = sum;
    }
  }

  std::size_t n_;
  EliminationScratch scratch_;
};

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
