// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "fenchel/data/read.hpp"
#include "fenchel/models/task_targets.hpp"

namespace fenchel::fuzz {

std::vector<Target>& targets() {
  static std::vector<Target> list;
  return list;
}

TwoFiles split_input(Bytes input) {
  const std::string_view text = text_of(input);
  const std::size_t place = text.find(separator);
  if (place == std::string_view::npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + separator.size())};
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "finding: it does not hold that %s\n", what);
  std::abort();
}

std::vector<ReadOptions> reading_options(DataFormat format) {
  return {{.format = format},
          {.format = format,
           .single = true,
           .storage = Storage::sparse,
           .target = "-",
           .nominal = Nominal::ordinal,
           .missing = Missing::impute}};
}

void use(const Dataset& data) {
  require(!fingerprint(data).empty(), "a data set has a fingerprint");
  const TaskTargets made = make_targets(data, guess_task(data).task);
  require(made.kept.size() + made.dropped == data.rows(), "every row is kept or dropped");
}

void read_rows(Bytes input, DataFormat format) {
  const InputFile file(text_of(input));
  for (const ReadOptions& options : reading_options(format)) {
    try {
      use(read_dataset(file.path(), options).data);
    } catch (const std::invalid_argument&) {
    } catch (const std::runtime_error&) {
    }
  }
}

}  // namespace fenchel::fuzz
