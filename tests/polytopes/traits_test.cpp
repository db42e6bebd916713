// SPDX-License-Identifier: Apache-2.0
// The facts about axes and short forms that Python's batches rely on, against the sets themselves.
#include "fenchel/polytopes/traits.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/polytopes/spec.hpp"

namespace fenchel {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

// A size, or how many entries a list has.
std::size_t extent_of(const Spec& spec, const std::string& parameter) {
  const SpecValue* value = spec.find(parameter);
  if (!value) return 0;
  if (const auto* list = std::get_if<std::vector<double>>(value)) return list->size();
  return static_cast<std::size_t>(std::get<double>(*value));
}

TEST(PolytopeTraits, AxesAreTheShape) {
  for (const PolytopeEntry& entry : polytope_list()) {
    const auto axes = words(entry.traits.axes);
    for (const AnyPolytope& set : entry.examples) {
      if (axes.empty()) continue;
      ASSERT_EQ(set.shape().size(), axes.size()) << entry.traits.name;
      for (std::size_t i = 0; i < axes.size(); ++i) {
        EXPECT_EQ(set.shape()[i], extent_of(set.spec(), axes[i])) << entry.traits.name;
      }
    }
  }
}

TEST(PolytopeTraits, LengthsAreParametersThatHaveToBeGiven) {
  for (const PolytopeEntry& entry : polytope_list()) {
    for (const std::string& length : words(entry.traits.lengths)) {
      bool found = false;
      for (const ParameterEntry& parameter : entry.parameters) {
        found = found || (parameter.name == length && parameter.required && parameter.type == "size");
      }
      EXPECT_TRUE(found) << entry.traits.name << " " << length;
    }
    EXPECT_TRUE(!entry.traits.short_form.empty() || entry.traits.short_axes.empty()) << entry.traits.name;
  }
}

TEST(PolytopeTraits, ClassesAreCalledAsSets) {
  for (const PolytopeEntry& entry : polytope_list()) {
    std::string name;
    for (const char letter : entry.traits.name) {
      if (letter != '_') name += letter;
    }
    std::string lower(entry.class_name);
    for (char& letter : lower) letter = static_cast<char>(std::tolower(letter));
    EXPECT_EQ(lower, name);
  }
}

TEST(PolytopeTraits, EntriesAndSumsOfStructures) {
  Random random(1);
  for (const PolytopeEntry& entry : polytope_list()) {
    for (const AnyPolytope& set : entry.examples) {
      const EntryRange range = set.entry_range();
      double first = 0;
      for (int draw = 0; draw < 20; ++draw) {
        std::vector<double> scores(set.dimension()), y(set.dimension());
        for (double& score : scores) score = random.normal();
        Structure best;
        set.map(scores, best, thread_workspace());
        write(best, y);
        double sum = 0;
        for (const double value : y) {
          EXPECT_TRUE(value >= range.lowest && value <= range.highest * (1 + 1e-12)) << entry.traits.name;
          sum += value;
        }
        if (draw == 0) first = sum;
        if (entry.traits.fixed_sum) {
          EXPECT_NEAR(sum, first, 1e-12 * (1 + first)) << entry.traits.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace fenchel
