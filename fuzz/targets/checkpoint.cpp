// SPDX-License-Identifier: Apache-2.0
// A checkpoint is loaded, restored into a small fit of the kind that it names, and two steps are made. The
// kinds are every solver of the list over the kinds of problems that it does not refuse.
#include "fenchel/training/checkpoint.hpp"

#include "harness.hpp"
#include "samples.hpp"

namespace fenchel::fuzz {
namespace {

void run(Bytes input) {
  const InputFile file(text_of(input));
  const Checkpoint checkpoint = load_checkpoint(file.path());
  const auto kind = checkpoint.identity.find(kind_key);
  const auto fit = fit_of_kind(kind == checkpoint.identity.end() ? std::string() : kind->second);
  Algorithm& algorithm = fit->algorithm();
  algorithm.restore(checkpoint.state);
  if (!algorithm.step().done) algorithm.step();
  fit->model();
}

}  // namespace

const Registration checkpoint{
    {.name = "checkpoint", .run = run, .seeds = sample_checkpoints, .checksummed = true}};

}  // namespace fenchel::fuzz
