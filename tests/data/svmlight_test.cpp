// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/svmlight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <tuple>

#include "data/text_source.hpp"
#include "data_dir.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/data/read.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;

/// The features as text: rows of index:value.
std::string rows_of(const Dataset& data) {
  std::ostringstream out;
  out.precision(17);
  data.x.visit([&](const auto& x) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      if (x.sparse()) {
        for (std::size_t e = 0; e < x.sparse_rows().indices(i).size(); ++e) {
          out << x.sparse_rows().indices(i)[e] << ":" << x.sparse_rows().values(i)[e] << " ";
        }
      } else {
        for (const auto value : x.dense_rows().row(i)) out << value << " ";
      }
      out << "\n";
    }
  });
  return out.str();
}

ReadOptions sparse() { return {.storage = Storage::sparse}; }

TEST(Svmlight, LabelsFeaturesCommentsAndLineEnds) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.svm",
                                        "# a comment\n\n+1 1:0.5 3:2e3 # docid = 7\r\n-1\t2:-1.25 \n"
                                        "1.0\n   \n  -1 3:.5 4:1.");
  const Dataset data = read_svmlight(path, sparse());
  EXPECT_EQ(rows_of(data), "0:0.5 2:2000 \n1:-1.25 \n\n2:0.5 3:1 \n");
  EXPECT_EQ(data.x.cols(), 4U);
  EXPECT_THAT(data.labels.names, ElementsAre("-1", "1"));
  EXPECT_THAT(data.labels.indices, ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(data.values.entries(), ElementsAre(1, -1, 1, -1));
  EXPECT_TRUE(data.queries.empty());
  EXPECT_EQ(data.source, path);
}

TEST(Svmlight, NamesAreSortedByValueOrByBytes) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_svmlight(folder.write("a", "10 1:1\n9 1:1\n-3 1:1\n")).labels.names,
              ElementsAre("-3", "9", "10"));
  EXPECT_THAT(read_svmlight(folder.write("b", "10 1:1\n9 1:1\nx 1:1\n")).labels.names,
              ElementsAre("10", "9", "x"));
  // An identifier is not rounded.
  EXPECT_THAT(read_svmlight(folder.write("c", "12345678901234567890 1:1\n12345678901234567891 1:1\n"))
                  .labels.names.size(),
              2U);
}

TEST(Svmlight, SeveralLabelsAndNone) {
  const TemporaryFolder folder;
  const Dataset data = read_svmlight(folder.write("a.svm", "1,5,7 1:1\n2:1 3:1\n5,1 1:1\n"), sparse());
  EXPECT_THAT(data.labels.names, ElementsAre("1", "5", "7"));
  EXPECT_THAT(data.labels.offsets, ElementsAre(0, 3, 3, 5));
  EXPECT_THAT(data.labels.indices, ElementsAre(0, 1, 2, 1, 0));
  EXPECT_TRUE(data.values.empty());
  const Dataset unlabelled = read_svmlight(folder.write("b.svm", "1:1\n2:1\n"));
  EXPECT_EQ(unlabelled.labels.rows(), 0U);
  EXPECT_EQ(unlabelled.rows(), 2U);
}

