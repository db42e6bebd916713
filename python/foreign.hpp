// SPDX-License-Identifier: Apache-2.0
// What _core offers to extension modules of other frameworks, which do not contain the library themselves:
// one function, handed over as the capsule _core._foreign. It needs no GIL, throws nothing, and fills rows
// that an operation refuses (scores that are NaN or +inf, targets outside the domain) with NaN: compiled
// programs have no other answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fenchel::python {

/// One operation on contiguous rows of float or double.
struct ForeignCall {
  std::string_view operation;  ///< its name: see bind_foreign.cpp
  std::string_view text;       ///< what it is done with: an Ω, or a regularization
  double number = 0;           ///< a strength or γ
  std::int64_t whole = 0;      ///< a band; 1 for descending order
  bool single = false;         ///< float, else double
  std::size_t rows = 0;
  std::size_t columns = 0;                   ///< of a row, all of its axes together
  std::size_t last = 0;                      ///< the last axis alone
  std::size_t inputs = 0;                    ///< how many arrays are given
  std::array<const void*, 2> in = {};        ///< rows of scores, and what goes with them
  std::array<std::size_t, 2> in_sizes = {};  ///< their numbers of entries
  const std::int32_t* labels = nullptr;      ///< in place of in[1]
  std::size_t outputs = 0;
  std::array<void*, 2> out = {};
  std::array<std::size_t, 2> out_sizes = {};
};

/// False if it cannot be done at all; `error` then says why.
using ForeignFunction = bool (*)(const ForeignCall& call, std::string& error) noexcept;

inline constexpr const char* foreign_capsule = "fenchel.foreign.2";

}  // namespace fenchel::python
