// SPDX-License-Identifier: Apache-2.0
// Models come back as they were saved, and files that are not models, or no longer, are refused.
#include "fenchel/models/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>

#include "data_dir.hpp"
#include "metrics/rows.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// A folder that is gone after the test.
class ModelFile : public testing::Test {
 protected:
  fs::path path(const std::string& name = "m.safetensors") const { return folder_ / name; }

  // The message of load_model on a file with this content.
  std::string error_of(const TensorFile& file) const {
    write_tensor_file(path("bad"), file);
    return load_error(path("bad"));
  }
  static std::string load_error(const fs::path& file) {
    try {
      load_model(file);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }

 private:
  TemporaryFolder folder_;
};

LinearModel example() {
  LinearModel model;
  model.task = Task::proportions;
  model.loss = "tsallis:alpha=1.3";
  model.omega = Tsallis{1.3};
  model.weights = rows_of({{1, -2, 0.1}, {1e-300, 5, 1.0 / 3}});
  model.intercept = {0.5, -0.25, 1e300};
  model.scaler = {Scaling::standard, {3, 4}, {0.5, 2}};
  model.classes = {"ä", "b \"quoted\"", "c"};
  model.feature_names = {"width", "height"};
  model.temperature = 0.7;
  model.provenance = {{"data", "train.svm"}, {"lambda", "1"}};
  return model;
}

TEST_F(ModelFile, ComesBackAsItWas) {
  const LinearModel model = example();
  save_model(path(), model);
  const LinearModel copy = std::get<LinearModel>(load_model(path()));
  EXPECT_EQ(copy.task, model.task);
  EXPECT_EQ(copy.loss, model.loss);
  EXPECT_EQ(to_json(copy.omega.spec()), to_json(model.omega.spec()));
  EXPECT_EQ(copy.weights.rows(), 2u);
  EXPECT_TRUE(std::ranges::equal(copy.weights.entries(), model.weights.entries()));
  EXPECT_EQ(copy.intercept, model.intercept);
  EXPECT_EQ(copy.scaler, model.scaler);
  EXPECT_EQ(copy.classes, model.classes);
  EXPECT_EQ(copy.feature_names, model.feature_names);
  EXPECT_EQ(copy.temperature, model.temperature);
  EXPECT_EQ(copy.provenance, model.provenance);
}

TEST_F(ModelFile, BytesAreThoseOfTheFile) {
  const AnyModel model = example();
  save_model(path(), model);
  std::vector<std::byte> bytes = model_bytes(model);
  EXPECT_EQ(bytes.size(), fs::file_size(path()));
  const LinearModel copy = std::get<LinearModel>(model_from_bytes(bytes));
  EXPECT_TRUE(std::ranges::equal(copy.weights.entries(), std::get<LinearModel>(model).weights.entries()));
  EXPECT_EQ(model_bytes(copy), bytes);
  bytes.resize(bytes.size() / 2);
  EXPECT_THROW(model_from_bytes(bytes), std::runtime_error);
  EXPECT_THROW(model_from_bytes({}), std::runtime_error);
}

TEST_F(ModelFile, MetadataSayWhatTheNumbersMean) {
  save_model(path(), example());
  const auto metadata = read_tensor_file(path()).metadata;
  EXPECT_EQ(metadata.at("format"), "fenchel-model");
  EXPECT_EQ(metadata.at("kind"), "linear");
  EXPECT_EQ(metadata.at("omega"), R"({"name":"tsallis","alpha":1.3})");
  EXPECT_EQ(metadata.at("task"), "proportions");
  EXPECT_EQ(metadata.at("provenance.data"), "train.svm");
  EXPECT_TRUE(metadata.contains("library_version"));
}

TEST(ModelTensors, EveryOmegaComesBack) {
  for (const Named& named : every_regularizer()) {
    if (named.omega.get_if<Separable>()) continue;  // functions have no text
    LinearModel model, copy;
    model.omega = named.omega;
    model.weights = Matrix<double>(1, named.d == 0 ? 3 : named.d);
    from_tensors(to_tensors(model), copy);
    EXPECT_EQ(to_json(copy.omega.spec()), to_json(named.omega.spec()));
  }
}

TEST_F(ModelFile, NamesThatAreNotUtf8ComeBackToo) {
  LinearModel model = example();
  model.classes = {"caf\xe9", "", "x"};
  save_model(path(), model);
  EXPECT_EQ(std::get<LinearModel>(load_model(path())).classes, model.classes);
}

TEST_F(ModelFile, ARankerNeedsItsLoss) {
  LinearModel model;
  model.task = Task::ranking;
  model.loss = "hinge:w=partial,k=3";
  model.weights = rows_of({{1}, {2}});
  save_model(path(), model);
  EXPECT_EQ(std::get<LinearModel>(load_model(path())).loss, model.loss);
  model.loss = "nonsense";
  save_model(path(), model);
  EXPECT_THAT(load_error(path()), HasSubstr("unknown omega 'nonsense'"));
}

KernelPredictor kernel_example(bool sparse) {
  const Matrix<double> x = rows_of({{1, 0, 2}, {0, 0, 0}, {0, -1, 0.5}, {3, 1, 0}});
  const Matrix<double> a = rows_of({{1, -1}, {0, 0}, {0, 0.5}, {-2, 2}});
  CsrMatrix<double> rows;
  rows.cols = 3;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (x(i, j) == 0) continue;
      rows.indices.push_back(static_cast<std::int32_t>(j));
      rows.values.push_back(x(i, j));
    }
    rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
  }
  KernelPredictor model;
  model.omega = Tsallis{2};
  model.loss = "sparsemax";
  model.classes = {"no", "yes"};
  const Kernel kernel = make_kernel("rbf:gamma=0.3");
  model.expansion = sparse ? make_kernel_model(kernel, FeaturesView<double>(rows), a.view())
                           : make_kernel_model(kernel, FeaturesView<double>(x), a.view());
  return model;
}

