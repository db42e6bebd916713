// SPDX-License-Identifier: Apache-2.0
#include "core/string_arrays.hpp"

#include <stdexcept>

namespace fenchel {

void add_string_arrays(TensorFile& file, const std::string& name, const std::vector<std::string>& strings) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> ends;
  for (const std::string& text : strings) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const std::size_t size = bytes.size();
  file.add(name + ".bytes", std::move(bytes), {size});
  file.add(name + ".ends", std::move(ends), {strings.size()});
}

std::vector<std::string> read_string_arrays(const TensorFile& file, const std::string& name) {
  const auto bytes = file.tensor<std::uint8_t>(name + ".bytes");
  std::vector<std::string> strings;
  std::int64_t begin = 0;
  for (const std::int64_t end : file.tensor<std::int64_t>(name + ".ends")) {
    if (end < begin || end > static_cast<std::int64_t>(bytes.size())) {
      throw std::invalid_argument("'" + name + ".ends' has " + std::to_string(end) + " after " +
                                  std::to_string(begin) + "; expected ends in order, at most " +
                                  std::to_string(bytes.size()));
    }
    strings.emplace_back(bytes.begin() + begin, bytes.begin() + end);
    begin = end;
  }
  return strings;
}

}  // namespace fenchel
