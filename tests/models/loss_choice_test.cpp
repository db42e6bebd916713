// SPDX-License-Identifier: Apache-2.0
// Names of losses: each gives the loss that the name promises, for every task it is meant for.
#include "fenchel/models/loss_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fenchel/losses/binary.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/regularizers/all.hpp"
#include "messages.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

double loss_of(const LossChoice& choice, const Vector& theta, const Vector& y) {
  return choice.loss.value(theta, y);
}

// The same before it is clamped at 0.
double unclamped_loss_of(const LossChoice& choice, const Vector& theta, const Vector& y) {
  Vector cost(y.size());
  choice.loss.cost().write(y, cost);
  return unclamped_loss(choice.loss.omega(), moved(theta, 1, cost), y);
}

std::string error_of(std::string_view text, Task task, std::size_t outputs = 3) {
  return message_of([&] { resolve_loss(text, task, outputs); });
}

TEST(LossChoice, MultiClassHinge) {
  const Vector theta{0.5, 0.2, -1}, y{0, 1, 0};
  for (const char* name : {"hinge", "svm", "crammer-singer", "crammer_singer"}) {
    EXPECT_DOUBLE_EQ(loss_of(resolve_loss(name, Task::classification, 3), theta, y), 1.3) << name;
  }
  EXPECT_DOUBLE_EQ(loss_of(resolve_loss("perceptron", Task::classification, 3), theta, y), 0.3);
  const double softmax_margin = std::log(std::exp(1.5) + std::exp(0.2) + std::exp(0.0)) - 0.2;
  EXPECT_NEAR(loss_of(resolve_loss("softmax-margin", Task::classification, 3), theta, y), softmax_margin,
              1e-14);
  const double logistic = std::log(std::exp(0.5) + std::exp(0.2) + std::exp(-1.0)) - 0.2;
  EXPECT_NEAR(loss_of(resolve_loss("logistic", Task::classification, 3), theta, y), logistic, 1e-14);
}

// What a text means without a task.
std::string error_without_task(std::string_view text) {
  return message_of([&] { resolve_loss(text); });
}

TEST(LossChoice, WithoutATaskAsForClassesOrStructures) {
  const Vector theta{0.5, 0.2, -1}, y{0, 1, 0};
  for (const LossName& named : loss_names()) {
    for (const std::string_view name : named.aliases) {
      EXPECT_EQ(resolve_loss(name).text, resolve_loss(named.name).text);
    }
    if (named.omega.empty() && named.one_vs_all.empty()) continue;
    const LossChoice choice = resolve_loss(named.name);
    EXPECT_DOUBLE_EQ(loss_of(choice, theta, y),
                     loss_of(resolve_loss(named.name, Task::classification, 3), theta, y));
    EXPECT_EQ(resolve_loss(choice.text).text, choice.text);
    EXPECT_EQ(loss_has_cost(choice.text), !choice.loss.cost().empty());
  }
  EXPECT_TRUE(resolve_loss("tsallis:alpha=1.5").loss.cost().empty());
  EXPECT_EQ(resolve_loss("sparsemax+margin").text, R"({"name":"sparsemax+margin"})");
  const LossChoice trees = resolve_loss("svm:polytope=arborescence:n=2");
  EXPECT_EQ(trees.text, R"({"name":"hinge","polytope":{"name":"arborescence","n":2,"single_root":false}})");
  const LossChoice same = resolve_loss("hinge:polytope=arborescence:n=2", Task::structured, 4);
  EXPECT_DOUBLE_EQ(loss_of(trees, {1, 0.5, 0.2, 0.3}, {1, 1, 0, 0}),
                   loss_of(same, {1, 0.5, 0.2, 0.3}, {1, 1, 0, 0}));
  EXPECT_EQ(resolve_loss("crf:polytope=arborescence:n=2").loss.omega().spec().name, "marginal");
}

TEST(LossChoice, WithoutATaskANameSaysWhatItNeeds) {
  EXPECT_THAT(error_without_task("crf"), HasSubstr("'crf' (Gibbs distribution"));
  EXPECT_THAT(error_without_task("crf"), HasSubstr("tagging and of structures; name the set"));
  EXPECT_THAT(error_without_task("softmax-margin:polytope=arborescence:n=2"),
              HasSubstr("'softmax_margin' (logistic with the 0/1 cost), a loss of classification"));
  EXPECT_THAT(error_without_task("hing"), HasSubstr("did you mean 'hinge'?"));
  EXPECT_THAT(error_without_task("relu+margin"), HasSubstr("no prediction is simply wrong"));
}

