// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/spec_reader.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {

Task parse_task(std::string_view name) {
  std::string hyphens(name);
  std::ranges::replace(hyphens, '_', '-');
  std::vector<std::string_view> known;
  for (const Task task : all_tasks) {
    if (hyphens == to_string(task)) return task;
    known.push_back(to_string(task));
  }
  const std::string nearest = spec::suggestion(hyphens, known);
  throw OptionError(nearest.empty()
                        ? fmt::format("unknown `task` '{}'; expected one of {}", name, fmt::join(known, ", "))
                        : fmt::format("unknown `task` '{}'{}", name, nearest));
}

}  // namespace fenchel
