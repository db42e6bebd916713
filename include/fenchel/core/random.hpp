// SPDX-License-Identifier: Apache-2.0
// A random generator whose streams are the same on every platform (the standard's distributions are not).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace fenchel {

/// xoshiro256++ seeded by splitmix64, with the distributions the library needs.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15u;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
  }

  /// 64 random bits.
  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform on [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  /// Uniform on {0, …, bound − 1}, without bias.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % bound;
    std::uint64_t draw = bits();
    while (draw >= limit) draw = bits();
    return draw % bound;
  }

  /// Standard normal (Box-Muller; the second variate is dropped so that a draw leaves no hidden state).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  /// Standard exponential.
  double exponential() { return -std::log(1 - uniform()); }

 private:
  std::uint64_t state_[4];
};

}  // namespace fenchel