TEST(LossChoice, MarginAddsTheCostOfWhatIsWrong) {
  const Vector theta{0.5, 0.2, -1}, y{0, 1, 0}, shifted{1.5, 0.2, 0};
  for (const char* name : {"sparsemax", "tsallis:alpha=1.5", "logistic"}) {
    const std::string spec(name), head = spec.substr(0, spec.find(':')), tail = spec.substr(head.size());
    const double expected = loss_of(resolve_loss(spec, Task::classification, 3), shifted, y);
    EXPECT_NEAR(loss_of(resolve_loss(head + "+margin" + tail, Task::classification, 3), theta, y), expected,
                1e-14);
    EXPECT_TRUE(loss_has_cost(head + "+margin" + tail));
    EXPECT_FALSE(loss_has_cost(spec));
  }
  EXPECT_DOUBLE_EQ(loss_of(resolve_loss("argmax+margin", Task::classification, 3), theta, y), 1.3);
  EXPECT_DOUBLE_EQ(loss_of(resolve_loss("perceptron+margin", Task::multilabel, 3), theta, y),
                   loss_of(resolve_loss("hinge", Task::multilabel, 3), theta, y));
  EXPECT_THAT(error_of("hinge+margin", Task::classification), HasSubstr("has a cost already"));
  EXPECT_THAT(error_of("squared+margin", Task::regression), HasSubstr("no prediction is simply wrong"));
  EXPECT_THAT(error_of("hnge+margin", Task::classification), HasSubstr("hinge"));
}

TEST(LossChoice, StructuresOfASet) {
  const std::string set = R"({"name": "birkhoff", "n": 2})";
  const Vector theta{1, 0.25, 0, 0.5}, y{0, 1, 1, 0};
  const auto choice = [&](std::string_view name) {
    return resolve_loss(over_polytope(name, set), Task::structured, 4);
  };
  EXPECT_DOUBLE_EQ(loss_of(choice("perceptron"), theta, y), 1.25);
  EXPECT_DOUBLE_EQ(loss_of(choice("hinge"), theta, y), 1.25 + 4);
  EXPECT_DOUBLE_EQ(loss_of(choice("map+margin"), theta, y), 1.25 + 4);
  EXPECT_NEAR(loss_of(choice("sparsemap"), theta, y), loss_of(choice("sparsemax"), theta, y), 0);
  EXPECT_EQ(structure_size(over_polytope("sparsemap", set)), 4U);
  EXPECT_THAT(error_of("sparsemap", Task::structured, 4), HasSubstr("polytope=birkhoff"));
  EXPECT_THAT(error_of("logistic", Task::structured, 4), HasSubstr("name the set"));
  EXPECT_THAT(error_of("squared", Task::structured, 4), HasSubstr("needs sparsemap"));
  EXPECT_THAT(error_of(over_polytope("sparsemap", set), Task::structured, 5), HasSubstr("is for 4 outputs"));
  EXPECT_THAT(message_of([&] { over_polytope(over_polytope("sparsemap", set), set); }),
              HasSubstr("names one too"));
}

TEST(LossChoice, SmoothedHingeOfTwoClasses) {
  const LossChoice choice = resolve_loss("smoothed-hinge", Task::classification, 2);
  const LossChoice sets = resolve_loss("smoothed_hinge", Task::multilabel, 1);
  for (const double s : {-3.0, -0.5, 0.0, 0.25, 0.999, 1.0, 4.0}) {
    for (const int y : {1, -1}) {
      const double expected = binary::smoothed_hinge(s, y).value;
      EXPECT_NEAR(loss_of(choice, {s, 0}, y == 1 ? Vector{1, 0} : Vector{0, 1}), expected, 1e-15);
      EXPECT_NEAR(loss_of(sets, {s}, {y == 1 ? 1.0 : 0.0}), expected, 1e-15);
    }
  }
}

