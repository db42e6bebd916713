// SPDX-License-Identifier: Apache-2.0
// Scratch memory that is reused from row to row, so that steady state allocates nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace fenchel {

/// A stack of scratch buffers. `take` hands out uninitialised memory that lives until the enclosing
/// `Frame` ends; memory is kept for the next frame. Not shared between threads.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Everything taken after its construction is given back at its destruction.
  class Frame {
   public:
    explicit Frame(Workspace& workspace)
        : workspace_(workspace), chunk_(workspace.chunk_), used_(workspace.used_) {}
    ~Frame() { workspace_.release(chunk_, used_); }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Workspace& workspace_;
    std::size_t chunk_;
    std::size_t used_;
  };

  /// `count` uninitialised values, aligned for any SIMD vector.
  template <class T>
  std::span<T> take(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(take_bytes(count, sizeof(T))), count};  // NOLINT(bugprone-sizeof-expression)
  }

  /// Bytes held, used or not.
  std::size_t capacity() const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  struct Chunk {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t size;
  };

  void* take_bytes(std::size_t count, std::size_t size);
  void release(std::size_t chunk, std::size_t used);

  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;  // the chunk being filled
  std::size_t used_ = 0;   // bytes of it in use
};

/// The calling thread's own workspace.
Workspace& thread_workspace();

}  // namespace fenchel
