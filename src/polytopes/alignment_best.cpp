// SPDX-License-Identifier: Apache-2.0
// The best alignments. V(i, j) = θ(i, j) + max(V(i−1, j−1), V(i−1, j), V(i, j−1)) is the best score of a path
// to a cell (dynamic time warping, paper §7.3 "Alignments"); the paths that follow the best one are found
// lazily: the next path to a cell differs from the last one by the next path to the cell before it, or by the
// move.
#include <algorithm>

#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/alignment.hpp"

namespace fenchel {
namespace {

enum class Move { diagonal, down, right };  // in the order that breaks ties
constexpr Move every_move[] = {Move::diagonal, Move::down, Move::right};

/// V, with a row and a column of −inf in front so that every cell has three cells before it. Only what the
/// rows of the band read is written.
class BestScores {
 public:
  BestScores(const Alignment& set, std::span<const double> theta, Workspace& scratch)
      : stride_(set.n + 1), values_(scratch.take<double>((set.m + 1) * stride_)) {
    std::fill_n(values_.begin(), stride_, -infinity);
    values_[0] = 0;  // the empty path
    for (std::size_t i = 0; i < set.m; ++i) {
      const auto [begin, end] = set.columns(i);
      const std::size_t next_end = i + 1 < set.m ? set.columns(i + 1).end : end;
      const double* diagonal = values_.data() + i * stride_;  // one to the left of above
      double* row = values_.data() + (i + 1) * stride_ + 1;
      const double* scores = theta.data() + i * set.n;
      // Only the moves right wait for each other; the others are a loop of their own.
      for (std::size_t j = begin; j < end; ++j) row[j] = std::max(diagonal[j], diagonal[j + 1]);
      double left = row[static_cast<std::ptrdiff_t>(begin) - 1] = -infinity;
      // The outer maximum turns the NaN of a mask after a sum that has overflowed into −inf.
      for (std::size_t j = begin; j < end; ++j) {
        row[j] = left = std::max(-infinity, scores[j] + std::max(row[j], left));
      }
      std::fill(row + end, row + next_end, -infinity);
    }
  }

  double at(std::size_t i, std::size_t j) const { return values_[(i + 1) * stride_ + j + 1]; }
  /// V at the cell before (i, j).
  double before(std::size_t i, std::size_t j, Move move) const {
    return values_[(i + (move == Move::right ? 1 : 0)) * stride_ + j + (move == Move::down ? 1 : 0)];
  }
  Move best_move(std::size_t i, std::size_t j) const {
    Move best = Move::diagonal;
    for (const Move move : every_move) {
      if (before(i, j, move) > before(i, j, best)) best = move;
    }
    return best;
  }

 private:
  std::size_t stride_;
  std::span<double> values_;
};

/// A cell on the way back to (0, 0).
struct Place {
  std::size_t i;
  std::size_t j;

  bool is_start() const { return i == 0 && j == 0; }
  /// Whether the move stays in the grid: it does unless scores have overflowed.
  bool allows(Move move) const { return (move == Move::right || i > 0) && (move == Move::down || j > 0); }
  Place before(Move move) const {
    return {i - (move == Move::right ? 0 : 1), j - (move == Move::down ? 0 : 1)};
  }
  Place towards_start(Move move) const {
    if (allows(move)) return before(move);
    return before(i > 0 ? Move::down : Move::right);
  }
};

/// Follows the best moves from a place to the start and puts the whole path, collected backwards, in order.
void finish_path(const BestScores& best, std::size_t n, Place place, Structure& out) {
  out.indices.push_back(static_cast<std::uint32_t>(place.i * n + place.j));
  while (!place.is_start()) {
    place = place.towards_start(best.best_move(place.i, place.j));
    out.indices.push_back(static_cast<std::uint32_t>(place.i * n + place.j));
  }
  std::reverse(out.indices.begin(), out.indices.end());
}

/// A path to a cell: a move from a path to the cell before.
struct Derivation {
  double score;
  Move move;
  Derivation* previous;  // null: this is the best path to its cell
  Derivation* next;      // the next best path to the same cell, once known
};

/// The paths to one cell found so far, and the next candidate for each move.
struct CellPaths {
  Derivation first;
  Derivation* last;
  Derivation* candidate[std::size(every_move)];
  bool opened;     // candidates are known
  bool exhausted;  // there is no further path
};

/// The paths to the last cell, best first.
class PathQueue {
 public:
  PathQueue(const Alignment& set, std::span<const double> theta, const BestScores& best, Workspace& scratch)
      : n_(set.n),
        theta_(theta),
        best_(best),
        scratch_(scratch),
        goal_{set.m - 1, set.n - 1},
        cells_(scratch.take<Slot>(set.m * set.n)),
        chain_(scratch.take<Place>(set.m + set.n)) {
    std::fill(cells_.begin(), cells_.end(), Slot{nullptr});
    current_ = &paths_at(goal_)->first;
  }