TEST(LossChoice, OneVsAll) {
  const Vector theta{0.5, 0.2, -3}, y{1, 0, 0};
  const double hinge = 0.5 + 1.2 + 0;
  EXPECT_DOUBLE_EQ(loss_of(resolve_loss("hinge", Task::multilabel, 3), theta, y), hinge);
  EXPECT_DOUBLE_EQ(loss_of(resolve_loss("one-vs-all-hinge", Task::classification, 3), theta, y), hinge);
  EXPECT_DOUBLE_EQ(loss_of(resolve_loss("perceptron", Task::multilabel, 3), theta, y), 0.2);
  const double logistic = std::log1p(std::exp(-0.5)) + std::log1p(std::exp(0.2)) + std::log1p(std::exp(-3.0));
  EXPECT_NEAR(loss_of(resolve_loss("logistic", Task::multilabel, 3), theta, y), logistic, 1e-14);
  EXPECT_NEAR(loss_of(resolve_loss("sigmoid", Task::multilabel, 3), theta, y), logistic, 1e-14);
  const double shifted = std::log1p(std::exp(0.5)) + std::log1p(std::exp(1.2)) + std::log1p(std::exp(-2.0));
  EXPECT_NEAR(loss_of(resolve_loss("softmax-margin", Task::multilabel, 3), theta, y), shifted, 1e-14);
}

TEST(LossChoice, SimplexEntropiesBecomeOneVsAllForSets) {
  EXPECT_EQ(resolve_loss("sparsemax", Task::multilabel, 4).loss.omega().spec().name, "sparse_sigmoid");
  EXPECT_EQ(resolve_loss("modified-huber", Task::multilabel, 4).loss.omega().spec().name, "sparse_sigmoid");
  EXPECT_EQ(resolve_loss("modified_huber", Task::classification, 4).loss.omega().spec().name,
            "sparse_sigmoid");
  EXPECT_EQ(
      resolve_loss("tsallis:alpha=1.3", Task::multilabel, 4).loss.omega().get_if<TsallisSigmoid>()->alpha,
      1.3);
  EXPECT_EQ(resolve_loss("norm:q=3", Task::multilabel, 4).loss.omega().spec().name, "one_vs_all");
  EXPECT_EQ(resolve_loss("tsallis:alpha=1.3", Task::proportions, 4).loss.omega().get_if<Tsallis>()->alpha,
            1.3);
}

TEST(LossChoice, OrdersWithEveryPreset) {
  const std::vector<std::pair<std::string, Vector>> presets{{"top1", {1, 0, 0, 0}},
                                                            {"k-subsets,k=2", {.5, .5, 0, 0}},
                                                            {"full", {.4, .3, .2, .1}},
                                                            {"partial,k=2", {2.0 / 3, 1.0 / 3, 0, 0}},
                                                            {"ranking", {4, 3, 2, 1}}};
  const Vector theta{0.1, 3, -2, 0.4};
  for (const auto& preset : presets) {
    const std::string& w = preset.first;
    for (const std::string name : {"sparsemap", "perceptron", "hinge", "entropic"}) {
      const LossChoice choice = resolve_loss(name + ":w=" + w, Task::label_ranking, 4);
      ASSERT_EQ(choice.worths.size(), 4u);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(choice.worths[i], preset.second[i], 1e-15) << w;
      EXPECT_GE(unclamped_loss_of(choice, theta, choice.worths), -1e-12) << name << w;
    }
    const LossChoice map = resolve_loss("perceptron:w=" + w, Task::ranking, 4);
    const Vector predicted = map.loss.predict(theta);
    EXPECT_NEAR(predicted[1], map.worths[0], 1e-15);
    EXPECT_NEAR(predicted[2], map.worths[3], 1e-15);
  }
  EXPECT_EQ(resolve_loss("sparsemap:w=partial,k=10", Task::ranking, 2).worths.size(), 2u);
  EXPECT_EQ(resolve_loss("sparsemap:w=k-subsets", Task::ranking, 4).worths, (Vector{.5, .5, 0, 0}));
  EXPECT_EQ(resolve_loss("sparsemap:w=k-subsets", Task::ranking, 1).worths, (Vector{1}));
  EXPECT_EQ(resolve_loss(R"({"name":"sparsemap","w":[0,2,1]})", Task::label_ranking, 3).worths,
            (Vector{2, 1, 0}));
  // A k that w does not take is one of the Omega.
  EXPECT_EQ(resolve_loss("structured_sparsemax:k=7", Task::ranking, 3)
                .loss.omega()
                .get_if<StructuredSparsemax>()
                ->k,
            7u);
  EXPECT_EQ(resolve_loss("squared", Task::ranking, 3).loss.omega().spec().name, "squared");
}

TEST(LossChoice, TopOneWithEntropyIsSoftmax) {
  const Vector theta{0.3, -1, 2};
  const LossChoice choice = resolve_loss("logistic:w=top1", Task::ranking, 3);
  const Vector got = choice.loss.predict(theta);
  const Vector softmax = FenchelYoungLoss(Shannon{}).predict(theta);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], softmax[i], 1e-14);
}

