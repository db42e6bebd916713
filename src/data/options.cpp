// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/options.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "core/spec_reader.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {
namespace {

constexpr std::pair<DataFormat, std::string_view> names[] = {{DataFormat::automatic, "auto"},
                                                             {DataFormat::svmlight, "svmlight"},
                                                             {DataFormat::arff, "arff"},
                                                             {DataFormat::csv, "csv"},
                                                             {DataFormat::npy, "npy"},
                                                             {DataFormat::cache, "cache"},
                                                             {DataFormat::time_series, "time_series"},
                                                             {DataFormat::conll, "conll"},
                                                             {DataFormat::conllu, "conllu"},
                                                             {DataFormat::crfsuite, "crfsuite"},
                                                             {DataFormat::ocr, "ocr"}};

}  // namespace

std::string_view format_name(DataFormat format) {
  for (const auto& [known, name] : names) {
    if (known == format) return name;
  }
  return "auto";
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> all;
  for (const auto& [format, name] : names) all.push_back(name);
  return all;
}

DataFormat format_called(std::string_view name) {
  for (const auto& [format, known] : names) {
    if (known == name) return format;
  }
  const std::vector<std::string_view> all = format_names();
  throw OptionError(fmt::format("`format` is '{}'; expected one of {}{}", name, fmt::join(all, ", "),
                                spec::suggestion(name, all)));
}

}  // namespace fenchel
