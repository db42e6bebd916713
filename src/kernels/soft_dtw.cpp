// SPDX-License-Identifier: Apache-2.0
// Sums over monotone paths by anti-diagonals (paper §7.3 "Alignments"); see the header for the recursions.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/soft_dtw.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/soft_dtw-inl.h"
#include "kernels/soft_dtw.hpp"
#include "kernels/soft_dtw_flow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

double soft_dtw_forward_any(const DiagonalGrid& grid, std::span<const double> scores, double scale,
                            MoveProbabilities moves, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  Forward forward(grid, scale, moves, scratch);
  return moves.values.empty() ? forward.run<false>(scores) : forward.run<true>(scores);
}

void soft_dtw_backward_any(const DiagonalGrid& grid, MoveProbabilities moves, std::span<double> mu,
                           Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  Backward(grid, moves, scratch).run(ExpectedCells{}, 1, mu);
}

void soft_dtw_covariance_any(const DiagonalGrid& grid, MoveProbabilities moves, std::span<const double> mu,
                             std::span<const double> v, std::span<double> out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const std::span<double> sums = scratch.take<double>(grid.length() * grid.pitch);
  const double total = expected_sums(grid, moves, v, sums, scratch);
  Backward(grid, moves, scratch).run(CovarianceCells(grid, mu, v, sums, scratch), -total, out);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

double soft_dtw_forward(const DiagonalGrid& grid, std::span<const double> scores, double scale,
                        MoveProbabilities moves, Workspace& scratch) {
  return FENCHEL_DISPATCH(soft_dtw_forward_any)(grid, scores, scale, moves, scratch);
}

void soft_dtw_backward(const DiagonalGrid& grid, MoveProbabilities moves, std::span<double> mu,
                       Workspace& scratch) {
  FENCHEL_DISPATCH(soft_dtw_backward_any)(grid, moves, mu, scratch);
}

void soft_dtw_covariance(const DiagonalGrid& grid, MoveProbabilities moves, std::span<const double> mu,
                         std::span<const double> v, std::span<double> out, Workspace& scratch) {
  FENCHEL_DISPATCH(soft_dtw_covariance_any)(grid, moves, mu, v, out, scratch);
}

}  // namespace fenchel::kernels
#endif
