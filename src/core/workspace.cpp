// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/workspace.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace fenchel {
namespace {

constexpr std::size_t alignment = 128;  // two cache lines: no false sharing between buffers
constexpr std::size_t first_chunk = std::size_t{1} << 16;  // 64 KiB: most rows fit without growing

}  // namespace

void Workspace::Free::operator()(std::byte* memory) const {
  ::operator delete (memory, std::align_val_t{alignment});
}

std::size_t Workspace::capacity() const {
  std::size_t total = 0;
  for (const Chunk& chunk : chunks_) total += chunk.size;
  return total;
}

void* Workspace::take_bytes(std::size_t count, std::size_t size) {
  if (count > (std::numeric_limits<std::size_t>::max() / 2 - alignment) / size) throw std::bad_alloc();
  const std::size_t bytes = (count * size + alignment - 1) / alignment * alignment;
  while (chunk_ < chunks_.size()) {
    if (chunks_[chunk_].size - used_ >= bytes) {
      std::byte* memory = chunks_[chunk_].memory.get() + used_;
      used_ += bytes;
      return memory;
    }
    ++chunk_;
    used_ = 0;
  }
  const std::size_t grown = std::max({first_chunk, bytes, capacity()});
  auto* memory = static_cast<std::byte*>(::operator new (grown, std::align_val_t{alignment}));
  chunks_.push_back({std::unique_ptr<std::byte, Free>(memory), grown});
  chunk_ = chunks_.size() - 1;
  used_ = bytes;
  return memory;
}

void Workspace::release(std::size_t chunk, std::size_t used) {
  chunk_ = chunk;
  used_ = used;
  if (chunk == 0 && used == 0 && chunks_.size() > 1) {
    // The outermost frame ended: one chunk as large as all of them, so that the next pass never splits.
    const std::size_t total = capacity();
    chunks_.clear();
    auto* memory = static_cast<std::byte*>(::operator new (total, std::align_val_t{alignment}));
    chunks_.push_back({std::unique_ptr<std::byte, Free>(memory), total});
  }
}

Workspace& thread_workspace() {
  thread_local Workspace workspace;
  return workspace;
}

}  // namespace fenchel
