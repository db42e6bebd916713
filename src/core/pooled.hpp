// SPDX-License-Identifier: Apache-2.0
// Objects that own memory (structures, mixtures) and are needed again and again: each thread keeps them, with
// their capacity, so that steady state allocates nothing. Plain arrays come from a Workspace instead.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace fenchel {

/// Borrows a T from the thread's pool until the end of the scope. It holds whatever its last user left in it.
template <class T>
class Pooled {
 public:
  Pooled() {
    auto& free = pool();
    if (free.empty()) {
      object_ = std::make_unique<T>();
    } else {
      object_ = std::move(free.back());
      free.pop_back();
    }
  }
  ~Pooled() { pool().push_back(std::move(object_)); }
  Pooled(const Pooled&) = delete;
  Pooled& operator=(const Pooled&) = delete;

  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

 private:
  static std::vector<std::unique_ptr<T>>& pool() {
    thread_local std::vector<std::unique_ptr<T>> free;
    return free;
  }

  std::unique_ptr<T> object_;
};

}  // namespace fenchel
