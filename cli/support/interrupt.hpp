// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM as a wish: the work in hand is finished and saved, then the program ends with the usual
// status. A second signal ends it at once. Where nothing would be lost signals keep their usual effect, above
// all where the program may wait for others: while it reads, or opens a pipe that nobody reads.
#pragma once

namespace fenchel::cli {

/// While one lives, SIGINT and SIGTERM are noted instead of ending the program; then they have the effect
/// that they had before.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came while one lived, or 0.
  static int signal();
  /// The exit status that tells the shell about it: 130 or 143.
  static int exit_status() { return 128 + signal(); }
};

}  // namespace fenchel::cli
