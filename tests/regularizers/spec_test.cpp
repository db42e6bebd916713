// SPDX-License-Identifier: Apache-2.0
// Names and parameters: both notations, round trips, suggestions, and text that is not a spec at all.
#include "fenchel/regularizers/spec.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "fenchel/regularizers/any.hpp"
#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  return message_of([&] { make_regularizer(text); });
}

TEST(Spec, BothNotationsMeanTheSame) {
  for (const auto& [text, json] : std::vector<std::pair<std::string, std::string>>{
           {"tsallis:alpha=1.5", R"({"name": "tsallis", "alpha": 1.5})"},
           {"norm:q=inf", R"({"name": "norm", "q": "inf"})"},
           {"shannon:temperature=0.5,constant=2",
            R"({"name": "shannon", "temperature": 0.5, "constant": 2})"},
           {"sparsemax", R"({"name": "tsallis", "alpha": 2})"},
           {"softmax", R"({"name": "shannon"})"}}) {
    const Vector theta{0.3, -1, 0.5};
    EXPECT_EQ(predict(make_regularizer(text), theta), predict(make_regularizer(json), theta)) << text;
    EXPECT_EQ(make_regularizer(text).value(vertex(3, 1)), make_regularizer(json).value(vertex(3, 1))) << text;
  }
}

TEST(Spec, EveryExampleMakesARoundTrip) {
  Random random(1);
  for (const Named& named : every_regularizer()) {
    if (!has_text(named.omega)) continue;
    const std::string json = to_json(named.omega.spec());
    const AnyRegularizer copy = make_regularizer(json);
    EXPECT_EQ(to_json(copy.spec()), json);
    EXPECT_EQ(to_json(parse_spec(json)), json);
    const std::size_t d = named.d == 0 ? 3 : named.d;
    const Vector theta = normal_vector(random, d);
    EXPECT_EQ(predict(copy, theta), predict(named.omega, theta)) << json;
  }
}

TEST(Spec, NestedAndListed) {
  const AnyRegularizer nested =
      make_regularizer(R"({"name":"one_vs_all","entropy":{"name":"tsallis","alpha":2}})");
  EXPECT_LE(max_difference(predict(nested, {0.2, -3}), predict(SparseSigmoid{}, {0.2, -3})), 1e-15);
  const AnyRegularizer costed = make_regularizer(R"({"name":"argmax","cost":[0,2]})");
  EXPECT_EQ(predict(costed, {1, 0}), (Vector{0, 1}));
  const AnyRegularizer pairwise = make_regularizer(R"({"name":"pairwise_hinge","costs":[[0,1],[2,0]]})");
  EXPECT_EQ(pairwise.get_if<PairwiseHinge>()->costs[1][0], 2);
}

TEST(Spec, UnknownNamesSuggestTheNearest) {
  EXPECT_EQ(error_of("tsalis"), "unknown omega 'tsalis'; did you mean 'tsallis'?");
  EXPECT_THAT(error_of("sparse_max"), HasSubstr("did you mean 'sparsemax'?"));
  EXPECT_EQ(error_of("qqqqqqqqqqqqqqqq"), "unknown omega 'qqqqqqqqqqqqqqqq'");
  EXPECT_THAT(error_of("tsallis:alhpa=2"),
              HasSubstr("tsallis has no parameter 'alhpa'; did you mean 'alpha'?"));
  EXPECT_THAT(error_of("shannon:alpha=2"), HasSubstr("shannon has no parameter 'alpha'"));
}

// A spec without one of its parameters.
Spec without(Spec spec, std::string_view key) {
  std::erase_if(spec.parameters, [&](const auto& parameter) { return parameter.first == key; });
  return spec;
}

TEST(Spec, RequiredParametersAreNamed) {
  for (const RegularizerEntry& entry : regularizer_list()) {
    const Spec spec = entry.examples.front().spec();
    for (const ParameterEntry& parameter : entry.parameters) {
      const auto make = [&] { make_regularizer(without(spec, parameter.name)); };
      if (parameter.required) {
        EXPECT_THAT(message_of(make), HasSubstr(fmt::format("{} needs {}: ", entry.name, parameter.name)));
      } else {
        EXPECT_NO_THROW(make()) << entry.name << ' ' << parameter.name;
      }
    }
  }
  for (const PolytopeEntry& entry : polytope_list()) {
    const Spec spec = entry.examples.front().spec();
    for (const ParameterEntry& parameter : entry.parameters) {
      if (!parameter.required) continue;
      EXPECT_THAT(message_of([&] { make_polytope(without(spec, parameter.name)); }),
                  HasSubstr(fmt::format("{} needs {}: ", entry.traits.name, parameter.name)));
    }
  }
  EXPECT_THAT(error_of(R"({"name": "sparsemap", "polytope": {"name": "k_subsets", "d": 3}})"),
              HasSubstr("k_subsets needs k: size of the subsets, 1 <= k <= d"));
  EXPECT_THAT(error_of("sparsemap"), HasSubstr("sparsemap needs polytope"));
  EXPECT_THAT(error_of("one_vs_all"), HasSubstr("one_vs_all needs entropy"));
}

