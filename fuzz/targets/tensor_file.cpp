// SPDX-License-Identifier: Apache-2.0
// What is accepted is written again, and reads back.
#include "fenchel/core/tensor_file.hpp"

#include "harness.hpp"

namespace fenchel::fuzz {
namespace {

std::string text_of_file(const TensorFile& file) {
  const auto bytes = tensor_file_bytes(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void run(Bytes input) {
  const TensorFile file = read_tensor_bytes(std::as_bytes(input), "the input");
  const std::string text = text_of_file(file);
  const TensorFile again = read_tensor_bytes(std::as_bytes(std::span(text)), "the output");
  require(again.names() == file.names() && again.metadata == file.metadata,
          "a file that was written reads back");
  require(text_of_file(again) == text, "the bytes depend on the content alone");
}

std::vector<std::string> seeds() {
  TensorFile file;
  file.metadata["format"] = "pt";
  file.add("w", std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3});
  file.add("few", std::vector<std::uint8_t>{1, 2, 3}, {3});
  file.add("none", std::vector<std::int32_t>{}, {0, 4});
  file.add("number", std::vector<float>{0.5F}, {});
  return {text_of_file(file), text_of_file(TensorFile{})};
}

}  // namespace

const Registration tensor_file{{.name = "tensor_file", .run = run, .seeds = seeds, .checksummed = true}};

}  // namespace fenchel::fuzz
