// SPDX-License-Identifier: Apache-2.0
// NumPy files, caches, and the choice of a format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "damage.hpp"
#include "data/row_of.hpp"
#include "data/text_source.hpp"
#include "data_dir.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/core/tensor_file.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/npy.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/data/svmlight.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
std::string npy(const std::string& descr, const std::string& shape, bool fortran,
                const std::vector<T>& values, int version = 1) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  while ((header.size() + (version == 1 ? 10 : 12) + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  const auto length = static_cast<std::uint32_t>(header.size());
  file.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  file += header;
  return file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

TEST(Npy, TypesOrdersAndVersions) {
  const TemporaryFolder folder;
  const std::vector<double> expected{1, 2, 3, 4, 5, 6};
  const auto read = [&](const std::string& content, bool single = false) {
    return entries_of(read_npy(folder.write("a.npy", content), {.single = single}));
  };
  EXPECT_EQ(read(npy<double>("<f8", "(2, 3)", false, {1, 2, 3, 4, 5, 6})), expected);
  EXPECT_EQ(read(npy<double>("<f8", "(2, 3)", false, {1, 2, 3, 4, 5, 6}, 2), true), expected);
  EXPECT_EQ(read(npy<float>("<f4", "(2, 3)", true, {1, 4, 2, 5, 3, 6}, 3)), expected);
  EXPECT_EQ(read(npy<std::int32_t>("<i4", "(2, 3)", false, {1, 2, 3, 4, 5, 6})), expected);
  EXPECT_EQ(read(npy<std::int64_t>("<i8", "(2, 3)", true, {1, 4, 2, 5, 3, 6})), expected);
  EXPECT_EQ(read(npy<std::uint8_t>("|u1", "(6,)", false, {1, 2, 3, 4, 5, 6})), expected);
}

TEST(Npy, Targets) {
  const TemporaryFolder folder;
  const std::string x = folder.write("train_X.npy", npy<double>("<f8", "(2, 1)", false, {1, 2}));
  EXPECT_EQ(read_npy(x).labels.rows(), 0U);
  folder.write("train_y.npy", npy<std::int64_t>("<i8", "(2,)", false, {7, 3}));
  const Dataset data = read_dataset(x).data;
  EXPECT_THAT(data.labels.names, ElementsAre("3", "7"));
  EXPECT_THAT(data.labels.indices, ElementsAre(1, 0));
  EXPECT_THAT(data.values.entries(), ElementsAre(7, 3));
  const std::string two = folder.write("two.npy", npy<double>("<f8", "(2, 2)", false, {.1, .9, .5, .5}));
  EXPECT_EQ(read_npy(x, {.target = two}).values.cols(), 2U);
  EXPECT_EQ(read_npy(x, {.target = "-"}).labels.rows(), 0U);
  const std::string three = folder.write("three.npy", npy<double>("<f8", "(3,)", false, {1, 2, 3}));
  EXPECT_EQ(error_of(folder, [&] { read_npy(x, {.target = three}); }), "three.npy: 3 targets; X has 2 rows");
  EXPECT_EQ(read_dataset({x, x}, {.target = "-"}).data.rows(), 2U + 2U);
}

// Doubles do not tell 2^53 and 2^53 + 1 apart; labels that are integers are exact.
TEST(Npy, LargeIntegersAreDifferentLabels) {
  const TemporaryFolder folder;
  const std::string x = folder.write("X.npy", npy<double>("<f8", "(4, 1)", false, {1, 2, 3, 4}));
  constexpr std::int64_t large = std::int64_t{1} << 53;
  folder.write("y.npy", npy<std::int64_t>("<i8", "(4,)", false, {large, large + 1, -large - 1, large}));
  const Dataset data = read_npy(x);
  EXPECT_THAT(data.labels.names, ElementsAre("-9007199254740993", "9007199254740992", "9007199254740993"));
  EXPECT_THAT(data.labels.indices, ElementsAre(1, 2, 0, 1));
}

TEST(Npy, TheHeaderIsWhatNumPyWrites) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& header) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    const double entries[] = {1, 2, 3, 4};
    bytes += header + std::string(reinterpret_cast<const char*>(entries), sizeof entries);
    return error_of(folder, [&] { read_npy(folder.write("a.npy", bytes)); });
  };
  EXPECT_EQ(read("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n"), "");
  EXPECT_EQ(read("{\"shape\":(2,2),\"descr\":\"<f8\",\"fortran_order\":True}"), "");
  for (const std::string order : {"1", "'True'", "'False'", "true", "None", "Truest"}) {
    EXPECT_NE(read("{'descr': '<f8', 'fortran_order': " + order + ", 'shape': (2, 2), }\n"), "") << order;
  }
  EXPECT_THAT(read("{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 2), }"),
              HasSubstr("as fortran_order; expected True or False"));
  EXPECT_THAT(read("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 1), 'shape': (2, 2), }"),
              HasSubstr("the key 'shape' twice"));
  EXPECT_THAT(read("{'descr': '<f8', 'shape': (2, 2), }"), HasSubstr("no fortran_order"));
  for (const std::string header :
       {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 2)}", "{'descr': '<f8'",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, -2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'other': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), } more", "'descr': '<f8'", ""}) {
    EXPECT_NE(read(header), "") << header;
  }
}

