// SPDX-License-Identifier: Apache-2.0
// Errors about options. The library names options; how a user writes them, as a flag or as an argument, is
// the business of each front end.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "fenchel/core/function_ref.hpp"

namespace fenchel {

/// How users of a front end write an option; `value` is empty where the text has none.
using OptionSpelling = FunctionRef<std::string(std::string_view option, std::string_view value)>;

/// How the library writes it: "solver", or "solver=lbfgs".
std::string plain_option(std::string_view option, std::string_view value);

/// A text in which options stand between backticks, with every option as users write it.
std::string spell_options(std::string_view text, OptionSpelling spelling = plain_option);

/// Options that are wrong, or cannot go together. The text names options between backticks, with a value or
/// without: "choose `intercept=penalised` or another `solver`". what() is the text without the backticks.
class OptionError : public std::invalid_argument {
 public:
  explicit OptionError(const std::string& text) : std::invalid_argument(spell_options(text)), text_(text) {}

  /// The text with every option as users write it.
  std::string spelled(OptionSpelling spelling) const { return spell_options(text_, spelling); }

 private:
  std::string text_;
};

/// These throw OptionError unless the number is at least the bound, or finite.
void check_option_at_least(std::string_view option, double value, double bound);
void check_option_finite(std::string_view option, double value);

}  // namespace fenchel
