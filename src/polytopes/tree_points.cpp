// SPDX-License-Identifier: Apache-2.0
#include "polytopes/tree_points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "fenchel/core/check.hpp"
#include "polytopes/entries.hpp"

namespace fenchel::trees {
namespace {

// "0 and 2", "0, 2 and 5"; of long cycles only the first words.
std::string words_of_cycle(std::span<const std::uint32_t> heads, std::uint32_t start) {
  constexpr std::size_t most = 8;
  std::string text = fmt::format("{}", start);
  std::size_t count = 1;
  for (std::uint32_t at = heads[start]; at != start; at = heads[at]) {
    if (++count > most) return text + ", …";
    text += heads[at] == start ? " and " : ", ";
    text += fmt::format("{}", at);
  }
  return text;
}

}  // namespace

std::span<std::uint32_t> heads_of(std::span<const double> mu, std::size_t n, Workspace& scratch) {
  if (!entries::all_whole(mu)) return {};
  const auto heads = scratch.take<std::uint32_t>(n);
  for (std::size_t h = 0; h < n; ++h) {
    for (std::size_t m = 0; m < n; ++m) {
      if (mu[h * n + m] > 0.5) heads[m] = static_cast<std::uint32_t>(h);
    }
  }
  return heads;
}

void check_acyclic(std::string_view name, std::string_view kind, std::span<const std::uint32_t> heads,
                   Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const std::size_t n = heads.size();
  const auto visited = scratch.take<std::uint32_t>(n);  // by the climb from which word, 0 for none, from 1
  std::ranges::fill(visited, 0U);
  for (std::uint32_t start = 0; start < n; ++start) {
    std::uint32_t at = start;
    while (visited[at] == 0 && heads[at] != at) {
      visited[at] = start + 1;
      at = heads[at];
    }
    if (heads[at] == at || visited[at] != start + 1) continue;
    throw OutsideDomain(name,
                        fmt::format("is not {}: words {} form a cycle", kind, words_of_cycle(heads, at)));
  }
}

}  // namespace fenchel::trees
