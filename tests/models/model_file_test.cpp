// SPDX-License-Identifier: Apache-2.0
// Models come back as they were saved, and files that are not (or no longer) models are refused.
#include "fenchel/models/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <memory>

#include "damage.hpp"
#include "data_dir.hpp"
#include "metrics/rows.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// A folder that is removed after the test.
class ModelFile : public testing::Test {
 protected:
  fs::path path(const std::string& name = "m.safetensors") const { return folder_ / name; }

  // The message of load on a file with this content.
  std::string error_of(const TensorFile& file) const {
    write_tensor_file(path("bad"), file);
    return load_error(path("bad"));
  }
  // The message of load on the file of a model that save refuses to write.
  std::string error_of(const LinearModel& bad, const LinearModel& good) const {
    EXPECT_THROW(save(bad, path("bad")), std::invalid_argument);
    save(good, path("good"));
    TensorFile file = to_tensors(bad);
    file.metadata.merge(TensorFile(read_tensor_file(path("good"))).metadata);
    return error_of(file);
  }
  static std::string load_error(const fs::path& file) {
    try {
      load(file);
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
  model.loss_name = "tsallis:alpha=1.3";
  model.loss = Tsallis{1.3};
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
  save(model, path());
  const LinearModel copy = std::get<LinearModel>(load(path()));
  EXPECT_EQ(copy.task, model.task);
  EXPECT_EQ(copy.loss_name, model.loss_name);
  EXPECT_EQ(to_json(copy.loss.omega().spec()), to_json(model.loss.omega().spec()));
  EXPECT_EQ(copy.weights.rows(), 2u);
  EXPECT_TRUE(std::ranges::equal(copy.weights.entries(), model.weights.entries()));
  EXPECT_EQ(copy.intercept, model.intercept);
  EXPECT_EQ(copy.scaler, model.scaler);
  EXPECT_EQ(copy.classes, model.classes);
  EXPECT_EQ(copy.feature_names, model.feature_names);
  EXPECT_EQ(copy.temperature, model.temperature);
  EXPECT_EQ(copy.provenance, model.provenance);
}

TEST_F(ModelFile, IndicesFromZeroComeBack) {
  LinearModel model = example();
  EXPECT_FALSE(to_tensors(model).metadata.contains("zero_based"));
  for (const bool zero_based : {false, true}) {
    model.zero_based = zero_based;
    save(model, path());
    const AnyModel copy = load(path());
    EXPECT_EQ(head_of(copy).zero_based, zero_based);
    EXPECT_EQ(head_of(copy).provenance, model.provenance);
  }
}

// Files were written with indices = 0 among the provenance.
TEST_F(ModelFile, IndicesFromZeroOfOlderFiles) {
  LinearModel model = example();
  model.provenance["indices"] = "0";
  save(model, path());
  const AnyModel copy = load(path());
  EXPECT_TRUE(head_of(copy).zero_based);
  EXPECT_EQ(head_of(copy).provenance, example().provenance);
  model.provenance["indices"] = "a note of somebody's own";
  save(model, path());
  const AnyModel noted = load(path());
  EXPECT_FALSE(head_of(noted).zero_based);
  EXPECT_EQ(head_of(noted).provenance, model.provenance);
}

TEST_F(ModelFile, DamagedIndicesAreRefused) {
  save(example(), path());
  TensorFile file = read_tensor_file(path());
  file.metadata["zero_based"] = "maybe";
  EXPECT_THAT(error_of(file), HasSubstr("'zero_based' of the metadata is 'maybe'; expected true or false"));
}

TEST_F(ModelFile, BytesAreThoseOfTheFile) {
  const AnyModel model = example();
  save(model, path());
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
  save(example(), path());
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
    if (!has_text(named.omega)) continue;
    LinearModel model, copy;
    model.loss = named.omega;
    model.weights = Matrix<double>(1, named.d == 0 ? 3 : named.d);
    for (std::size_t k = 0; k < model.outputs(); ++k) model.classes.push_back(std::to_string(k));
    from_tensors(to_tensors(model), copy);
    EXPECT_EQ(to_json(copy.loss.omega().spec()), to_json(named.omega.spec()));
  }
}

TEST_F(ModelFile, NamesThatAreNotUtf8ComeBackToo) {
  LinearModel model = example();
  model.classes = {"caf\xe9", "", "x"};
  save(model, path());
  EXPECT_EQ(std::get<LinearModel>(load(path())).classes, model.classes);
}

TEST_F(ModelFile, ARankerNeedsItsLoss) {
  LinearModel model;
  model.task = Task::ranking;
  model.loss_name = "hinge:w=partial,k=3";
  model.weights = rows_of({{1}, {2}});
  save(model, path());
  EXPECT_EQ(std::get<LinearModel>(load(path())).loss_name, model.loss_name);
  model.loss_name = "nonsense";
  save(model, path());
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
  model.loss = Tsallis{2};
  model.loss_name = "sparsemax";
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
    save(model, path());
    const KernelPredictor copy = std::get<KernelPredictor>(load(path()));
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
  save(model, path());
  EXPECT_FALSE(read_tensor_file(path()).contains("fill"));
  EXPECT_TRUE(head_of(load(path())).fill.empty());
  model.fill = {1.0 / 3, -2};
  save(model, path());
  EXPECT_EQ(head_of(load(path())).fill, model.fill);
  model.fill = {1};
  EXPECT_THAT(error_of(model, example()), HasSubstr("fill has 1 entry; expected 2"));
  model.fill = {1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THAT(error_of(model, example()), HasSubstr("fill[1] is nan"));
  KernelPredictor kernel = kernel_example(false);
  kernel.fill = {1, 2, 3};
  save(kernel, path());
  EXPECT_EQ(head_of(load(path())).fill, kernel.fill);
}

TEST_F(ModelFile, NamesForValues) {
  LinearModel model = example();
  model.feature_names = {"x", "d"};
  save(model, path());
  EXPECT_FALSE(read_tensor_file(path()).metadata.contains("nominal"));
  EXPECT_FALSE(read_tensor_file(path()).contains("nominal.columns"));
  EXPECT_TRUE(head_of(load(path())).nominal.empty());
  for (const std::string value : {"q", "caf\xe9", ""}) {
    model.nominal = {{"d", {"p", value}, 1, false}};
    save(model, path());
    EXPECT_EQ(head_of(load(path())).nominal, model.nominal);
  }
  KernelPredictor kernel = kernel_example(false);
  kernel.nominal = {{"c", {"r", "g", "b"}, 0, true}};
  save(kernel, path());
  EXPECT_EQ(head_of(load(path())).nominal, kernel.nominal);
}

TEST_F(ModelFile, NamesForValuesThatDoNotFit) {
  LinearModel model = example();
  const auto refusal = [&](const NominalColumn& column) {
    model.nominal = {column};
    return error_of(model, example());
  };
  EXPECT_THAT(refusal({"d", {"p", "q", "r"}, 0, true}),
              HasSubstr("nominal column 'd' takes 3 features from 0 on; expected them between 0 and 2"));
  EXPECT_THAT(refusal({"d", {}, 1, false}), HasSubstr("nominal column 'd' has no values"));
  EXPECT_THAT(refusal({"d", {"p", "p"}, 1, false}), HasSubstr("nominal column 'd' has a value twice"));
  model.nominal = {{"d", {"p", "q"}, 1, false}};
  save(model, path());
  TensorFile file = read_tensor_file(path());
  file.metadata["nominal"] = R"(["d","p"])";
  EXPECT_THAT(error_of(file), HasSubstr("nominal.columns does not fit the 2 texts"));
  file.metadata["nominal"] = R"(["d","p","q","r"])";
  EXPECT_THAT(error_of(file), HasSubstr("nominal.columns does not fit the 4 texts"));
}

TEST_F(ModelFile, KernelModelsThatDoNotFitAreRefused) {
  save(kernel_example(true), path());
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
  file = good;
  const std::size_t support = file.shape("support").at(0);
  const std::size_t features = std::stoul(file.metadata.at("features"));
  file.add("dense", std::vector<double>(support * features), {support, features});
  EXPECT_THAT(error_of(file), HasSubstr("dense and sparse both hold the rows of the support"));
}

// Without a support, nothing in the file has as many entries as it says.
TEST_F(ModelFile, SizesOfEmptyKernelModelsAreBounded) {
  KernelPredictor model = kernel_example(false);
  model.expansion.support.clear();
  model.expansion.dense = {};
  model.expansion.coefficients.offsets = {0};
  model.expansion.coefficients.indices.clear();
  model.expansion.coefficients.values.clear();
  save(model, path());
  const TensorFile good = read_tensor_file(path());
  for (const char* size : {"features", "outputs"}) {
    TensorFile file = good;
    file.metadata[size] = std::to_string(std::size_t{1} << 53U);
    EXPECT_THAT(error_of(file), HasSubstr(std::string(size) + " is 9007199254740992; expected at most"));
  }
}

TEST_F(ModelFile, ModelsThatCouldNotBeReadAreNotWritten) {
  LinearModel model = example();
  model.classes = {"a", "b", "a"};
  EXPECT_THROW(save(model, path()), std::invalid_argument);
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(ModelFile, HeadsAreThoseOfModelsOfRows) {
  AnyModel model = example();
  EXPECT_EQ(head_of(model).loss_name, "tsallis:alpha=1.3");
  model = kernel_example(false);
  EXPECT_EQ(head_of(model).classes.size(), 2u);
  model = Tagger{};
  EXPECT_THROW(head_of(model), std::invalid_argument);
}

TEST_F(ModelFile, PartsThatDoNotFitAreRefused) {
  const LinearModel model = example();
  save(model, path());
  const TensorFile good = read_tensor_file(path());
  TensorFile file = good;
  file.metadata["format_version"] = "3";
  EXPECT_THAT(error_of(file), HasSubstr("format version 3; this library reads up to 2"));
  for (const char* version : {"nan", "-1", "0", "1.5", "inf", "-inf"}) {
    file.metadata["format_version"] = version;
    EXPECT_THAT(error_of(file), HasSubstr("'format_version' of the metadata is")) << version;
  }
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
  file.metadata["classes"] = R"(["a","b","a"])";
  EXPECT_THAT(error_of(file), HasSubstr("classes has 'a' twice"));
  file = good;
  file.metadata.erase("classes");
  EXPECT_THAT(error_of(file), HasSubstr("there are no 'classes'; a model for proportions has one name"));
  file = good;
  file.metadata["scaling"] = "none";
  EXPECT_THAT(error_of(file), HasSubstr("the means of the scaling has 2 entries; expected 0"));
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

TEST_F(ModelFile, ScalingNeedsItsArrays) {
  LinearModel model = example();
  for (const Scaling scaling : {Scaling::standard, Scaling::maxabs}) {
    model.scaler = {scaling, {}, {}};
    EXPECT_THAT(error_of(model, example()), HasSubstr("has 0 entries; expected 2")) << scaling_name(scaling);
  }
}

Tagger tagger_example() {
  Tagger tagger;
  tagger.loss = "crf";
  tagger.templates = "U00:%x[0,0]";
  for (const char* label : {"A", "B"}) tagger.labels.add(label);
  tagger.attributes.add("U00:word");
  tagger.features.labels = 2;
  tagger.features.attributes = 1;
  tagger.features.transitions = {0, 1, 2, 3};
  tagger.parameters = {1, 2, 3, 4, 5, 6};
  return tagger;
}

WordClusters two_clusters() {
  WordClusters clusters;
  clusters.add("the", "0110");
  clusters.add("a", "0110");
  clusters.add("B\xFF", "10");
  return clusters;
}

TEST_F(ModelFile, ClustersOfWords) {
  Tagger tagger = tagger_example();
  tagger.clusters = std::make_shared<const WordClusters>(two_clusters());
  EXPECT_THROW(save(tagger, path()), std::invalid_argument);  // no template reads them
  tagger.templates = "U01:%cluster[0,0,2]/%cluster[0,0]\n";
  save(tagger, path());
  const auto loaded = std::get<Tagger>(load(path()));
  ASSERT_TRUE(loaded.clusters);
  EXPECT_EQ(fingerprint(*loaded.clusters), fingerprint(*tagger.clusters));
  EXPECT_EQ(loaded.clusters->find("B\xFF"), "10");
  EXPECT_EQ(loaded.clusters->find("the "), "");
  SentenceEncoder encoder(loaded, 1);
  const std::vector<std::string_view> cells{"the", "of"};
  EXPECT_EQ(encoder.tokens({cells, 1}).offsets.back(), 1);  // "of" has no cluster
  tagger.clusters = nullptr;
  EXPECT_THROW(save(tagger, path("none")), std::invalid_argument);
}

TEST_F(ModelFile, DamagedClustersAreRefused) {
  Tagger tagger = tagger_example();
  tagger.clusters = std::make_shared<const WordClusters>(two_clusters());
  tagger.templates = "U01:%cluster[0,0]\n";
  save(tagger, path());
  const TensorFile good = read_tensor_file(path());
  using Numbers = std::vector<std::int32_t>;
  const auto with = [&](Numbers numbers, const std::string& words = "theaB\xFF",
                        std::vector<std::int64_t> ends = {0, 3, 4, 6}) {
    TensorFile file;
    file.metadata = good.metadata;
    for (const std::string& name : good.names()) {
      if (name.starts_with("clusters.")) continue;
      if (good.type(name) == TensorType::u8) file.add(name, good.tensor<std::uint8_t>(name));
      if (good.type(name) == TensorType::i64) file.add(name, good.tensor<std::int64_t>(name));
      if (good.type(name) == TensorType::i32) file.add(name, good.tensor<std::int32_t>(name));
      if (good.type(name) == TensorType::f64) file.add(name, good.tensor<double>(name));
    }
    const std::size_t size = words.size(), count = ends.size(), entries = numbers.size();
    file.add("clusters.words.bytes", std::vector<std::uint8_t>(words.begin(), words.end()), {size});
    file.add("clusters.words.offsets", std::move(ends), {count});
    for (const char* name : {"clusters.names.bytes", "clusters.names.offsets"}) {
      if (good.type(name) == TensorType::u8) file.add(name, good.tensor<std::uint8_t>(name));
      if (good.type(name) == TensorType::i64) file.add(name, good.tensor<std::int64_t>(name));
    }
    if (entries > 0) file.add("clusters.numbers", std::move(numbers), {entries});
    return error_of(file);
  };
  EXPECT_EQ(with({0, 0, 1}), "");
  EXPECT_THAT(with({0, 0, 2}), HasSubstr("clusters.numbers"));
  EXPECT_THAT(with({0, 0, -1}), HasSubstr("clusters.numbers"));
  EXPECT_THAT(with({0, 1}), HasSubstr("'clusters.numbers' has 2 entries for 3 words"));
  EXPECT_THAT(with({1, 0, 0}), HasSubstr("'clusters.names' are not those of 'clusters.numbers'"));
  EXPECT_THAT(with({0, 0, 0}), HasSubstr("'clusters.names' are not those of 'clusters.numbers'"));
  EXPECT_NE(with({}), "");
  EXPECT_THAT(with({0, 0, 1}, "aaa", {0, 1, 2, 3}), HasSubstr("'clusters.words' has 'a' twice"));
  EXPECT_THAT(with({0, 0, 1}, "theaB\xFF", {0, 3, 3, 6}), HasSubstr("a word is empty"));
  EXPECT_THAT(with({0, 0, 1}, std::string("th\0aB\xFF", 6)), HasSubstr("a byte 0"));
  EXPECT_THAT(with({0, 0, 1}, "theaB\xFF", {0, 9, 4, 6}), HasSubstr("'clusters.words.offsets'[1] is 9"));
  TensorFile file = good;
  file.metadata["templates"] = "U01:%x[0,0]";
  EXPECT_THAT(error_of(file), HasSubstr("no template reads the clusters"));
}

TEST_F(ModelFile, EveryDamageIsSeen) {
  const Tagger tagger = tagger_example();
  Tagger clustered = tagger;
  clustered.templates = "U00:%x[0,0]\nU01:%cluster[0,0]";
  clustered.clusters = std::make_shared<const WordClusters>(two_clusters());
  for (const AnyModel& model :
       {AnyModel(example()), AnyModel(kernel_example(true)), AnyModel(tagger), AnyModel(clustered)}) {
    save(model, path());
    EXPECT_EQ(load_error(path()), "");
    for_each_damage(content_of(path()), 500, 7, [&](const std::string& bad) {
      EXPECT_THAT([&] { model_from_bytes(std::as_bytes(std::span(bad)), "bad"); },
                  ::testing::ThrowsMessage<std::runtime_error>(::testing::StartsWith("bad: ")));
    });
    std::ofstream(path("bad"), std::ios::binary) << content_of(path()) << '\0';
    EXPECT_THAT(load_error(path("bad")), ::testing::StartsWith(path("bad").string() + ": "));
  }
}

TEST_F(ModelFile, ChecksumsMayBeMissingFromTheFirstVersionOnly) {
  save(example(), path());
  std::string bytes = content_of(path());
  for (const std::string key : {"checksums", "header_checksum"}) {
    bytes.replace(bytes.find('"' + key + '"') + 1, key.size(), key.size(), '-');
  }
  std::ofstream(path("bad"), std::ios::binary) << bytes;
  EXPECT_THAT(load_error(path("bad")), HasSubstr("a model of format version 2 without checksums"));
  const std::string version = R"("format_version":")";
  bytes[bytes.find(version) + version.size()] = '1';
  std::ofstream(path("bad"), std::ios::binary) << bytes;
  EXPECT_EQ(load_error(path("bad")), "");
}

TEST_F(ModelFile, ParametersMustBeFinite) {
  LinearModel model = example();
  model.weights(0, 1) = std::nan("");
  EXPECT_THROW(save(model, path()), std::invalid_argument);
  EXPECT_THROW(model_bytes(model), std::invalid_argument);
  model = example();
  model.intercept[2] = HUGE_VAL;
  EXPECT_THROW(save(model, path()), std::invalid_argument);
  KernelPredictor kernel = kernel_example(false);
  kernel.expansion.coefficients.values[0] = HUGE_VAL;
  EXPECT_THROW(save(kernel, path()), std::invalid_argument);
  Tagger tagger;
  tagger.parameters = {std::nan("")};
  EXPECT_THROW(save(tagger, path()), std::invalid_argument);
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(ModelFile, ArraysOfTheWrongShapeAreRefused) {
  save(example(), path());
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
  save(example(), path());
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