TEST_F(ModelFile, KernelModelsComeBackAsTheyWere) {
  const Matrix<double> points = rows_of({{1, 1, 1}, {0, 0, 0}, {-1, 2, 0.5}});
  for (const bool sparse : {false, true}) {
    const KernelPredictor model = kernel_example(sparse);
    save_model(path(), model);
    const KernelPredictor copy = std::get<KernelPredictor>(load_model(path()));
    EXPECT_EQ(copy.expansion.support, (std::vector<std::size_t>{0, 2, 3}));
    EXPECT_EQ(copy.classes, model.classes);
    const auto expected = predict(model, FeaturesView<double>(points));
    const auto got = predict(copy, FeaturesView<double>(points));
    EXPECT_TRUE(std::ranges::equal(got.scores.entries(), expected.scores.entries()));
    EXPECT_TRUE(std::ranges::equal(got.outputs.entries(), expected.outputs.entries()));
  }
}

TEST_F(ModelFile, ValuesForMissingOnesAreKeptWhereThereAreAny) {
  LinearModel model = example();
  save_model(path(), model);
  EXPECT_FALSE(read_tensor_file(path()).contains("fill"));
  EXPECT_TRUE(head_of(load_model(path())).fill.empty());
  model.fill = {1.0 / 3, -2};
  save_model(path(), model);
  EXPECT_EQ(head_of(load_model(path())).fill, model.fill);
  model.fill = {1};
  save_model(path(), model);
  EXPECT_THAT(load_error(path()), HasSubstr("fill has 1 entry; expected 2"));
  model.fill = {1, std::numeric_limits<double>::quiet_NaN()};
  save_model(path(), model);
  EXPECT_THAT(load_error(path()), HasSubstr("fill[1] is nan"));
  KernelPredictor kernel = kernel_example(false);
  kernel.fill = {1, 2, 3};
  save_model(path(), kernel);
  EXPECT_EQ(head_of(load_model(path())).fill, kernel.fill);
}

TEST_F(ModelFile, NamesForValues) {
  LinearModel model = example();
  model.feature_names = {"x", "d"};
  save_model(path(), model);
  EXPECT_FALSE(read_tensor_file(path()).metadata.contains("nominal"));
  EXPECT_FALSE(read_tensor_file(path()).contains("nominal.columns"));
  EXPECT_TRUE(head_of(load_model(path())).nominal.empty());
  for (const std::string value : {"q", "caf\xe9", ""}) {
    model.nominal = {{"d", {"p", value}, 1, false}};
    save_model(path(), model);
    EXPECT_EQ(head_of(load_model(path())).nominal, model.nominal);
  }
  KernelPredictor kernel = kernel_example(false);
  kernel.nominal = {{"c", {"r", "g", "b"}, 0, true}};
  save_model(path(), kernel);
  EXPECT_EQ(head_of(load_model(path())).nominal, kernel.nominal);
}

TEST_F(ModelFile, NamesForValuesThatDoNotFit) {
  LinearModel model = example();
  const auto refusal = [&](const NominalColumn& column) {
    model.nominal = {column};
    save_model(path(), model);
    return load_error(path());
  };
  EXPECT_THAT(refusal({"d", {"p", "q", "r"}, 0, true}),
              HasSubstr("nominal column 'd' takes 3 features from 0 on; expected them between 0 and 2"));
  EXPECT_THAT(refusal({"d", {}, 1, false}), HasSubstr("nominal column 'd' has no values"));
  EXPECT_THAT(refusal({"d", {"p", "p"}, 1, false}), HasSubstr("nominal column 'd' has a value twice"));
  model.nominal = {{"d", {"p", "q"}, 1, false}};
  save_model(path(), model);
  TensorFile file = read_tensor_file(path());
  file.metadata["nominal"] = R"(["d","p"])";
  EXPECT_THAT(error_of(file), HasSubstr("nominal.columns does not fit the 2 texts"));
  file.metadata["nominal"] = R"(["d","p","q","r"])";
  EXPECT_THAT(error_of(file), HasSubstr("nominal.columns does not fit the 4 texts"));
}

