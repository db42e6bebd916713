// SPDX-License-Identifier: Apache-2.0
// Eisner's recursions over plain numbers for several sentences at once, one per lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/eisner_lanes.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/eisner.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// One number per sentence.
struct Lanes {
  static constexpr std::size_t parts = EisnerLanes::count / lanes<double>;
  static_assert(parts * lanes<double> == EisnerLanes::count);

  Vector<double> part[parts];

  static FENCHEL_INLINE Lanes at(const double* from) {
    Lanes values;
    for (std::size_t i = 0; i < parts; ++i) values.part[i] = load(from + i * lanes<double>);
    return values;
  }
  static FENCHEL_INLINE Lanes all(double x) {
    Lanes values;
    for (std::size_t i = 0; i < parts; ++i) values.part[i] = broadcast(x);
    return values;
  }
  FENCHEL_INLINE void to(double* memory) const {
    for (std::size_t i = 0; i < parts; ++i) store(part[i], memory + i * lanes<double>);
  }
};

FENCHEL_INLINE Lanes operator+(Lanes x, const Lanes& y) {
  for (std::size_t i = 0; i < Lanes::parts; ++i) x.part[i] = hn::Add(x.part[i], y.part[i]);
  return x;
}
FENCHEL_INLINE Lanes operator*(Lanes x, const Lanes& y) {
  for (std::size_t i = 0; i < Lanes::parts; ++i) x.part[i] = hn::Mul(x.part[i], y.part[i]);
  return x;
}
FENCHEL_INLINE Lanes operator/(Lanes x, const Lanes& y) {
  for (std::size_t i = 0; i < Lanes::parts; ++i) x.part[i] = hn::Div(x.part[i], y.part[i]);
  return x;
}
/// x · y + z.
FENCHEL_INLINE Lanes multiply_add(const Lanes& x, const Lanes& y, Lanes z) {
  for (std::size_t i = 0; i < Lanes::parts; ++i) z.part[i] = hn::MulAdd(x.part[i], y.part[i], z.part[i]);
  return z;
}
void lanes_inside(const EisnerLanes& problem) {
  const std::size_t row = problem.stride * EisnerLanes::count;
  constexpr std::size_t next = EisnerLanes::count;
  for (std::size_t t = 0; t < problem.positions; ++t) Lanes::all(1).to(problem.complete + t * (row + next));
  for (std::size_t t = 1; t < problem.positions; ++t) {
    for (std::size_t s = t; s-- > 0;) {
      const double* from_s = problem.complete + s * row;  // right(s, ·)
      const double* to_t = problem.complete + t * row;    // left(·, t)
      const double* arcs_s = problem.arcs + s * row;
      const double* arcs_t = problem.arcs + t * row;
      Lanes join = Lanes::at(to_t + (s + 1) * next);
      Lanes right = Lanes::all(0);
      Lanes left = Lanes::all(0);
      // From the end: what was finished last is then needed last.
      for (std::size_t r = t - 1; r > s; --r) {
        const double* row_r = problem.complete + r * row;
        join = multiply_add(Lanes::at(from_s + r * next), Lanes::at(to_t + (r + 1) * next), join);
        right = multiply_add(Lanes::at(arcs_s + r * next), Lanes::at(row_r + t * next), right);
        left = multiply_add(Lanes::at(row_r + s * next), Lanes::at(arcs_t + r * next), left);
      }
      if (problem.single_root && s == 0) join = Lanes::at(to_t + next);
      const std::size_t there = s * row + t * next;
      const std::size_t back = t * row + s * next;
      const Lanes arc_there = Lanes::at(problem.weights + there) * join;
      const Lanes arc_back = Lanes::at(problem.weights + back) * join;
      arc_there.to(problem.arcs + there);
      arc_back.to(problem.arcs + back);
      (right + arc_there).to(problem.complete + there);
      (left + arc_back).to(problem.complete + back);
    }
  }
}

// The derivative of log Z with respect to every item is collected from the items it is a part of: sums again,
// whereas passing it down would take a load and a store per term.
void lanes_marginals(const EisnerLanes& problem) {
  const std::size_t row = problem.stride * EisnerLanes::count;
  constexpr std::size_t next = EisnerLanes::count;
  const double* complete = problem.complete;
  const double* arcs = problem.arcs;
  double* adjoint = problem.complete_adjoint;
  double* joins = problem.joins_adjoint;
  const std::size_t last = problem.positions - 1;
  for (std::size_t t = last; t > 0; --t) {
    Lanes root_join = Lanes::all(0);
    for (std::size_t s = 0; s < t; ++s) {
      const std::size_t there = s * row + t * next;
      const std::size_t back = t * row + s * next;
      Lanes right = Lanes::all(0);
      Lanes left = Lanes::all(0);
      Lanes arc_there = Lanes::all(0);
      Lanes arc_back = Lanes::all(0);
      for (std::size_t e = last; e > t; --e) {  // items that end further right
        const std::size_t column = e * row;
        const std::size_t at = s * row + e * next;
        right = multiply_add(Lanes::at(joins + at), Lanes::at(complete + column + (t + 1) * next), right);
        left =
            multiply_add(Lanes::at(adjoint + column + s * next), Lanes::at(arcs + column + t * next), left);
        arc_there =
            multiply_add(Lanes::at(adjoint + at), Lanes::at(complete + t * row + e * next), arc_there);
      }
      for (std::size_t b = 0; b < s; ++b) {  // items that begin further left
        const std::size_t line = b * row;
        right = multiply_add(Lanes::at(adjoint + line + t * next), Lanes::at(arcs + line + s * next), right);
        left = multiply_add(Lanes::at(joins + line + t * next), Lanes::at(complete + line + (s - 1) * next),
                            left);
        arc_back = multiply_add(Lanes::at(adjoint + t * row + b * next),
                                Lanes::at(complete + s * row + b * next), arc_back);
      }
      if (s == 0 && t == last) right = Lanes::all(1) / Lanes::at(complete + there);
      if (s == 1) left = left + root_join;
      arc_there = arc_there + right;
      arc_back = arc_back + left;
      right.to(adjoint + there);
      left.to(adjoint + back);
      const Lanes part_there = Lanes::at(problem.weights + there) * arc_there;
      const Lanes part_back = Lanes::at(problem.weights + back) * arc_back;
      Lanes join = part_there + part_back;
      if (problem.single_root && s == 0) {  // this join has one split only
        root_join = join;
        join = Lanes::all(0);
      }
      join.to(joins + there);
      (Lanes::at(arcs + there) * arc_there).to(problem.weights + there);
      (Lanes::at(arcs + back) * arc_back).to(problem.weights + back);
    }
  }
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

void eisner_inside(const EisnerLanes& lanes) { FENCHEL_DISPATCH(lanes_inside)(lanes); }
void eisner_marginals(const EisnerLanes& lanes) { FENCHEL_DISPATCH(lanes_marginals)(lanes); }

}  // namespace fenchel::kernels
#endif