TEST(Svmlight, Proportions) {
  const TemporaryFolder folder;
  const Dataset data =
      read_svmlight(folder.write("a.svm", "3:0.25,7:0.75 1:1\n3 2:1\n7:0.5, 2:1\n"), sparse());
  EXPECT_THAT(data.labels.names, ElementsAre("3", "7"));
  EXPECT_THAT(data.labels.indices, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(data.labels.weights, ElementsAre(0.25, 0.75, 1, 0.5));
  EXPECT_TRUE(data.values.empty());
}

TEST(Svmlight, Queries) {
  const TemporaryFolder folder;
  const Dataset data = read_svmlight(folder.write("a", "2 qid:1 1:1\n0 qid:1 1:2\n1 qid:b 1:3\n"));
  EXPECT_THAT(data.queries, ElementsAre(0, 2, 3));
  EXPECT_EQ(
      error_of(folder, [&] { read_svmlight(folder.write("b", "1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n")); }),
      "b: query '1' reappears in row 3; the rows of a query must be together");
  EXPECT_EQ(error_of(folder, [&] { read_svmlight(folder.write("c", "1 qid:1 1:1\n1 1:1\n")); }),
            "c: row 2 has no qid: and the rows before have one");
}

TEST(Svmlight, IndexBase) {
  const TemporaryFolder folder;
  const std::string one = folder.write("one", "1 1:1 2:1\n");
  const std::string zero = folder.write("zero", "1 1:1 2:1\n1 0:1\n");
  EXPECT_EQ(rows_of(read_svmlight(one, sparse())), "0:1 1:1 \n");
  EXPECT_EQ(rows_of(read_svmlight(zero, sparse())), "1:1 2:1 \n0:1 \n");
  // One data set has one base.
  EXPECT_EQ(rows_of(read_svmlight({one, zero}, sparse())), "1:1 2:1 \n1:1 2:1 \n0:1 \n");
  EXPECT_TRUE(read_dataset(zero).zero_based);
  EXPECT_FALSE(read_dataset(one).zero_based);
  EXPECT_EQ(rows_of(read_svmlight(one, {.storage = Storage::sparse, .index_base = IndexBase::zero})),
            "1:1 2:1 \n");
  EXPECT_EQ(error_of(folder, [&] { read_svmlight(zero, {.index_base = IndexBase::one}); }),
            "zero:2:3: index 0 where indices begin at 1");
}

TEST(Svmlight, FeaturesBeyondTheExpected) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "1 1:1 3:1 9:1\n");
  EXPECT_EQ(error_of(folder, [&] { read_svmlight(path, {.features = 4}); }),
            "a:1:11: index 9 is beyond the 4 features expected");
  ReadOptions drop{.storage = Storage::sparse, .features = 4, .drop_beyond = true};
  const Reading reading = read_dataset(path, drop);
  EXPECT_EQ(rows_of(reading.data), "0:1 2:1 \n");
  EXPECT_EQ(reading.data.x.cols(), 4U);
  EXPECT_EQ(reading.dropped, 1U);
  EXPECT_EQ(read_svmlight(path, {.features = 20}).x.cols(), 20U);
  // The base is known only at the end: 4 is then the fifth feature.
  const std::string zero = folder.write("zero", "1 4:1\n1 0:1\n");
  EXPECT_EQ(rows_of(read_dataset(zero, drop).data), "\n0:1 \n");
  EXPECT_NE(error_of(folder, [&] { read_svmlight(zero, {.features = 4}); }), "");
}

TEST(Svmlight, DenseWhereThatIsSmaller) {
  const TemporaryFolder folder;
  const Dataset dense = read_svmlight(folder.write("a", "1 1:1 2:2 3:3\n1 2:5 3:6\n"));
  EXPECT_FALSE(dense.x.sparse());
  EXPECT_EQ(rows_of(dense), "1 2 3 \n0 5 6 \n");
  EXPECT_TRUE(read_svmlight(folder.write("b", "1 1:1 2:2 3:3\n1 3:6\n1\n")).x.sparse());
  EXPECT_THAT(error_of(folder, [&] { read_svmlight(folder.write("c", "1\n2\n")); }),
              testing::HasSubstr("there are no features, as svmlight"));
}

