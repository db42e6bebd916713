// SPDX-License-Identifier: Apache-2.0
// Errors about options in words of Python: `intercept=none` of the library is fit_intercept=False.
#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/core/task.hpp"
#include "fenchel/data/data_error.hpp"

namespace fenchel::python {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

// Options whose parameters have other names, mostly those that scikit-learn gave them.
constexpr std::array<Names, 6> parameters{{{"intercept", "fit_intercept"},
                                           {"lambda", "reg_lambda"},
                                           {"tolerance", "tol"},
                                           {"max_iterations", "max_iter"},
                                           {"threads", "n_jobs"},
                                           {"seed", "random_state"}}};

// A task is an estimator.
constexpr std::array<Names, all_tasks.size()> estimators{{{"classification", "FenchelYoungClassifier"},
                                                          {"proportions", "FenchelYoungProportions"},
                                                          {"multilabel", "FenchelYoungMultilabel"},
                                                          {"regression", "FenchelYoungRegressor"},
                                                          {"ranking", "DocumentRanker"},
                                                          {"label-ranking", "LabelRanker"},
                                                          {"tagging", "SequenceTagger"},
                                                          {"structured", "StructuredPredictor"}}};

std::string renamed(const auto& names, std::string_view name) {
  const auto* found = std::ranges::find(names, name, &Names::first);
  return std::string(found == names.end() ? name : found->second);
}

bool is_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

std::string spelled_as_argument(std::string_view option, std::string_view value) {
  if (option == "task" && !value.empty()) return renamed(estimators, value);
  const std::string parameter = renamed(parameters, option);
  if (value.empty()) return parameter;
  if (option == "intercept" && value == "none") return parameter + "=False";
  return parameter + "=" + (is_number(value) ? std::string(value) : "'" + std::string(value) + "'");
}

void translate_option_errors() {
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void*) {
        try {
          std::rethrow_exception(thrown);
        } catch (const OptionError& error) {
          PyErr_SetString(PyExc_ValueError, error.spelled(spelled_as_argument).c_str());
        } catch (const DataError& error) {
          PyErr_SetString(PyExc_RuntimeError, error.spelled(spelled_as_argument).c_str());
        }
      },
      nullptr);
}

}  // namespace fenchel::python
