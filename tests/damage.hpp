// SPDX-License-Identifier: Apache-2.0
// Damaged copies of a file's bytes: every byte of the header of a tensor file changed in turn, then bytes
// changed, inserted, removed and cut off at random places.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/random.hpp"

namespace fenchel::test {

/// One change of a random kind at a random place; never none.
inline std::string damaged(const std::string& good, Random& random) {
  std::string bad = good;
  while (bad == good) {
    const std::size_t at = random.below(bad.size());
    const std::size_t count = 1 + random.below(16);
    switch (random.below(6)) {
      case 0:  // one bit
        bad[at] = static_cast<char>(bad[at] ^ (1 << random.below(8)));
        break;
      case 1:
        for (std::size_t k = at; k < at + count && k < bad.size(); ++k)
          bad[k] = static_cast<char>(random.below(256));
        break;
      case 2:
        bad.insert(at, count, static_cast<char>(random.below(256)));
        break;
      case 3:
        bad.erase(at, count);
        break;
      case 4:
        bad.resize(at);
        break;
      default:  // what a disk leaves of a page that was never written
        std::memset(bad.data() + at, 0, std::min(count * 64, bad.size() - at));
        break;
    }
  }
  return bad;
}

/// Calls `try_file` with damaged copies: each byte of the length and the header with one bit changed, then
/// `random_ones` of damaged().
inline void for_each_damage(const std::string& good, int random_ones, std::uint64_t seed,
                            FunctionRef<void(const std::string& bad)> try_file) {
  std::uint64_t length = 0;
  std::memcpy(&length, good.data(), sizeof(length));
  Random random(seed);
  std::string bad = good;
  for (std::size_t at = 0; at < sizeof(length) + length; ++at) {
    bad[at] = static_cast<char>(good[at] ^ (1 << random.below(8)));
    try_file(bad);
    bad[at] = good[at];
  }
  for (int t = 0; t < random_ones; ++t) try_file(damaged(good, random));
}

}  // namespace fenchel::test
