// SPDX-License-Identifier: Apache-2.0
#include "solvers/k_best.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

// The best structure of a part of Y: those that agree with their parent in the groups before `group` and
// differ from it there. `parent` is a place in the result; the first structure of all has none.
struct Candidate {
  Structure best;
  std::size_t parent;
  std::size_t group;
};

class Partition {
 public:
  Partition(MaskedMap map, std::size_t groups, std::span<const double> theta, std::span<double> masked)
      : map_(map), groups_(groups), theta_(theta), masked_(masked) {}

  void run(std::size_t k, std::vector<Structure>& out) {
    std::ranges::copy(theta_, masked_.begin());
    out.resize(std::min(k, out.size()));  // the structures kept here lend their memory
    std::size_t found = 0;
    if (k > 0) add({{}, none, 0}, k);
    while (found < k && !queue_.empty()) {
      auto next = queue_.extract(queue_.begin());
      if (found == out.size()) out.emplace_back();
      std::swap(out[found], next.mapped().best);
      order_.push_back({next.mapped().parent, next.mapped().group});
      ++found;
      if (found < k) split(out, found - 1, next.key(), k - found);
    }
    out.resize(found);
    // Parts are ranked by rounded sums: a part may turn out an ulp above the one it was split from.
    std::ranges::stable_sort(out, std::greater<>(), [&](const Structure& y) { return dot(y, theta_); });
  }

 private:
  struct Origin {
    std::size_t parent;
    std::size_t group;
  };

  // Among equal scores the one found first comes first. More than `wanted` are not worth keeping.
  void add(Candidate candidate, std::size_t wanted) {
    if (map_(masked_, candidate.best) == -infinity) return;
    const double score = dot(candidate.best, theta_);
    if (!(score > -infinity)) return;  // scores whose sum overflows have no order
    queue_.emplace(score, std::move(candidate));
    if (queue_.size() > wanted) queue_.erase(std::prev(queue_.end()));
  }

  void split(const std::vector<Structure>& found, std::size_t last, double score, std::size_t wanted) {
    std::ranges::copy(theta_, masked_.begin());
    const Origin origin = order_[last];
    for (std::size_t group = 0; group < groups_; ++group) {
      const std::uint32_t entry = entry_of(found[last], group);
      if (group == origin.group) forbid_inherited(found, origin);
      if (group >= origin.group) {
        // The rest of this part scores no more than its best, so it cannot displace enough of what is kept.
        if (queue_.size() >= wanted && std::prev(queue_.end())->first >= score) return;
        masked_[entry] = -infinity;
        add({{}, last, group}, wanted);
      }
      for (std::size_t i = group; i < masked_.size(); i += groups_) masked_[i] = -infinity;
      masked_[entry] = theta_[entry];
    }
  }

  // A part that was split from another at the same group inherits its prohibitions.
  void forbid_inherited(const std::vector<Structure>& found, Origin origin) {
    const std::size_t group = origin.group;
    for (std::size_t parent = origin.parent; parent != none && origin.group == group;) {
      masked_[entry_of(found[parent], group)] = -infinity;
      origin = order_[parent];
      parent = origin.parent;
    }
  }

  std::uint32_t entry_of(const Structure& y, std::size_t group) const {
    return *std::ranges::find_if(y.indices, [&](std::uint32_t index) { return index % groups_ == group; });
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  MaskedMap map_;
  std::size_t groups_;
  std::span<const double> theta_;
  std::span<double> masked_;
  std::multimap<double, Candidate, std::greater<>> queue_;
  std::vector<Origin> order_;
};

}  // namespace

void k_best_by_partition(MaskedMap map, std::size_t groups, std::span<const double> theta, std::size_t k,
                         std::vector<Structure>& out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  Partition(map, groups, theta, scratch.take<double>(theta.size())).run(k, out);
}

}  // namespace fenchel
