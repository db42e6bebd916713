// SPDX-License-Identifier: Apache-2.0
// Reading an svmlight file into sparse rows of doubles, on one thread.
#include "fenchel/data/svmlight.hpp"

#include "peers/structured/registry.hpp"

namespace {

const bool added = fenchel::bench::add_case("read_svmlight", [](const fenchel::bench::Arguments& a) {
  const std::string path = a.text("path");
  return std::function<void()>(
      [path] { fenchel::read_svmlight(path, {.storage = fenchel::Storage::sparse}); });
});

}  // namespace