TEST_F(ModelFile, KernelModelsThatDoNotFitAreRefused) {
  save_model(path(), kernel_example(true));
  const TensorFile good = read_tensor_file(path());
  TensorFile file = good;
  file.metadata["features"] = "2";
  EXPECT_THAT(error_of(file), HasSubstr("'sparse' is not a sparse matrix of 2 columns"));
  file = good;
  file.metadata["outputs"] = "1e300";
  EXPECT_THAT(error_of(file), HasSubstr("'outputs' of the metadata is 1e+300"));
  file = good;
  file.metadata["kernel"] = "laplace";
  EXPECT_THAT(error_of(file), HasSubstr("laplace"));
  file = good;
  file.metadata["outputs"] = "3";
  EXPECT_THAT(error_of(file), HasSubstr("classes has 2 entries; expected 3"));
}

TEST_F(ModelFile, HeadsAreThoseOfModelsOfRows) {
  AnyModel model = example();
  EXPECT_EQ(head_of(model).loss, "tsallis:alpha=1.3");
  model = kernel_example(false);
  EXPECT_EQ(head_of(model).classes.size(), 2u);
  model = Tagger{};
  EXPECT_THROW(head_of(model), std::invalid_argument);
}

TEST_F(ModelFile, PartsThatDoNotFitAreRefused) {
  const LinearModel model = example();
  save_model(path(), model);
  const TensorFile good = read_tensor_file(path());
  TensorFile file = good;
  file.metadata["format_version"] = "2";
  EXPECT_THAT(error_of(file), HasSubstr("format version 2; this library reads up to 1"));
  file = good;
  file.metadata["kind"] = "oracle";
  EXPECT_THAT(error_of(file), HasSubstr("unknown kind 'oracle'"));
  file = good;
  file.metadata.erase("omega");
  EXPECT_THAT(error_of(file), HasSubstr("the metadata have no 'omega'"));
  file = good;
  file.metadata["omega"] = "tsallis:alpha=-3";
  EXPECT_THAT(error_of(file), HasSubstr("alpha is -3"));
  file = good;
  file.metadata["classes"] = R"(["a","b"])";
  EXPECT_THAT(error_of(file), HasSubstr("classes has 2 entries; expected 3"));
  file = good;
  file.metadata["classes"] = "[1,2,3]";
  EXPECT_THAT(error_of(file), HasSubstr("not a list of strings"));
  file = good;
  file.metadata["temperature"] = "hot";
  EXPECT_THAT(error_of(file), HasSubstr("expected a number"));
  file = good;
  file.metadata["task"] = "divination";
  EXPECT_THAT(error_of(file), HasSubstr("unknown task"));
  file = good;
  file.metadata.clear();
  EXPECT_THAT(error_of(file), HasSubstr("not a model of this library"));
  EXPECT_THAT(error_of(file), HasSubstr(path("bad").string()));
}

TEST_F(ModelFile, ArraysOfTheWrongShapeAreRefused) {
  save_model(path(), example());
  const auto metadata = read_tensor_file(path()).metadata;
  const std::vector<double> values{1, 2, 3, 4, 5, 6}, bad{1, std::nan(""), 3, 4, 5, 6};
  const std::vector<float> single{1, 2, 3, 4, 5, 6};
  const auto with = [&](auto span, std::vector<std::size_t> shape) {
    TensorFile file;
    file.metadata = metadata;
    if (!shape.empty()) file.add("weights", span, shape);
    return error_of(file);
  };
  EXPECT_THAT(with(std::span(values), {6}), HasSubstr("'weights' has 1 dimensions"));
  EXPECT_THAT(with(std::span(bad), {2, 3}), HasSubstr("nan"));
  EXPECT_THAT(with(std::span(values), {3, 2}), HasSubstr("classes has 3 entries; expected 2"));
  EXPECT_NE(with(std::span(single), {2, 3}), "");
  EXPECT_NE(with(std::span(values), {}), "");
  EXPECT_NE(with(std::span(values).first(0), {std::size_t{1} << 40, 0}), "");
  EXPECT_NE(with(std::span(values).first(0), {0, std::size_t{1} << 40}), "");
}

TEST_F(ModelFile, TruncatedFilesAreRefused) {
  save_model(path(), example());
  std::ifstream stream(path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  for (const std::size_t size :
       {bytes.size() - 1, bytes.size() / 2, std::size_t{9}, std::size_t{3}, std::size_t{0}}) {
    std::ofstream(path("cut"), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(size));
    EXPECT_THAT(load_error(path("cut")), HasSubstr(path("cut").string())) << size;
  }
  EXPECT_NE(load_error(path("missing")), "");
}

}  // namespace
}  // namespace fenchel::test
