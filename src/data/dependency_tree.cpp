// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/dependency_tree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace fenchel {
namespace {

std::size_t parent(std::int32_t head) { return static_cast<std::size_t>(head) - 1; }

/// "3, 5, 8": the numbers of words, from 1; not all of them if there are many.
std::string listed(std::vector<std::size_t> words) {
  constexpr std::size_t most = 8;
  std::ranges::sort(words);
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", words[i] + 1);
  }
  return words.size() > most ? text + ", …" : text;
}

/// A head that is wrong no matter what the others are.
std::optional<TreeFault> head_fault(std::span<const std::int32_t> heads) {
  const bool known = heads.front() >= 0;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (heads[i] < -1 || heads[i] > static_cast<std::int64_t>(heads.size())) {
      return TreeFault{
          i, fmt::format("the head of word {} is {}; expected 0 to {}", i + 1, heads[i], heads.size())};
    }
    if ((heads[i] >= 0) != known) {
      return TreeFault{i, fmt::format("word {} has {} head, the words before have {}; expected all or none",
                                      i + 1, known ? "no" : "a", known ? "one" : "none")};
    }
    if (known && heads[i] == static_cast<std::int64_t>(i) + 1) {
      return TreeFault{i, fmt::format("word {} is its own head", i + 1)};
    }
  }
  return std::nullopt;
}

/// The words of a cycle, or none: each word's way to the root, up to a word that an earlier way passed.
std::vector<std::size_t> cycle_of(std::span<const std::int32_t> heads) {
  std::vector<std::size_t> way(heads.size(), 0);  // the word from which it was first reached, from 1
  for (std::size_t start = 0; start < heads.size(); ++start) {
    std::size_t word = start;
    while (way[word] == 0) {
      way[word] = start + 1;
      if (heads[word] == 0) break;
      word = parent(heads[word]);
    }
    if (heads[word] == 0 || way[word] != start + 1) continue;
    std::vector<std::size_t> cycle{word};
    for (std::size_t next = parent(heads[word]); next != word; next = parent(heads[next]))
      cycle.push_back(next);
    return cycle;
  }
  return {};
}

}  // namespace

std::optional<TreeFault> tree_fault(std::span<const std::int32_t> heads) {
  if (heads.empty()) return std::nullopt;
  if (auto fault = head_fault(heads)) return fault;
  if (heads.front() < 0) return std::nullopt;
  if (auto cycle = cycle_of(heads); !cycle.empty()) {
    return TreeFault{0, fmt::format("the heads of words {} form a cycle", listed(std::move(cycle)))};
  }
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (heads[i] == 0) roots.push_back(i);
  }
  if (roots.size() == 1) return std::nullopt;
  return TreeFault{0, fmt::format("words {} have the head 0; expected one root", listed(std::move(roots)))};
}

bool is_projective(std::span<const std::int32_t> heads) {
  if (heads.empty() || heads.front() < 0) return false;
  struct Subtree {
    std::size_t first, last, size, children;
  };
  std::vector<Subtree> subtrees(heads.size());
  for (std::size_t i = 0; i < heads.size(); ++i) subtrees[i] = {i, i, 1, 0};
  for (const std::int32_t head : heads) {
    if (head > 0) ++subtrees[parent(head)].children;
  }
  // From the leaves up: a word's subtree is whole when the last of its children's is.
  for (std::size_t leaf = 0; leaf < heads.size(); ++leaf) {
    for (std::size_t i = leaf; subtrees[i].children == 0;) {
      const Subtree tree = subtrees[i];
      if (tree.last - tree.first + 1 != tree.size) return false;
      subtrees[i].children = heads.size();  // done
      if (heads[i] == 0) break;
      i = parent(heads[i]);
      Subtree& above = subtrees[i];
      above = {std::min(above.first, tree.first), std::max(above.last, tree.last), above.size + tree.size,
               above.children - 1};
    }
  }
  return true;
}

}  // namespace fenchel
