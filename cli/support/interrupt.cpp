// SPDX-License-Identifier: Apache-2.0
#include "support/interrupt.hpp"

#include <csignal>

namespace fenchel::cli {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void note_signal(int signal) { received = signal; }

// SA_RESETHAND: the handler serves once, so that a second signal has its default effect.
void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = handler == SIG_DFL ? 0 : static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  install(note_signal);
}
InterruptGuard::~InterruptGuard() { install(SIG_DFL); }
int InterruptGuard::signal() { return received; }

}  // namespace fenchel::cli
