// SPDX-License-Identifier: Apache-2.0
// State goes into an archive and comes back with the same bits; damaged state is refused, by name.
#include "fenchel/core/state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace fenchel {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

enum class Color { red, green, blue };

struct Inner {
  int count = 0;
  void visit_state(StateArchive& archive) { archive("count", count); }
  bool operator==(const Inner&) const = default;
};

// One member of each type.
struct Everything {
  double wide = 0;
  double endless = 0;
  float narrow = 0;
  int count = 0;
  bool flag = false;
  std::uint64_t large = 0;
  Color color = Color::red;
  std::optional<double> bound;
  std::vector<double> values = std::vector<double>(3);
  std::vector<std::uint32_t> chosen;
  std::vector<double> memory = std::vector<double>(2);
  std::vector<double> endless_memory = std::vector<double>(2);
  Inner inner;
  std::vector<Inner> parts = std::vector<Inner>(2);

  void visit_state(StateArchive& archive) {
    archive("wide", wide);
    archive.extended("endless", endless);
    archive("narrow", narrow);
    archive("count", count);
    archive("flag", flag);
    archive("large", large);
    archive("color", color, Color::blue);
    archive.extended("bound", bound);
    archive("values", values);
    archive.resizable("chosen", chosen);
    archive("memory", std::span(memory));
    archive.extended("endless_memory", std::span(endless_memory));
    archive("inner", inner);
    archive("part", parts);
    archive.check("values", values[0] <= 10);
  }
  bool operator==(const Everything&) const = default;
};

Everything example() {
  return {.wide = 0.1,
          .endless = -infinite,
          .narrow = 0.1F,
          .count = std::numeric_limits<int>::max(),
          .flag = true,
          .large = ~std::uint64_t{0},
          .color = Color::blue,
          .bound = 1.5,
          .values = {1, -0.0, std::numeric_limits<double>::denorm_min()},
          .chosen = {0, ~std::uint32_t{0}},
          .memory = {4, 5},
          .endless_memory = {infinite, 6},
          .inner = {7},
          .parts = {{8}, {9}}};
}

// The example's state with one entry replaced, read back.
template <class T>
std::function<void()> reading(const std::string& name, std::vector<T> values) {
  return [=] {
    State state = save_state(example());
    ASSERT_TRUE(state.arrays().contains(name));
    state.set(name, values);
    Everything back;
    restore_state(back, state);
  };
}

auto refused(const std::string& message) { return ThrowsMessage<std::invalid_argument>(HasSubstr(message)); }

TEST(State, EveryTypeComesBackWithTheSameBits) {
  for (const Everything& saved : {example(), Everything{}}) {
    Everything back = saved == Everything{} ? example() : Everything{};
    restore_state(back, save_state(saved));
    EXPECT_EQ(back, saved);
    EXPECT_EQ(std::signbit(back.values[1]), std::signbit(saved.values[1]));
  }
}

TEST(State, MembersAreNamedByTheirOwner) {
  const State state = save_state(example());
  EXPECT_EQ(state.array<std::int64_t>("inner.count"), std::vector<std::int64_t>{7});
  EXPECT_EQ(state.array<std::int64_t>("part1.count"), std::vector<std::int64_t>{9});
}

TEST(State, MissingEntriesAreRefused) {
  const State state = save_state(example());
  for (const auto& dropped : state.arrays()) {
    State rest;
    for (const auto& [name, array] : state.arrays()) {
      if (name == dropped.first) continue;
      std::visit([&, &key = name](const auto& values) { rest.set(key, values); }, array);
    }
    Everything back;
    EXPECT_THAT([&] { restore_state(back, rest); }, refused("has no '" + dropped.first + "'"));
  }
}

TEST(State, OtherTypesAndSizesAreRefused) {
  EXPECT_THAT(reading("wide", std::vector<float>{1}), refused("'wide' of the saved state has another type"));
  EXPECT_THAT(reading("chosen", std::vector<double>{1}), refused("'chosen' of the saved state has another"));
  EXPECT_THAT(reading("wide", std::vector<double>{}), refused("'wide' of the saved state has 0 entries"));
  EXPECT_THAT(reading("memory", std::vector<double>{1, 2, 3}), refused("has 3 entries; expected 2"));
  EXPECT_THAT(reading("values", std::vector<double>{1, 2}), refused("has 2 entries; expected 3"));
  EXPECT_THAT(reading("values", std::vector<double>{11, 2, 3}),
              refused("'values' of the saved state does not"));
  EXPECT_NO_THROW(reading("chosen", std::vector<std::uint64_t>{3, 1, 2})());
}

TEST(State, NumbersThatAreNotFiniteAreRefusedUnlessTheyMayBe) {
  EXPECT_THAT(reading("wide", std::vector<double>{not_a_number}),
              refused("'wide' of the saved state is not f"));
  EXPECT_THAT(reading("narrow", std::vector<float>{std::numeric_limits<float>::infinity()}),
              refused("'narrow' of the saved state is not finite"));
  EXPECT_THAT(reading("values", std::vector<double>{1, 2, -infinite}),
              refused("'values' of the saved state is"));
  EXPECT_NO_THROW(reading("endless", std::vector<double>{not_a_number})());
  EXPECT_NO_THROW(reading("bound", std::vector<double>{infinite})());
}

TEST(State, WholeNumbersOutOfRangeAreRefused) {
  using Signed = std::vector<std::int64_t>;
  using Unsigned = std::vector<std::uint64_t>;
  EXPECT_THAT(reading("count", Signed{-1}), refused("'count' of the saved state is out of range"));
  EXPECT_THAT(reading("count", Signed{std::int64_t{1} << 31}), refused("is out of range"));
  EXPECT_THAT(reading("flag", Signed{2}), refused("'flag' of the saved state is out of range"));
  EXPECT_THAT(reading("chosen", Unsigned{std::uint64_t{1} << 32}), refused("is out of range"));
  EXPECT_THAT(reading("color", Unsigned{3}), refused("'color' of the saved state does not fit"));
  EXPECT_THAT(reading("part1.count", Signed{-1}),
              refused("'part1.count' of the saved state is out of range"));
}

}  // namespace
}  // namespace fenchel
