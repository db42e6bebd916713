// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share. A target is a name and what is done with an input; one file of fuzz/targets
// each. Input that is wrong may be refused, by the exceptions that the library promises; anything else that
// leaves a target is a finding: another exception, a failed `require`, a sanitizer's report, a time-out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"
#include "input_file.hpp"

namespace fenchel::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// The input as text.
inline std::string_view text_of(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

struct Target {
  std::string_view name;
  /// Throws std::invalid_argument or std::runtime_error for input that is refused.
  void (*run)(Bytes input);
  /// Inputs that the library writes itself, so that they follow its formats; beside those of fuzz/seeds.
  std::vector<std::string> (*seeds)() = nullptr;
  /// The input is a tensor file: its checksums are set right before every run (tensor_checksums.hpp).
  bool checksummed = false;
};

/// Every target, in the order of their names.
std::vector<Target>& targets();

/// A target adds itself: `const Registration csv{{.name = "csv", .run = …}};`
struct Registration {
  explicit Registration(Target target) { targets().push_back(target); }
};

/// Two files in one input: what is before the first `separator` and what follows it (nothing if it is not
/// there).
inline constexpr std::string_view separator = "\n%%%%\n";
struct TwoFiles {
  std::string_view first;
  std::string_view second;
};
TwoFiles split_input(Bytes input);

/// Ends the process with a finding unless it holds.
void require(bool holds, const char* what);

/// The options that readers are tried with, one thread each: those of a plain call, and those that lead
/// elsewhere (single precision, sparse rows, missing values replaced, names as numbers).
std::vector<ReadOptions> reading_options(DataFormat format);

/// What every user of a data set does: looks at all entries, and makes targets of the task that it looks
/// like.
void use(const Dataset& data);

/// Reads the input with each of the options and uses what comes out; one refusal does not hide the others.
void read_rows(Bytes input, DataFormat format);

}  // namespace fenchel::fuzz