TEST(Npy, Malformed) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& content) {
    return error_of(folder, [&] { read_npy(folder.write("a.npy", content)); });
  };
  const std::string good = npy<double>("<f8", "(2, 1)", false, {1, 2});
  EXPECT_EQ(error(""), "a.npy: not a NumPy array: it does not begin with \\x93NUMPY");
  EXPECT_THAT(error("1,2,3\n4,5,6\n"), HasSubstr("not a NumPy array"));
  EXPECT_EQ(error(good.substr(0, 40)), "a.npy: the file is cut off in its header");
  EXPECT_EQ(error(good.substr(0, good.size() - 1)),
            "a.npy: 15 bytes of entries; the shape needs another number");
  EXPECT_EQ(error(npy<double>(">f8", "(2, 1)", false, {1, 2})),
            "a.npy: type '>f8'; expected <f4, <f8, <i4, <i8, |u1 or |b1");
  EXPECT_THAT(error(npy<double>("<f8", "(2, 1, 1)", false, {1, 2})),
              HasSubstr("shape (2, 1, 1); expected one or two"));
  EXPECT_THAT(error(npy<double>("<f8", "(4294967296, 4294967296)", false, {1, 2})),
              HasSubstr("needs another number"));
  EXPECT_THAT(error(npy<double>("<f8", "(9999999999, 0)", false, {})),
              HasSubstr("expected one or two sizes > 0"));
  EXPECT_EQ(error(npy<double>("<f8", "(2, 1)", false, {1, std::numeric_limits<double>::quiet_NaN()})),
            "a.npy: entry [1, 0] is nan; features must be finite");
  Random random(1);
  for (int i = 0; i < 150; ++i) {
    std::string bad = good;
    bad[random.below(bad.size())] = static_cast<char>(random.below(256));
    if (random.below(3) == 0) bad.resize(random.below(bad.size()));
    const std::string path = folder.write("b.npy", bad);
    try {
      EXPECT_LE(read_npy(path).rows(), 16U);
    } catch (const DataError&) {
      continue;
    }
  }
}

Dataset example(bool sparse, bool single) {
  const TemporaryFolder folder;
  return read_svmlight(folder.write("a", "b:0.25,c:0.75 qid:1 1:1.5 3:2\na qid:1 2:3\nc qid:2\n"),
                       {.single = single, .storage = sparse ? Storage::sparse : Storage::dense});
}