TEST(Spec, WrongValues) {
  EXPECT_EQ(error_of("tsallis:alpha=0"), "alpha is 0; expected a number > 0");
  EXPECT_EQ(error_of("tsallis:alpha=-1"), "alpha is -1; expected a number > 0");
  EXPECT_EQ(error_of("tsallis:alpha=x"), "alpha is 'x'; expected a number");
  EXPECT_THAT(error_of("tsallis:alpha=nan"), HasSubstr("alpha is 'nan'"));
  EXPECT_EQ(error_of("norm:q=1"), "q is 1; expected a number > 1");
  EXPECT_THAT(error_of("squared_norm:q=3"), HasSubstr("expected a number in (1, 2]"));
  EXPECT_EQ(error_of("renyi:beta=-1"), "beta is -1; expected a number >= 0");
  EXPECT_EQ(error_of("shannon:temperature=0"), "temperature is 0; expected a number > 0");
  EXPECT_THAT(error_of("shannon:constant=inf"), HasSubstr("constant is inf"));
  EXPECT_THAT(error_of(R"({"name":"tsallis","alpha":[1]})"), HasSubstr("expected a number"));
  EXPECT_THAT(error_of(R"({"name":"tsallis","alpha":null})"), HasSubstr("alpha is null"));
  EXPECT_THAT(error_of(R"({"name":"shannon","cost":3})"), HasSubstr("expected a list of numbers"));
  EXPECT_THAT(error_of(R"({"name":"shannon","cost":[]})"), HasSubstr("cost is empty"));
  EXPECT_THAT(error_of(R"({"name":"one_vs_all","entropy":{"name":"relu"}})"),
              HasSubstr("expected an omega over the simplex"));
}

TEST(Spec, Garbage) {
  for (const std::string text :
       {"", "   ", "{", "{}", "[1]", R"({"name": 3})", ":", "tsallis:", "tsallis:alpha", "tsallis:=2",
        R"({"name":"tsallis","alpha":1.5)", R"({"name":"x","y":{}})", "tsallis:alpha=1.5,", "\xff\xfe",
        R"({"name":"shannon","cost":[[1],2]})"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST(Spec, RepeatedParametersAreRefused) {
  for (const std::string text :
       {"tsallis:alpha=1.5,alpha=2", R"({"name":"tsallis","alpha":1.5,"alpha":2})",
        R"({"name":"norm","name":"tsallis"})",
        R"({"name":"one_vs_all","entropy":{"name":"tsallis","alpha":2,"alpha":2}})"}) {
    EXPECT_THAT(error_of(text), HasSubstr("twice")) << text;
  }
  // The same key in two objects is no repetition.
  EXPECT_EQ(error_of(R"({"name":"one_vs_all","entropy":{"name":"tsallis"}})"), "");
}

TEST(Spec, OnlyUtf8) {
  EXPECT_THAT(error_of("tsallis\x8b"), HasSubstr("not UTF-8: byte 0x8b at 7"));
  EXPECT_THROW(parse_spec("a\x8b"), std::invalid_argument);  // what is parsed can be written as JSON
}

TEST(Spec, DeepNestingIsRefused) {
  const auto nested = [](int depth, const std::string& open, const std::string& close) {
    std::string text = R"({"name":"one_vs_all","entropy":)";
    for (int i = 0; i < depth; ++i) text += open;
    text += R"({"name":"shannon"})";
    for (int i = 0; i < depth; ++i) text += close;
    return text + "}";
  };
  EXPECT_THAT(error_of(nested(100, R"({"name":"one_vs_all","entropy":)", "}")),
              HasSubstr("nested more than"));
  EXPECT_NE(error_of(nested(100000, R"({"name":"one_vs_all","entropy":)", "}")), "");
  EXPECT_NE(error_of(nested(100000, "[", "]")), "");
  EXPECT_NE(error_of(std::string(1000000, '[')), "");
  EXPECT_NE(error_of("{\"name\":" + std::string(1000000, '[')), "");
}

TEST(Spec, ListCoversEveryName) {
  std::set<std::string_view> names;
  for (const RegularizerEntry& entry : regularizer_list()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.examples.empty()) << entry.name;
    const std::string text = to_json(entry.examples.front().spec());
    EXPECT_EQ(error_of(text), "") << text;
    EXPECT_EQ(to_json(make_regularizer(text).spec()), text);
    const Traits traits = entry.examples.front().refined_traits();
    EXPECT_FALSE(traits.formula.empty() || traits.loss.empty() || traits.prediction.empty() ||
                 traits.paper.empty());
  }
  for (const auto& alias : regularizer_aliases())
    EXPECT_EQ(error_of(std::string(alias.first)), "") << alias.first;
}

}  // namespace
}  // namespace fenchel::test
