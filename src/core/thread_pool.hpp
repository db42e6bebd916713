// SPDX-License-Identifier: Apache-2.0
// Threads that help with loops and sleep in between. Whoever runs a loop works on it from the first moment
// and waits only for helpers that have begun: on a busy machine, a helper that the system does not let run
// costs nothing. (OpenMP's threads meet at a barrier after every loop and wait for each other in a busy loop,
// which on a busy machine made two threads many times slower than one.)
#pragma once

#include <cstddef>

#include "fenchel/core/function_ref.hpp"

namespace fenchel {

/// Calls body(i) for every i of [0, count), each once, on this thread and on up to `helpers` others. The body
/// must not throw. Inside a body, loops run on their own thread alone.
void share_loop(std::size_t count, std::size_t helpers, FunctionRef<void(std::size_t)> body);

}  // namespace fenchel