TEST(Svmlight, Malformed) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& line) {
    return error_of(folder,
                    [&] { read_svmlight(folder.write("train.svm", "1 1:1\n\n" + line + "\n1 1:1\n")); });
  };
  EXPECT_EQ(error("1 2:0.5 7:1 3:4"), "train.svm:3:13: index 3 after 7; indices must increase");
  EXPECT_EQ(error("1 2:0.5 2:1"), "train.svm:3:9: index 2 after 2; indices must increase");
  EXPECT_EQ(error("1 2:0.5 abc"), "train.svm:3:9: 'abc' is not a feature; expected index:value");
  EXPECT_EQ(error("1 2:0.5 7"), "train.svm:3:9: '7' is not a feature; expected index:value");
  EXPECT_EQ(error("1 -2:0.5"), "train.svm:3:3: '-2:0.5' is not a feature; expected index:value");
  EXPECT_EQ(error("1 2:x"), "train.svm:3:5: value 'x' is not a finite number");
  EXPECT_EQ(error("1 2:"), "train.svm:3:5: value '' is not a finite number");
  EXPECT_EQ(error("1 2:1.5e"), "train.svm:3:5: value '1.5e' is not a finite number");
  EXPECT_EQ(error("1 2:1.5.5"), "train.svm:3:5: value '1.5.5' is not a finite number");
  EXPECT_EQ(error("1 2:nan"), "train.svm:3:5: value 'nan' is not a finite number");
  EXPECT_EQ(error("1 2:inf"), "train.svm:3:5: value 'inf' is not a finite number");
  EXPECT_EQ(error("1 2:1e999"), "train.svm:3:5: value '1e999' is too large for double precision");
  EXPECT_EQ(error("1 2147483647:1"), "train.svm:3:3: index 2147483647 is too large; at most 2147483646");
  EXPECT_EQ(error("1 99999999999999999999999:1"),
            "train.svm:3:3: index 99999999999999999999999 is too large; at most 2147483646");
  EXPECT_EQ(error("1,,2 1:1"), "train.svm:3:3: a label is missing before the comma");
  EXPECT_EQ(error("1, 1:1"), "train.svm:3:3: a label is missing after the comma");
  EXPECT_EQ(error("1:x,2:1 1:1"), "train.svm:3:3: 'x' is not a proportion; expected a number >= 0");
  EXPECT_EQ(error("1:-1,2:1 1:1"), "train.svm:3:3: '-1' is not a proportion; expected a number >= 0");
  EXPECT_EQ(error("1 1:1 qid:3"), "train.svm:3:7: 'qid:' must stand before the features");
  EXPECT_EQ(error("1 qid: 1:1"), "train.svm:3:3: 'qid:' has no query after it");
  EXPECT_EQ(error(std::string("1 1:1\0 2:1", 10)),
            "train.svm:3:6: a byte 0; this is a binary file, not a text");
  EXPECT_EQ(error_of(folder, [&] { read_svmlight(folder.write("f.svm", "1 1:1e39\n"), {.single = true}); }),
            "f.svm:1:5: value '1e39' is too large for single precision");
  EXPECT_EQ(error_of(folder, [&] { read_svmlight(folder.write("end.svm", "1 1:1\n1 1:1\x01")); }),
            "end.svm:2:5: value '1\\x01' is not a finite number");
}

TEST(Svmlight, EmptyFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of(folder, [&] { read_svmlight(folder.write("a.svm", "")); }), "a.svm: there are no rows");
  EXPECT_EQ(error_of(folder, [&] { read_svmlight(folder.write("b.svm", "\n# nothing\n")); }),
            "b.svm: there are no rows");
}

TEST(Svmlight, NumbersAreTheNearestDoubles) {
  const TemporaryFolder folder;
  Random random(11);
  std::string text;
  std::vector<double> expected;
  const auto add = [&](const std::string& number) {
    text += "1 1:" + number + "\n";
    expected.push_back(std::strtod(number.c_str(), nullptr));
  };
  for (const char* number :
       {"0.1", "9007199254740993", "9007199254740992", "1e22", "1e23", "123456789012345678",
        "1.7976931348623157e308", "2.2250738585072014e-308", "4.9e-324", "1e-400", "-1e-400",
        "0.000000000000000000000000000001", "179769313486231570000000000000000000000000e-20",
        "00000000000000000000001.5", "5e-1", "+.5", "-3.", "8.5E+02",
        "0.30000000000000004440892098500626161694526672363281250000001"}) {
    add(number);
  }
  char buffer[64];
  for (int i = 0; i < 3000; ++i) {
    double value = 0;
    const std::uint64_t bits = random.bits();
    std::memcpy(&value, &bits, 8);
    if (!std::isfinite(value)) continue;
    std::snprintf(buffer, sizeof buffer, i % 2 == 0 ? "%.17g" : "%.9g", value);
    if (!std::isfinite(std::strtod(buffer, nullptr))) continue;
    add(buffer);
    std::snprintf(buffer, sizeof buffer, "%.*f", static_cast<int>(random.below(20)), random.normal() * 1000);
    add(buffer);
  }
  const Dataset data = read_svmlight(folder.write("a", text), {.storage = Storage::dense});
  data.x.visit([&](const auto& x) {
    ASSERT_EQ(x.rows(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(static_cast<double>(x.dense_rows().row(i)[0]), expected[i]) << i;
    }
  });
}

/// A file of several chunks, with an error in the line given (0: none).
std::string large_text(std::size_t rows, std::size_t wrong) {
  Random random(4);
  std::string text;
  for (std::size_t i = 1; i <= rows; ++i) {
    text += std::to_string(random.below(5)) + " qid:" + std::to_string(i / 10);
    std::uint64_t index = 0;
    for (int k = 0; k < 20; ++k) {
      index += 1 + random.below(50);
      text += " " + std::to_string(index) + ":" + std::to_string(random.normal());
    }
    if (i == wrong) text += " 1:1";
    text += "\n";
  }
  return text;
}

TEST(Svmlight, ThreadsDoNotMatter) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", large_text(6000, 0));
  const Dataset one = read_svmlight(path, sparse());
  for (const int threads : {2, 3}) {
    const Dataset several = read_svmlight(path, {.storage = Storage::sparse, .threads = threads});
    EXPECT_EQ(rows_of(one), rows_of(several));
    EXPECT_EQ(one.labels.names, several.labels.names);
    EXPECT_EQ(one.labels.indices, several.labels.indices);
    EXPECT_EQ(one.queries, several.queries);
  }
  EXPECT_EQ(one.queries.size(), 602U);
  const std::string bad = folder.write("b", large_text(6000, 4321) + "x y z\n");
  for (const int threads : {1, 2, 4}) {
    EXPECT_THAT(error_of(folder, [&] { read_svmlight(bad, {.threads = threads}); }),
                testing::StartsWith("b:4321:"));
  }
}

