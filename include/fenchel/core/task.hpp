// SPDX-License-Identifier: Apache-2.0
// What is to be learned from a data set: which part of its targets counts, and how predictions are judged.
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>

namespace fenchel {

/// The kind of output.
enum class Task {
  classification,  ///< one class
  proportions,     ///< a point of the simplex: how much of each class
  multilabel,      ///< a set of labels
  regression,      ///< numbers
  ranking,         ///< an order of the documents of a query
  label_ranking,   ///< an order of the classes
  tagging,         ///< a class for each token of a sequence
  structured,      ///< a structure of a set, or a point of its convex hull
};

inline constexpr std::array all_tasks{Task::classification, Task::proportions, Task::multilabel,
                                      Task::regression,     Task::ranking,     Task::label_ranking,
                                      Task::tagging,        Task::structured};

/// Some of them.
class TaskSet {
 public:
  constexpr TaskSet(std::initializer_list<Task> tasks) {
    for (const Task task : tasks) bits_ |= bit(task);
  }
  constexpr bool contains(Task task) const { return (bits_ & bit(task)) != 0; }

 private:
  static constexpr unsigned bit(Task task) { return 1U << static_cast<unsigned>(task); }

  unsigned bits_ = 0;
};

/// As the option `task` has it, for example "label-ranking".
constexpr std::string_view to_string(Task task) {
  switch (task) {
    case Task::classification:
      return "classification";
    case Task::proportions:
      return "proportions";
    case Task::multilabel:
      return "multilabel";
    case Task::regression:
      return "regression";
    case Task::ranking:
      return "ranking";
    case Task::label_ranking:
      return "label-ranking";
    case Task::tagging:
      return "tagging";
    case Task::structured:
      return "structured";
  }
  return "unknown";
}

/// Whether outputs have names: classes, labels or tags.
constexpr bool has_classes(Task task) {
  return !TaskSet{Task::regression, Task::ranking, Task::structured}.contains(task);
}

/// The task of that name (an underscore does for the hyphen); throws std::invalid_argument with the nearest
/// name if there is none.
Task parse_task(std::string_view name);

}  // namespace fenchel