TEST(LossChoice, NamesAreFoundWithParametersToo) {
  for (const char* text :
       {"hinge", "svm", "crammer-singer", "hinge:w=full", R"({"name":"crammer_singer"})"}) {
    ASSERT_NE(named_loss(text), nullptr) << text;
    EXPECT_EQ(named_loss(text)->name, "hinge") << text;
  }
  for (const char* text : {"softmax-margin", "one_vs_all_hinge"}) EXPECT_TRUE(named_loss(text)->has_cost);
  EXPECT_FALSE(named_loss("crf")->has_cost);
  for (const char* text : {"argmax", "tsallis:alpha=1.5", "hnge"}) EXPECT_EQ(named_loss(text), nullptr);
}

TEST(LossChoice, EveryNameMeansItsOmegaAndItsCost) {
  for (const LossName& entry : loss_names()) {
    if (!entry.omega.empty()) {
      const LossChoice choice = resolve_loss(entry.name, Task::classification, 3);
      EXPECT_EQ(to_json(choice.loss.omega().spec()), to_json(make_regularizer(entry.omega).spec()));
      EXPECT_EQ(choice.loss.cost().empty(), !entry.has_cost) << entry.name;
    }
    if (!entry.structured_omega.empty()) {
      const LossChoice choice = TaggingLoss{.labels = 2}(entry.name)(3);
      EXPECT_EQ(choice.loss.omega().spec().name, entry.structured_omega);
      EXPECT_EQ(choice.loss.cost().empty(), !entry.has_cost) << entry.name;
    }
    for (const std::string_view alias : entry.aliases) EXPECT_EQ(named_loss(alias), &entry);
  }
}

TEST(LossChoice, RefusedNamesAreSaidAsTheyWereGiven) {
  EXPECT_THAT(error_of("svm:alpha=1", Task::classification), HasSubstr("svm has no parameter 'alpha'"));
  EXPECT_THAT(error_of("svm", Task::regression), HasSubstr("'svm', a loss for another kind of target"));
  EXPECT_THAT(error_of("softmax-margin", Task::ranking), HasSubstr("a loss for another kind of target"));
  EXPECT_THAT(error_of("one_vs_all_hinge", Task::multilabel), HasSubstr("a loss for another kind of target"));
  EXPECT_THAT(error_of("crf", Task::ranking), HasSubstr("task=tagging"));
}

TEST(LossChoice, WrongNames) {
  EXPECT_EQ(error_of("hnge", Task::classification), "unknown omega 'hnge'; did you mean 'hinge'?");
  EXPECT_EQ(error_of("softmax_margn", Task::multilabel),
            "unknown omega 'softmax_margn'; did you mean 'softmax_margin'?");
  EXPECT_THAT(error_of("shannon", Task::regression), HasSubstr("is over simplex; regression needs squared"));
  EXPECT_THAT(error_of("tsallis:alpha=1.5", Task::ranking), HasSubstr("ranking needs sparsemap"));
  EXPECT_THAT(error_of("sparsemap:w=ful", Task::ranking), HasSubstr("w is 'ful'"));
  EXPECT_THAT(error_of("sparsemap:w=partial,k=0", Task::ranking), HasSubstr("k is 0"));
  EXPECT_THAT(error_of("sparsemap:w=full,k=2", Task::ranking), HasSubstr("no parameter 'k'"));
  EXPECT_THAT(error_of("hinge:alpha=1", Task::classification), HasSubstr("hinge has no parameter 'alpha'"));
  EXPECT_THAT(error_of("sparsemap:q=1", Task::ranking), HasSubstr("no parameter 'q'"));
  EXPECT_THAT(error_of(R"({"name":"map","polytope":{"name":"cube","d":2}})", Task::multilabel),
              HasSubstr("is for 2 outputs; the task has 3"));
  EXPECT_NE(error_of("sparsemap", Task::classification), "");
  EXPECT_NE(error_of("crf", Task::tagging), "");
}

TEST(LossChoice, DefaultsResolveAndDescribe) {
  for (const Task task : all_tasks) {
    if (task == Task::tagging || task == Task::structured) continue;  // theirs need more than a name
    const LossChoice choice = resolve_loss(default_loss(task), task, 3);
    EXPECT_EQ(choice.text, default_loss(task));
    EXPECT_THAT(choice.description, HasSubstr("Ω(μ) ="));
  }
  EXPECT_THAT(resolve_loss("hinge", Task::classification, 3).description, HasSubstr("0/1 cost"));
}

}  // namespace
}  // namespace fenchel::test
