// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/cache.hpp"

#include "harness.hpp"
#include "samples.hpp"

namespace fenchel::fuzz {
namespace {

void run(Bytes input) {
  const InputFile file(text_of(input));
  use(map_cache(file.path()));
}

}  // namespace

const Registration cache{{.name = "cache", .run = run, .seeds = sample_caches, .checksummed = true}};

}  // namespace fenchel::fuzz
