// SPDX-License-Identifier: Apache-2.0
// The functions that libFuzzer calls. Beside its own flags the program takes
//   --target=NAME   which target to run
//   --list          prints the names of all, and ends
//   --seeds=FOLDER  writes the inputs that the library makes for the target into a folder, and ends
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "harness.hpp"
#include "tensor_checksums.hpp"
#include "tensor_mutator.hpp"

namespace {

using fenchel::fuzz::Bytes;
using fenchel::fuzz::Target;
using fenchel::fuzz::targets;

const Target* chosen = nullptr;

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(2);
}

const Target* target_called(std::string_view name) {
  const auto found = std::ranges::find(targets(), name, &Target::name);
  return found == targets().end() ? nullptr : &*found;
}

[[noreturn]] void list_targets() {
  std::ranges::sort(targets(), {}, &Target::name);
  for (const Target& target : targets()) std::puts(std::string(target.name).c_str());
  std::exit(0);
}

[[noreturn]] void write_seeds(const std::string& folder) {
  int number = 0;
  for (const std::string& seed : chosen->seeds ? chosen->seeds() : std::vector<std::string>()) {
    std::ofstream file(folder + "/made-" + std::to_string(number++), std::ios::binary);
    if (!(file << seed).flush()) fail("a seed cannot be written into " + folder);
  }
  std::exit(0);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  omp_set_num_threads(1);
  std::string seeds;
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (argument == "--list") list_targets();
    if (argument.starts_with("--target=")) chosen = target_called(argument.substr(9));
    if (argument.starts_with("--seeds=")) seeds = argument.substr(8);
  }
  if (!chosen) fail("--target=NAME must name a target; --list shows them");
  if (!seeds.empty()) write_seeds(seeds);
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t largest);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                               unsigned seed) {
  const bool numbers = chosen->checksummed && seed % 4 != 0;
  if (numbers && fenchel::fuzz::mutate_numbers({data, size}, seed)) return size;
  return LLVMFuzzerMutate(data, size, largest);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    if (chosen->checksummed) {
      const std::string mended = fenchel::fuzz::with_checksums(fenchel::fuzz::text_of({data, size}));
      chosen->run({reinterpret_cast<const std::uint8_t*>(mended.data()), mended.size()});
    } else {
      chosen->run({data, size});
    }
  } catch (const std::invalid_argument&) {  // refused, as promised
  } catch (const std::runtime_error&) {
  }
  return 0;
}
