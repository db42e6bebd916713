// SPDX-License-Identifier: Apache-2.0
// The message of the std::invalid_argument that an action throws.
#pragma once

#include <stdexcept>
#include <string>

namespace fenchel::test {

/// The message, or nothing if the action throws nothing.
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

}  // namespace fenchel::test
