// SPDX-License-Identifier: Apache-2.0
// Damaged models, checkpoints and caches: none may be accepted, unless what is read is what was written.
//   fenchel_mutate [COUNT [SEED]]   so many damaged files of each of the three (10000)
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/models/model_file.hpp"
#include "fenchel/training/checkpoint.hpp"
#include "input_file.hpp"
#include "samples.hpp"

namespace fenchel::campaign {
namespace {

constexpr std::size_t length_bytes = 8;  // of the header's length, at the beginning of a tensor file

/// Numbers that follow from a seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t end) { return end == 0 ? 0 : static_cast<std::size_t>(random_.bits() % end); }
  char byte() { return static_cast<char>(random_.bits()); }

 private:
  Random random_;
};

std::size_t header_end(const std::string& file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), length_bytes);
  return length_bytes + static_cast<std::size_t>(length);
}

struct Damage {
  const char* name;
  /// Damages `file`; `other` is another file of its kind.
  void (*apply)(std::string& file, const std::string& other, Draw& draw);
};

void flip_bits(std::string& file, const std::string&, Draw& draw) {
  for (std::size_t k = draw.below(4) + 1; k > 0; --k)
    file[draw.below(file.size())] ^= static_cast<char>(1U << draw.below(8));
}
void flip_bit_of_data(std::string& file, const std::string&, Draw& draw) {
  const std::size_t begin = header_end(file);
  if (begin < file.size())
    file[begin + draw.below(file.size() - begin)] ^= static_cast<char>(1U << draw.below(8));
}
void overwrite(std::string& file, const std::string&, Draw& draw) {
  const std::size_t begin = draw.below(file.size());
  const std::size_t end = std::min(file.size(), begin + 1 + draw.below(64));
  const char filler = draw.below(2) == 0 ? '\0' : draw.byte();
  for (std::size_t i = begin; i < end; ++i) file[i] = filler;
}
void cut_off(std::string& file, const std::string&, Draw& draw) { file.resize(draw.below(file.size())); }
void extend(std::string& file, const std::string&, Draw& draw) {
  file.append(1 + draw.below(64), draw.below(2) == 0 ? '\0' : draw.byte());
}
void remove_bytes(std::string& file, const std::string&, Draw& draw) {
  file.erase(draw.below(file.size()), 1 + draw.below(32));
}
void swap_blocks(std::string& file, const std::string&, Draw& draw) {
  const std::size_t size = 8 << draw.below(4), blocks = file.size() / size;
  const std::size_t a = draw.below(blocks) * size, b = draw.below(blocks) * size;
  for (std::size_t i = 0; i < size && blocks > 0; ++i) std::swap(file[a + i], file[b + i]);
}
// As a disk that mixes two versions of a file.
void splice(std::string& file, const std::string& other, Draw& draw) {
  const std::size_t begin = draw.below(std::min(file.size(), other.size()));
  const std::size_t size = std::min(std::min(file.size(), other.size()) - begin, 8 + draw.below(512));
  file.replace(begin, size, other, begin, size);
}
void edit_header(std::string& file, const std::string&, Draw& draw) {
  static constexpr std::string_view letters = "0123456789,:{}[]\" -.eFIU\\";
  const std::size_t place = length_bytes + draw.below(header_end(file) - length_bytes);
  file[place] = letters[draw.below(letters.size())];
}
// A character more or less, the length set right: the header stays one.
void resize_header(std::string& file, const std::string&, Draw& draw) {
  const std::size_t end = header_end(file), place = length_bytes + draw.below(end - length_bytes);
  std::uint64_t length = end - length_bytes;
  if (draw.below(2) == 0) {
    file.erase(place, 1);
    --length;
  } else {
    file.insert(place, 1, " 0a,"[draw.below(4)]);
    ++length;
  }
  std::memcpy(file.data(), &length, length_bytes);
}
constexpr Damage damages[] = {{"flipped bits", flip_bits},
                              {"a flipped bit of data", flip_bit_of_data},
                              {"overwritten", overwrite},
                              {"cut off", cut_off},
                              {"extended", extend},
                              {"bytes removed", remove_bytes},
                              {"swapped blocks", swap_blocks},
                              {"spliced", splice},
                              {"an edited header", edit_header},
                              {"a header of another length", resize_header}};

/// A kind of file: samples, and what is read from one, as a text that tells contents apart.
struct FileKind {
  const char* name;
  std::vector<std::string> samples;
  std::function<std::string(const std::string& file)> content;
};

std::string content_of_model(const std::string& file) {
  return fuzz::bytes_of(model_from_bytes(std::as_bytes(std::span(file))));
}

std::string content_of_checkpoint(const std::string& file) {
  const fuzz::InputFile input(file);
  const Checkpoint checkpoint = load_checkpoint(input.path());
  std::string text;
  for (const auto& [key, value] : checkpoint.identity) text += fmt::format("{}={}\n", key, value);
  for (const auto& [name, array] : checkpoint.state.arrays()) {
    text += fmt::format("{} {}", name, array.index());
    std::visit(
        [&](const auto& values) {
          text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
        },
        array);
  }
  return text;
}

std::string content_of_cache(const std::string& file) {
  const fuzz::InputFile input(file);
  const Dataset data = map_cache(input.path());
  std::string text = fingerprint(data) + (data.x.single() ? " single" : " double");
  for (const auto& list : {data.feature_names, data.labels.names}) {
    for (const std::string& name : list) text += name + '\n';
  }
  for (const double value : data.fill) text += fmt::format(" {}", value);
  for (const NominalColumn& column : data.nominal)
    text += fmt::format(" {} {}", column.name, fmt::join(column.values, ","));
  return text;
}

/// How many damaged files were accepted though their content is another one.
std::size_t campaign(const FileKind& kind, std::size_t count, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<std::string> contents;
  for (const std::string& sample : kind.samples) contents.push_back(kind.content(sample));
  std::map<std::string, std::size_t> accepted;
  std::size_t same = 0, wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t which = draw.below(kind.samples.size());
    const Damage& damage = damages[draw.below(std::size(damages))];
    std::string file = kind.samples[which];
    damage.apply(file, kind.samples[draw.below(kind.samples.size())], draw);
    if (file == kind.samples[which]) continue;
    try {
      if (kind.content(file) == contents[which]) {
        ++same;
      } else {
        ++wrong;
        ++accepted[damage.name];
      }
    } catch (const std::invalid_argument&) {
    } catch (const std::runtime_error&) {
    }
  }
  fmt::print("{}: {} damaged files, {} accepted with another content, {} with the same\n", kind.name, count,
             wrong, same);
  for (const auto& [name, times] : accepted) fmt::print("  {:>6} × {}\n", times, name);
  return wrong;
}

}  // namespace
}  // namespace fenchel::campaign

int main(int argc, char** argv) {
  using namespace fenchel;
  const std::size_t count = argc > 1 ? std::stoul(argv[1]) : 10000;
  const std::uint64_t seed = argc > 2 ? std::stoull(argv[2]) : 0;
  std::size_t wrong = 0;
  for (const campaign::FileKind& kind :
       {campaign::FileKind{"models", fuzz::sample_models(), campaign::content_of_model},
        campaign::FileKind{"checkpoints", fuzz::sample_checkpoints(), campaign::content_of_checkpoint},
        campaign::FileKind{"caches", fuzz::sample_caches(), campaign::content_of_cache}}) {
    wrong += campaign::campaign(kind, count, seed);
  }
  return wrong > 0 ? 1 : 0;
}
