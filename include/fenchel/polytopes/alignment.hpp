// SPDX-License-Identifier: Apache-2.0
// Monotone alignments of two series of lengths m and n: Y holds the 0/1 matrices of the cells on a path from
// (0, 0) to (m − 1, n − 1) by moves right, down and diagonal (paper §7.3 "Alignments"). θ is a similarity:
// higher is better. map is dynamic time warping, marginals are soft-DTW with temperature 1.
//
// Every oracle is linear in the number of cells. Paths have different lengths, so Y is not on a sphere.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/concepts.hpp"
#include "fenchel/polytopes/path_graph.hpp"
#include "fenchel/polytopes/traits.hpp"

namespace fenchel {

/// The polytope of monotone alignments.
struct Alignment {
  std::size_t m = 1;
  std::size_t n = 1;
  /// Half width of a Sakoe-Chiba band around the diagonal from corner to corner, 0 for none: paths keep to
  /// the cells with |i (n−1) − j (m−1)| ≤ band · (max(m, n) − 1). So the distance to the diagonal is measured
  /// along the shorter series; on a square grid it is |i − j|. Every band ≥ 1 contains a path.
  std::size_t band = 0;

  /// Step i of the first series meets step j of the second.
  struct Cell {
    std::size_t i;
    std::size_t j;
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  /// Columns begin ≤ j < end.
  struct Columns {
    std::size_t begin;
    std::size_t end;
  };

  static constexpr PolytopeTraits traits{.name = "alignment",
                                         .binary = true,
                                         .sphere = false,
                                         .masks = true,
                                         .axes = "m n",
                                         .lengths = "m n",
                                         .short_axes = "steps 2",
                                         .short_form = "the cells of paths",
                                         .vertices = "monotone paths through a grid",
                                         .layout = "[m, n]: cells on the path from (0,0) to (m−1,n−1)",
                                         .paper = "§7.3 \"Alignments\""};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"m", &Alignment::m, "length of the first series, >= 1", /*required=*/true},
                      Parameter{"n", &Alignment::n, "length of the second series, >= 1", /*required=*/true},
                      Parameter{"band", &Alignment::band,
                                "paths keep to the cells with |i (n-1) - j (m-1)| <= band (max(m, n) - 1), "
                                "|i - j| <= band where m = n; 0 for all cells"}};
  }
  static std::vector<Alignment> examples();
  /// The structures as paths.
  PathGraph paths() const;
  void check() const;
  std::size_t dimension() const { return m * n; }
  std::vector<std::size_t> shape() const { return {m, n}; }

  /// The cells of row i that paths may use: at least one.
  Columns columns(std::size_t i) const;

  /// Dynamic time warping. Ties: the diagonal move into a cell, then down, then right.
  double map(std::span<const double> theta, Structure& out, Workspace& scratch) const;
  /// Soft-DTW and its gradient: mu(i, j) is the probability that the path uses the cell. Returns log Z.
  double marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const;
  double log_partition(std::span<const double> theta, Workspace& scratch) const;
  /// Cov[Y] v, by differentiating both passes of the marginals.
  void marginals_jvp(std::span<const double> theta, std::span<const double> mu, std::span<const double> v,
                     std::span<double> out, Workspace& scratch) const;
  /// Linear in the cells for the first path, in m + n for every further one.
  void k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
              Workspace& scratch) const;
  void sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
              Workspace& scratch) const;

  /// Necessary conditions: entries in [0, 1], 0 outside the band, 1 in the corners, rows and columns sum to
  /// ≥ 1; zeros and ones are one path.
  void check_point(std::string_view name, std::span<const double> mu) const;

  /// The structure of a path, cell after cell from (0, 0) to (m − 1, n − 1). Throws if it is not one of Y.
  Structure structure(std::span<const Cell> path) const;
  /// The same from i, j, i, j, …
  Structure structure(std::span<const int> path) const;
  /// The path of a structure. Throws if it is not one of Y.
  std::vector<Cell> cells(const Structure& path) const;
};

static_assert(StructurePolytope<Alignment>);

}  // namespace fenchel
