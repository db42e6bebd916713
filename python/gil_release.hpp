// SPDX-License-Identifier: Apache-2.0
// Other Python threads run while this lives.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

namespace fenchel::python {

/// Like nanobind's gil_scoped_release, but for threads that are still computing when the interpreter ends: a
/// daemon thread that asks for the lock then is ended by CPython (before 3.14) with pthread_exit, which would
/// unwind through destructors and end the process. It waits for the end instead, as in CPython 3.14.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {  // nothing but pthread_exit, which must not go on
      for (;;) pause();
    }
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace fenchel::python
