// SPDX-License-Identifier: Apache-2.0
// Readers in bytes per second: svmlight (numbers of 17 digits take std::from_chars, shorter ones the fast
// path) beside a pass that only finds the lines, and a cache that is mapped.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "data/text_source.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/svmlight.hpp"

namespace fenchel::bench {
namespace {

/// A file of 20000 rows with 50 entries of `digits` decimals, written once.
const std::string& file_of(int digits) {
  static std::string paths[20];
  std::string& path = paths[digits];
  if (!path.empty()) return path;
  path = (std::filesystem::temp_directory_path() / ("fenchel-bench-" + std::to_string(digits) + ".svm"))
             .string();
  Random random(1);
  std::string text;
  char number[64];
  for (int i = 0; i < 20000; ++i) {
    text += std::to_string(random.below(10));
    std::uint64_t index = 0;
    for (int k = 0; k < 50; ++k) {
      index += 1 + random.below(500);
      std::snprintf(number, sizeof number, " %llu:%.*f", static_cast<unsigned long long>(index), digits,
                    random.normal());
      text += number;
    }
    text += '\n';
  }
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

void count(benchmark::State& state, const std::string& path) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

void lines_only(benchmark::State& state) {
  const std::string& path = file_of(6);
  for (auto _ : state) {
    TextSource source(path);
    std::string_view line;
    std::size_t bytes = 0;
    while (source.next_line(line)) bytes += line.size();
    benchmark::DoNotOptimize(bytes);
  }
  count(state, path);
}
BENCHMARK(lines_only)->Unit(benchmark::kMillisecond);

void svmlight(benchmark::State& state) {
  const std::string& path = file_of(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        read_svmlight(path, {.storage = Storage::sparse, .threads = static_cast<int>(state.range(1))}));
  }
  count(state, path);
}
BENCHMARK(svmlight)
    ->ArgNames({"digits", "threads"})
    ->ArgsProduct({{1, 6, 17}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void mapped_cache(benchmark::State& state) {
  const std::string& text = file_of(6);
  const std::string path = text + ".cache";
  write_cache(read_svmlight(text), path);
  for (auto _ : state) benchmark::DoNotOptimize(map_cache(path));
  count(state, path);
}
BENCHMARK(mapped_cache)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fenchel::bench
