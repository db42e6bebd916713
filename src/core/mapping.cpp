// SPDX-License-Identifier: Apache-2.0
#include "core/mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace fenchel {
namespace {

constexpr std::size_t most_mappings = 1024;  // the handler may not allocate: the table has its size

// What the handler sees of a mapping; `begin` is 0 where the place is free.
struct Slot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> torn{false};
};

std::array<Slot, most_mappings> slots;
std::array<const Mapping*, most_mappings> mappings{};  // of the slots, under the mutex
std::mutex mutex;
struct sigaction previous {};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Puts zeros where the file ends now. False if the address is not in one of our mappings.
bool mend(std::uintptr_t address) {
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    const std::uintptr_t end = slot.end.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address >= end) continue;
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t from = address / page * page;
    slot.torn.store(true, std::memory_order_release);
    // All that follows as well: pages one by one would soon be more areas than a process may have.
    void* const place = reinterpret_cast<void*>(from);  // NOLINT(performance-no-int-to-ptr): of the mapping
    return ::mmap(place, end - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (mend(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    errno = error;
    return;
  }
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    ::sigaction(SIGBUS, &previous, nullptr);  // the access fails again, and has its usual effect
  }
}

void install_handler() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous);
    return true;
  }();
  (void)installed;
}

}  // namespace

Mapping::Mapping(std::filesystem::path path, int descriptor, std::size_t size)
    : path_(std::move(path)), descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3)), size_(size) {
  const auto fail = [this](int error) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw std::system_error(error, std::generic_category(), path_.string() + ": cannot read");
  };
  if (descriptor_ < 0 || ::fstat(descriptor_, &status_) != 0) fail(errno);
  const std::lock_guard lock(mutex);
  install_handler();
  while (slot_ < most_mappings && mappings[slot_] != nullptr) ++slot_;
  if (slot_ == most_mappings) fail(EMFILE);
  memory_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (memory_ == MAP_FAILED) fail(errno);
  Slot& slot = slots[slot_];
  const auto begin = reinterpret_cast<std::uintptr_t>(memory_);
  slot.torn.store(false, std::memory_order_release);
  slot.end.store(begin + size_, std::memory_order_release);
  slot.begin.store(begin, std::memory_order_release);
  mappings[slot_] = this;
}

Mapping::~Mapping() {
  const std::lock_guard lock(mutex);
  mappings[slot_] = nullptr;
  slots[slot_].begin.store(0, std::memory_order_release);
  ::munmap(memory_, size_);
  ::close(descriptor_);
}

void Mapping::check() const {
  struct stat now {};
  const bool known = ::fstat(descriptor_, &now) == 0;
  // The last page of a file that was cut off reads as zeros without a signal: the size tells.
  if (slots[slot_].torn.load(std::memory_order_acquire) || (known && now.st_size < status_.st_size)) {
    throw std::runtime_error(path_.string() + ": the file was cut off while it was in use");
  }
  if (known && (now.st_size != status_.st_size || now.st_mtim.tv_sec != status_.st_mtim.tv_sec ||
                now.st_mtim.tv_nsec != status_.st_mtim.tv_nsec)) {
    throw std::runtime_error(path_.string() + ": the file was written to while it was in use");
  }
}

void check_mappings() {
  const std::lock_guard lock(mutex);
  for (const Mapping* const mapping : mappings) {
    if (mapping) mapping->check();
  }
}

}  // namespace fenchel