TEST(Svmlight, RoundTrip) {
  const TemporaryFolder folder;
  for (const char* text :
       {"1 1:0.1 2:1e-300\n-1 2:3\n", "a,b 1:1\nc 3:2\n", "3:0.25,7:0.75 1:1\n3 2:1\n7:0.5, 1:2\n",
        "1:1 4:2\n2:1\n", "2 qid:1 1:1\n0 qid:1 1:2\n1 qid:2 1:3\n"}) {
    for (const Storage storage : {Storage::sparse, Storage::dense}) {
      for (const bool single : {false, true}) {
        const ReadOptions options{.single = single, .storage = storage};
        const Dataset data = read_svmlight(folder.write("a", text), options);
        std::ostringstream out;
        write_svmlight(data, out);
        const Dataset again = read_svmlight(folder.write("b", out.str()), options);
        EXPECT_EQ(rows_of(data), rows_of(again)) << out.str();
        EXPECT_EQ(data.labels.names, again.labels.names);
        EXPECT_EQ(data.labels.offsets, again.labels.offsets);
        EXPECT_EQ(data.labels.indices, again.labels.indices);
        EXPECT_EQ(data.labels.weights, again.labels.weights);
        EXPECT_EQ(data.queries, again.queries);
      }
    }
  }
  Dataset bad = read_svmlight(folder.write("a", "1 1:1\n"));
  bad.labels.names = {"two words"};
  std::ostringstream out;
  EXPECT_THROW(write_svmlight(bad, out), std::invalid_argument);
}

TEST(Svmlight, StreamsHandOutRowsAsTheyCome) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::system(("mkfifo " + path).c_str()), 0);
  const int writer = ::system(
      ("(printf '1 1:1\\n# c\\n2 2'; sleep 0.2; printf ':5\\n'; sleep 0.2; printf '3 1:x') > " + path + " &")
          .c_str());
  ASSERT_EQ(writer, 0);
  SvmlightStream stream(path, {.features = 3, .drop_beyond = true, .index_base = IndexBase::one});
  Dataset rows;
  ASSERT_TRUE(stream.next(rows));
  EXPECT_EQ(rows_of(rows), "0:1 \n");
  EXPECT_EQ(rows.x.cols(), 3U);
  ASSERT_TRUE(stream.next(rows));
  EXPECT_EQ(rows_of(rows), "1:5 \n");
  EXPECT_THAT(rows.labels.names, ElementsAre("2"));
  EXPECT_EQ(error_of(folder, [&] { stream.next(rows); }), "pipe:4:5: value 'x' is not a finite number");
  EXPECT_THROW(SvmlightStream("-", {}), std::invalid_argument);
}

TEST(Svmlight, RandomDamageIsReportedNotSuffered) {
  const TemporaryFolder folder;
  const std::string good = large_text(30, 0);
  Random random(9);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bad = good;
    for (std::uint64_t k = 1 + random.below(5); k > 0; --k) {
      bad[random.below(bad.size())] = static_cast<char>(random.below(256));
    }
    if (random.below(4) == 0) bad.resize(random.below(bad.size()));
    const std::string path = folder.write("x.svm", bad);
    try {
      const Dataset data = read_svmlight(path);
      EXPECT_LE(data.rows(), 60U);
    } catch (const DataError& error) {
      ++refused;
      EXPECT_THAT(error.what(), testing::HasSubstr("x.svm:"));
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace fenchel::test