TEST(Cache, RoundTrip) {
  const TemporaryFolder folder;
  for (const bool sparse : {false, true}) {
    for (const bool single : {false, true}) {
      Dataset data = example(sparse, single);
      data.feature_names = {"x", "y\xff", ""};
      data.weights = {1, 2, 3};
      data.values = Matrix<double>(3, 2, {1, 2, 3, 4, 5, 6});
      const std::string path = folder / "cache";
      write_cache(data, path);
      EXPECT_TRUE(is_cache(path));
      const Reading reading = read_dataset(path);
      EXPECT_EQ(reading.format, DataFormat::cache);
      const Dataset& again = reading.data;
      EXPECT_EQ(again.x.sparse(), sparse);
      EXPECT_EQ(again.x.single(), single);
      EXPECT_EQ(again.x.cols(), 3U);
      EXPECT_EQ(again.feature_names, data.feature_names);
      EXPECT_EQ(again.labels.names, data.labels.names);
      EXPECT_EQ(again.labels.offsets, data.labels.offsets);
      EXPECT_EQ(again.labels.indices, data.labels.indices);
      EXPECT_EQ(again.labels.weights, data.labels.weights);
      EXPECT_EQ(again.queries, data.queries);
      EXPECT_EQ(again.weights, data.weights);
      EXPECT_THAT(again.values.entries(), ElementsAre(1, 2, 3, 4, 5, 6));
      const std::vector<std::size_t> all{0, 1, 2};
      write_cache(select_rows(again, all), folder / "second");
      EXPECT_EQ(content_of(path), content_of(folder / "second"));
      const Dataset twice = read_dataset({path, path}).data;
      EXPECT_EQ(twice.rows(), 6U);
      EXPECT_EQ(twice.labels.names, data.labels.names);
      EXPECT_THAT(twice.queries, ElementsAre(0, 2, 3, 5, 6));
    }
  }
}

TEST(Cache, EveryDamageIsSeen) {
  const TemporaryFolder folder;
  for (const bool sparse : {false, true}) {
    write_cache(example(sparse, false), folder / "cache");
    for_each_damage(content_of(folder / "cache"), 400, 9, [&](const std::string& bad) {
      const std::string path = folder.write("bad", bad);
      EXPECT_THAT(error_of(folder, [&] { map_cache(path); }), ::testing::StartsWith("bad: "));
    });
  }
}

TEST(Cache, ChecksumsMustBeThere) {
  const TemporaryFolder folder;
  write_cache(example(true, false), folder / "cache");
  std::string bytes = content_of(folder / "cache");
  for (const std::string key : {"checksums", "header_checksum"}) {
    bytes.replace(bytes.find('"' + key + '"') + 1, key.size(), key.size(), '-');
  }
  const std::string path = folder.write("bad", bytes);
  EXPECT_EQ(error_of(folder, [&] { map_cache(path); }), "bad: damaged: a cache without checksums");
}

TEST(Cache, NumbersMustBeFinite) {
  const TemporaryFolder folder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refusal = [&](const Dataset& data) {
    write_cache(data, folder / "bad");
    return error_of(folder, [&] { map_cache(folder / "bad"); });
  };
  Dataset data = example(true, false);
  data.fill = {0, nan, 0};
  EXPECT_THAT(refusal(data), HasSubstr("bad: fill[1] is nan"));
  data = example(true, false);
  data.weights = {1, 1, HUGE_VAL};
  EXPECT_THAT(refusal(data), HasSubstr("bad: weights[2] is inf"));
  data = example(true, false);
  data.labels.weights[0] = nan;
  EXPECT_THAT(refusal(data), HasSubstr("bad: labels.weights[0] is nan"));
  data = example(true, false);
  data.values = Matrix<double>(3, 1, {1, HUGE_VAL, 2});
  EXPECT_THAT(refusal(data), HasSubstr("bad: values[1] is inf"));
  data = {};
  data.x = Features(Matrix<float>(2, 2, {1, 2, 3, static_cast<float>(nan)}));
  EXPECT_THAT(refusal(data), HasSubstr("bad: x[1, 1] is nan"));
  data.x = Features(CsrMatrix<double>{2, {0, 1, 2}, {0, 1}, {1, -HUGE_VAL}});
  EXPECT_THAT(refusal(data), HasSubstr("bad: x.values[1] is -inf"));
}

