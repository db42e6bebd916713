// SPDX-License-Identifier: Apache-2.0
#include "support/interrupt.hpp"

#include <csignal>

namespace fenchel::cli {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void note_signal(int signal) { received = signal; }

struct sigaction before_interrupt {};
struct sigaction before_termination {};

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // serves once: a second signal has its default effect
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_interrupt);
  sigaction(SIGTERM, &action, &before_termination);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &before_interrupt, nullptr);
  sigaction(SIGTERM, &before_termination, nullptr);
}

int InterruptGuard::signal() { return received; }

}  // namespace fenchel::cli
