// SPDX-License-Identifier: Apache-2.0
// Each line of stdin asks for one measurement, NAME key=value …; the answer is a line of JSON with the
// minimum and the median time of one pass. The inputs of the last request are kept for the next one.
#include <iostream>
#include <sstream>

#include "measure.hpp"
#include "peers/structured/registry.hpp"

namespace {

constexpr int repeats = 3;

std::function<void()> pass_of(const std::string& line) {
  std::istringstream fields(line);
  std::string name;
  fields >> name;
  const auto found = fenchel::bench::cases().find(name);
  if (found == fenchel::bench::cases().end()) throw std::invalid_argument("unknown case " + name);
  fenchel::bench::Arguments arguments;
  for (std::string field; fields >> field;) {
    const std::size_t equals = field.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("expected key=value, got " + field);
    arguments.set(field.substr(0, equals), field.substr(equals + 1));
  }
  return found->second(arguments);
}

}  // namespace

int main() {
  std::string kept;
  std::function<void()> pass;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      if (line != kept) {
        pass = pass_of(line);
        kept = line;
      }
      const auto times = fenchel::bench::measure(pass, repeats);
      std::cout << "{\"min_ns\": " << times.front() << ", \"median_ns\": " << times[times.size() / 2] << "}"
                << std::endl;
    } catch (const std::exception& error) {
      kept.clear();
      std::cout << "{\"error\": \"" << error.what() << "\"}" << std::endl;
    }
  }
  return 0;
}