TEST(Cache, NamesOfLabelsAreDifferent) {
  const TemporaryFolder folder;
  Dataset data = example(true, false);
  data.labels.names.assign(data.labels.names.size(), "same");
  write_cache(data, folder / "bad");
  EXPECT_THAT(error_of(folder, [&] { map_cache(folder / "bad"); }),
              HasSubstr("bad: labels.names has 'same' twice"));
}

TEST(Cache, HostileFilesAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder / "cache";
  write_cache(example(true, false), path);
  const TensorFile good = read_tensor_file(path);
  // Rewrites one tensor and reads the result.
  const auto with = [&]<class T>(const std::string& name, std::vector<T> values) {
    TensorFile file;
    file.metadata = good.metadata;
    for (const std::string& other : good.names()) {
      if (other == name) continue;
      if (good.type(other) == TensorType::f64) file.add(other, good.tensor<double>(other), good.shape(other));
      if (good.type(other) == TensorType::i32)
        file.add(other, good.tensor<std::int32_t>(other), good.shape(other));
      if (good.type(other) == TensorType::i64)
        file.add(other, good.tensor<std::int64_t>(other), good.shape(other));
      if (good.type(other) == TensorType::u8)
        file.add(other, good.tensor<std::uint8_t>(other), good.shape(other));
    }
    const std::size_t size = values.size();
    file.add(name, std::move(values), {size});
    write_tensor_file(folder / "bad", file);
    return error_of(folder, [&] { map_cache(folder / "bad"); });
  };
  EXPECT_EQ(with("x.offsets", std::vector<std::int64_t>{0, 2, 3, 3}), "");
  EXPECT_EQ(with("x.offsets", std::vector<std::int64_t>{0, 2, 3, 9}),
            "bad: x.offsets does not go from 0 to 3");
  EXPECT_EQ(with("x.offsets", std::vector<std::int64_t>{0, 3, 2, 3}), "bad: x.offsets decreases at 2");
  EXPECT_EQ(with("x.offsets", std::vector<std::int64_t>{}), "bad: x.offsets does not go from 0 to 3");
  EXPECT_THAT(with("x.indices", std::vector<std::int32_t>{0, 3, 1}), HasSubstr("index 3 after 0 in row 0"));
  EXPECT_THAT(with("x.indices", std::vector<std::int32_t>{2, 0, 1}), HasSubstr("index 0 after 2 in row 0"));
  EXPECT_THAT(with("x.indices", std::vector<std::int32_t>{-1, 0, 1}), HasSubstr("index -1"));
  EXPECT_THAT(with("x.indices", std::vector<std::int32_t>{0, 1}), HasSubstr("different sizes"));
  EXPECT_THAT(with("x.indices", std::vector<std::int64_t>{0, 1, 2}), HasSubstr("has type I64; expected I32"));
  EXPECT_THAT(with("x.cols", std::vector<std::int64_t>{-3}), HasSubstr("not a number of columns"));
  EXPECT_THAT(with("labels.indices", std::vector<std::int32_t>{0, 1, 2, 3}), HasSubstr("label 3 of 3"));
  EXPECT_THAT(with("labels.offsets", std::vector<std::int64_t>{0, 4}), HasSubstr("another number of rows"));
  EXPECT_THAT(with("labels.names.ends", std::vector<std::int64_t>{0, 9, 3}),
              HasSubstr("expected ends in order"));
  EXPECT_THAT(with("queries", std::vector<std::int64_t>{0, 9}), HasSubstr("queries does not go from 0 to 3"));
  TensorFile other;
  write_tensor_file(folder / "other", other);
  EXPECT_FALSE(is_cache(folder / "other"));
  EXPECT_EQ(error_of(folder, [&] { map_cache(folder / "other"); }), "other: not a cached data set");
}