  void write(Structure& out) const {
    out.clear();
    Place place = goal_;
    for (const Derivation* path = current_; path->previous != nullptr; path = path->previous) {
      out.indices.push_back(static_cast<std::uint32_t>(place.i * n_ + place.j));
      place = place.before(path->move);
    }
    finish_path(best_, n_, place, out);
  }

  /// Moves on to the next path; false if there is none.
  bool advance() {
    std::size_t depth = 0;
    Place place = goal_;
    for (;;) {
      CellPaths& paths = *paths_at(place);
      if (paths.exhausted) break;
      open(place, paths);
      chain_[depth++] = place;
      const Move move = paths.last->move;
      if (paths.candidate[index(move)]->next != nullptr) break;
      place = place.before(move);
    }
    while (depth-- > 0) extend(chain_[depth]);
    if (current_->next == nullptr) return false;
    current_ = current_->next;
    return true;
  }

 private:
  struct Slot {
    CellPaths* paths;  // null until first asked for
  };

  static std::size_t index(Move move) { return static_cast<std::size_t>(move); }

  CellPaths* paths_at(Place place) {
    CellPaths*& paths = cells_[place.i * n_ + place.j].paths;
    if (paths == nullptr) {
      paths = scratch_.take<CellPaths>(1).data();
      *paths = {.first = {best_.at(place.i, place.j), best_.best_move(place.i, place.j), nullptr, nullptr},
                .last = &paths->first,
                .candidate = {},
                .opened = false,
                .exhausted = place.is_start()};
    }
    return paths;
  }

  void open(Place place, CellPaths& paths) {
    if (paths.opened) return;
    paths.opened = true;
    for (const Move move : every_move) {
      const bool possible = best_.before(place.i, place.j, move) > -infinity;
      paths.candidate[index(move)] = possible ? &paths_at(place.before(move))->first : nullptr;
    }
  }

  /// Finds the next path to a cell; the next path to the cell before its last one must be known, if there is
  /// one.
  void extend(Place place) {
    CellPaths& paths = *paths_at(place);
    Derivation*& used = paths.candidate[index(paths.last->move)];
    used = used->next;
    const double score = theta_[place.i * n_ + place.j];
    Derivation next{-infinity, Move::diagonal, nullptr, nullptr};
    for (const Move move : every_move) {
      Derivation* candidate = paths.candidate[index(move)];
      if (candidate == nullptr || !(candidate->score + score > next.score)) continue;
      next = {candidate->score + score, move, candidate, nullptr};
    }
    if (next.previous == nullptr) {
      paths.exhausted = true;
      return;
    }
    if (pool_.empty()) pool_ = scratch_.take<Derivation>(pool_size);
    pool_.front() = next;
    paths.last = paths.last->next = pool_.data();
    pool_ = pool_.subspan(1);
  }

  static constexpr std::size_t pool_size = 256;  // a few KiB at a time

  std::size_t n_;
  std::span<const double> theta_;
  const BestScores& best_;
  Workspace& scratch_;
  Place goal_;
  std::span<Slot> cells_;
  std::span<Place> chain_;
  std::span<Derivation> pool_;  // not yet used
  Derivation* current_;
};

}  // namespace

double Alignment::map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const BestScores best(*this, theta, scratch);
  const double value = best.at(m - 1, n - 1);
  if (value == -infinity) return value;
  out.clear();
  finish_path(best, n, {m - 1, n - 1}, out);
  return value;
}

void Alignment::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
                       Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const BestScores best(*this, theta, scratch);
  std::size_t count = 0;
  if (k > 0 && best.at(m - 1, n - 1) > -infinity) {
    PathQueue queue(*this, theta, best, scratch);
    do {
      if (structures.size() == count) structures.emplace_back();
      queue.write(structures[count++]);
    } while (count < k && queue.advance());
  }
  structures.resize(count);
}

}  // namespace fenchel
