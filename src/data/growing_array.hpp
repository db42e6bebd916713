// SPDX-License-Identifier: Apache-2.0
// An array of plain numbers that grows without being copied: realloc moves large blocks by their pages, so
// that reading a file never holds its numbers twice (a std::vector does while it grows, and zeroes the new
// part).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace fenchel {

template <class T>
requires std::is_trivially_copyable_v<T>
class GrowingArray {
 public:
  GrowingArray() = default;
  ~GrowingArray() { std::free(data_); }
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;

  std::size_t size() const { return size_; }
  std::span<T> span() { return {data_, size_}; }
  T& operator[](std::size_t i) { return data_[i]; }

  void append(const T* values, std::size_t count) {
    if (count == 0) return;
    reserve(size_ + count);
    std::memcpy(data_ + size_, values, count * sizeof(T));
    size_ += count;
  }
  void push(T value) { append(&value, 1); }
  void shrink(std::size_t size) { size_ = size; }

  /// Hands the array over, without what was reserved in advance.
  std::shared_ptr<T> release() {
    if (size_ < capacity_) {
      if (T* const smaller =
              static_cast<T*>(std::realloc(data_, std::max<std::size_t>(size_, 1) * sizeof(T)))) {
        data_ = smaller;
      }
    }
    size_ = capacity_ = 0;
    return {std::exchange(data_, nullptr), [](T* p) { std::free(p); }};
  }

 private:
  void reserve(std::size_t needed) {
    if (needed <= capacity_) return;
    const std::size_t capacity = std::max(needed, capacity_ + capacity_ / 2);
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(capacity, sizeof(T), &bytes)) throw std::bad_alloc();
    void* const larger = std::realloc(data_, bytes);
    if (!larger) throw std::bad_alloc();
    data_ = static_cast<T*>(larger);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace fenchel