TEST(Cache, RandomDamageNeverCrashes) {
  const TemporaryFolder folder;
  write_cache(example(true, false), folder / "cache");
  const std::string good = content_of(folder / "cache");
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    std::string bad = good;
    bad[random.below(bad.size())] = static_cast<char>(random.below(256));
    if (random.below(4) == 0) bad.resize(random.below(bad.size()));
    const std::string path = folder.write("b", bad);
    try {
      const Dataset data = map_cache(path);
      const std::vector<std::size_t> all{0, 1, 2};
      EXPECT_EQ(data.rows(), 3U);
      if (data.rows() == 3) select_rows(data, all);
    } catch (const std::exception&) {
      continue;
    }
  }
}

TEST(Format, IsGuessed) {
  const TemporaryFolder folder;
  const auto guess = [&](const std::string& name, const std::string& text) {
    return guess_format(folder.write(name, text));
  };
  EXPECT_EQ(guess("a.svm", "x"), DataFormat::svmlight);
  EXPECT_EQ(guess("a.txt", "# c\n\n1 1:2\n"), DataFormat::svmlight);
  EXPECT_EQ(guess("b.txt", "1\n2 qid:3 1:2\n"), DataFormat::svmlight);
  EXPECT_EQ(guess("c.txt", "% c\n@relation\n"), DataFormat::arff);
  EXPECT_EQ(guess("d.txt", "@problemName x\n"), DataFormat::time_series);
  EXPECT_EQ(guess("e_TRAIN.txt", " 1.0 2.0 3.0\n"), DataFormat::time_series);
  EXPECT_EQ(guess("e.txt", "1 2.0 3.0\n1 2.0\n"), DataFormat::time_series);  // of different lengths
  EXPECT_EQ(guess("f.txt", "a,b,c\n1,2,3\n"), DataFormat::csv);
  EXPECT_EQ(guess("g.txt", "He PRP B-NP\n\nShe PRP B-NP\n"), DataFormat::conll);
  EXPECT_EQ(guess("q.tsv", "He\tPRP\tB-NP\n"), DataFormat::csv);
  EXPECT_EQ(guess("r.txt", "1.5\t2\ta\n2.5\t3\tb\n"), DataFormat::csv);
  EXPECT_EQ(guess("h.txt", "B-NP\tw[0]=He\tpos=PRP\n"), DataFormat::crfsuite);
  EXPECT_EQ(guess("i.csv", "a\n"), DataFormat::csv);
  EXPECT_EQ(guess("i.conllu", "a\n"), DataFormat::conllu);
  EXPECT_EQ(guess("n.txt", "7\t0\t1\t" + std::string(64, '0') + "\n"), DataFormat::ocr);
  EXPECT_THAT(possible_formats(folder.write("o.txt", "7\t0\t1\t101\n")),
              ElementsAre(DataFormat::csv, DataFormat::time_series));
  EXPECT_THAT(possible_formats(folder.write("p.txt", "He PRP B-NP\nsees VBZ B-VP\n")),
              ElementsAre(DataFormat::csv, DataFormat::conll));
  EXPECT_THAT(error_of(folder, [&] { guess_format(folder / "p.txt"); }),
              HasSubstr("give format=csv (rows of values, the target last) or format=conll"));
  EXPECT_EQ(guess("j", npy<double>("<f8", "(1,)", false, {1})), DataFormat::npy);
  EXPECT_THAT(error_of(folder, [&] { guess("k.txt", "word\n"); }), HasSubstr("the format cannot be told"));
  EXPECT_THAT(error_of(folder, [&] { guess("l.txt", ""); }), HasSubstr("there are no rows"));
  EXPECT_THAT(error_of(folder, [&] { guess("m.txt", std::string("ab\0", 3)); }), HasSubstr("binary file"));
  EXPECT_THAT(error_of(folder, [&] { read_dataset(folder / "g.txt"); }),
              HasSubstr("these are sentences, as conll"));
  EXPECT_EQ(format_called("arff"), DataFormat::arff);
  EXPECT_THROW(format_called("excel"), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
