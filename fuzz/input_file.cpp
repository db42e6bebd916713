// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <exception>

namespace fenchel::fuzz {

InputFile::InputFile(std::string_view content)
    : descriptor_(memfd_create("input", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t written = write(descriptor_, content.data() + done, content.size() - done);
    // Not an error of the input: no target may take it for one.
    if (written <= 0) std::terminate();
    done += static_cast<std::size_t>(written);
  }
}

InputFile::~InputFile() { close(descriptor_); }

}  // namespace fenchel::fuzz
