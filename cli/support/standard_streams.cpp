// SPDX-License-Identifier: Apache-2.0
#include "support/standard_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <system_error>

namespace fenchel::cli {

void secure_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Opened the wrong way round: reading stdin or writing the others
    // fails.
    (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

bool reader_is_gone() noexcept {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

void tell(const std::string& line) noexcept {
  tell_part(line);
  std::fputc('\n', stderr);
  std::fflush(stderr);
}

void tell_part(const std::string& text) noexcept { std::fwrite(text.data(), 1, text.size(), stderr); }

void tell_error(const std::exception& error) noexcept {
  const auto* failed = dynamic_cast<const std::system_error*>(&error);
  if (failed != nullptr && failed->code() == std::errc::broken_pipe && reader_is_gone()) return;
  tell_part("error: ");
  tell(error.what());
}

void warn(const std::string& what) noexcept {
  tell_part("warning: ");
  tell(what);
}

}  // namespace fenchel::cli
