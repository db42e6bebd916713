// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/tensor_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "damage.hpp"
#include "data_dir.hpp"
#include "fenchel/core/random.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A file with the given header and data.
std::string bytes_of(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string result(8, '\0');
  std::memcpy(result.data(), &length, 8);
  return result + header + data;
}

TensorFile example(const std::vector<double>& doubles, const std::vector<std::uint8_t>& bytes) {
  TensorFile file;
  file.metadata["omega"] = "tsallis:alpha=1.5";
  file.add("weights", std::span<const double>(doubles), {2, 2});
  file.add("bytes", std::span<const std::uint8_t>(bytes));
  file.add("ids", std::vector<std::int32_t>{1, -2, 3}, {3});
  file.add("empty", std::vector<float>{}, {0, 7});
  return file;
}

TEST(TensorFile, RoundTrip) {
  const TemporaryFolder folder;
  const std::vector<double> doubles{1, 2.5, -0.0, 1e300};
  const std::vector<std::uint8_t> bytes{7, 8, 9};
  write_tensor_file(folder / "a.safetensors", example(doubles, bytes));
  for (const auto& read :
       {read_tensor_file(folder / "a.safetensors"), map_tensor_file(folder / "a.safetensors")}) {
    EXPECT_EQ(read.metadata.at("omega"), "tsallis:alpha=1.5");
    EXPECT_THAT(read.names(), ElementsAre("bytes", "empty", "ids", "weights"));
    EXPECT_THAT(read.shape("weights"), ElementsAre(2, 2));
    EXPECT_THAT(read.tensor<double>("weights"), ElementsAre(1, 2.5, 0, 1e300));
    EXPECT_THAT(read.tensor<std::int32_t>("ids"), ElementsAre(1, -2, 3));
    EXPECT_THAT(read.tensor<std::uint8_t>("bytes"), ElementsAre(7, 8, 9));
    EXPECT_TRUE(read.tensor<float>("empty").empty());
    EXPECT_THAT(read.shape("empty"), ElementsAre(0, 7));
    EXPECT_THROW(read.tensor<float>("weights"), std::runtime_error);
    EXPECT_THROW(read.tensor<float>("nothing"), std::runtime_error);
  }
  EXPECT_TRUE(is_tensor_file(folder / "a.safetensors"));
  EXPECT_FALSE(is_tensor_file(folder / "missing"));
}

TEST(TensorFile, SameContentSameBytes) {
  const TemporaryFolder folder;
  const std::vector<double> doubles{1, 2, 3, 4};
  const std::vector<std::uint8_t> bytes{7};
  write_tensor_file(folder / "a", example(doubles, bytes));
  write_tensor_file(folder / "b", example(doubles, bytes));
  EXPECT_EQ(content_of(folder / "a"), content_of(folder / "b"));
}

TEST(TensorFile, TensorsOutliveTheFile) {
  const TemporaryFolder folder;
  const std::vector<double> doubles{1, 2, 3, 4};
  write_tensor_file(folder / "a", example(doubles, {}));
  std::shared_ptr<const void> owner;
  std::span<const double> weights;
  {
    const TensorFile file = map_tensor_file(folder / "a");
    owner = file.owner("weights");
    weights = file.tensor<double>("weights");
  }
  std::filesystem::remove(folder / "a");
  EXPECT_THAT(weights, ElementsAre(1, 2, 3, 4));
}

TEST(TensorFile, ReadsWhatOthersWriteUnaligned) {
  const TemporaryFolder folder;
  std::string data(11, '\0');
  const double value = 3.5;
  std::memcpy(data.data() + 3, &value, 8);
  const std::string path =
      folder.write("a", bytes_of(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                                 R"("b":{"dtype":"F64","shape":[1],"data_offsets":[3,11]}})",
                                 data));
  EXPECT_THAT(map_tensor_file(path).tensor<double>("b"), ElementsAre(3.5));
}

TEST(TensorFile, HostileFilesAreRefused) {
  const TemporaryFolder folder;
  const std::string a = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
  const auto refusal = [&](const std::string& content) {
    const std::string path = folder.write("x", content);
    const std::string read = error_of(folder, [&] { read_tensor_file(path); });
    EXPECT_EQ(read, error_of(folder, [&] { map_tensor_file(path); }));
    return read;
  };
  EXPECT_EQ(refusal(bytes_of(a, "1234")), "");
  EXPECT_THAT(refusal(""), HasSubstr("x: it has 0 bytes"));
  EXPECT_THAT(refusal("abc"), HasSubstr("it has 3 bytes"));
  EXPECT_THAT(refusal(std::string(8, '\xff') + a),
              HasSubstr("the header should have 18446744073709551615 bytes"));
  EXPECT_THAT(refusal(bytes_of(a, "1234").substr(0, 30)), HasSubstr("cut off"));
  EXPECT_THAT(refusal(bytes_of("[1]", "")), HasSubstr("does not begin with '{'"));
  EXPECT_THAT(refusal(bytes_of("{\"a\":", "")), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(bytes_of(a, "12345")), HasSubstr("1 bytes after the last tensor"));
  EXPECT_THAT(refusal(bytes_of(a, "123")), HasSubstr("lies at [0, 4] of 3 bytes"));
  EXPECT_THAT(refusal(bytes_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                               R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
                               "1234")),
              HasSubstr("the key \"a\" twice"));
  EXPECT_THAT(refusal(bytes_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                               R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                               "1234")),
              HasSubstr("tensor 'b' overlaps"));
  EXPECT_THAT(refusal(bytes_of(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})", "1234")),
              HasSubstr("a hole before tensor 'a'"));
  EXPECT_THAT(refusal(bytes_of(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,4]}})", "1234")),
              HasSubstr("its shape [4] of F32 needs another number"));
  EXPECT_THAT(
      refusal(bytes_of(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", "")),
      HasSubstr("needs another number"));
  EXPECT_THAT(refusal(bytes_of(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})", "")),
              HasSubstr("shape has the entry -1"));
  EXPECT_THAT(refusal(bytes_of(R"({"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})", "1234")),
              HasSubstr("dtype \"BF16\""));
  EXPECT_THAT(refusal(bytes_of(R"({"a":{"shape":[4],"data_offsets":[0,4]}})", "1234")),
              HasSubstr("has no dtype"));
  EXPECT_THAT(refusal(bytes_of(R"({"a":3})", "")), HasSubstr("is not an object"));
  EXPECT_THAT(refusal(bytes_of(R"({"__metadata__":{"a":3}})", "")), HasSubstr("is not a string"));
  EXPECT_THAT(refusal(bytes_of("{\"a\":" + std::string(100000, '['), "")), HasSubstr("nested deeper"));
}

// In time proportional to their number: with the square of it this test would take many minutes.
TEST(TensorFile, ManyTensorsAreReadQuickly) {
  std::string header;
  for (int i = 0; i < 100000; ++i) {
    header += (i > 0 ? ",\"t" : "{\"t") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  const std::string content = bytes_of(header + "}", "");
  EXPECT_EQ(read_tensor_bytes(std::as_bytes(std::span(content)), "many").names().size(), 100000U);
}

TEST(TensorFile, RandomDamageNeverCrashes) {
  const TemporaryFolder folder;
  const std::vector<double> doubles{1, 2, 3, 4};
  write_tensor_file(folder / "a", example(doubles, {1, 2, 3}));
  const std::string good = content_of(folder / "a");
  // Without its checksums a file can be damaged in ways that nobody can see.
  std::string plain = good;
  for (const std::string key : {"checksums", "header_checksum"}) {
    plain.replace(plain.find('"' + key + '"') + 1, key.size(), key.size(), '-');
  }
  EXPECT_FALSE(read_tensor_file(folder.write("plain", plain)).checksummed());
  Random random(5);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string path = folder.write("b", damaged(plain, random));
    try {
      const TensorFile file = map_tensor_file(path);
      for (const std::string& name : file.names()) EXPECT_LE(file.shape(name).size(), 8U);
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 40);
}

TEST(TensorFile, EveryDamageIsSeen) {
  const TemporaryFolder folder;
  const std::vector<double> doubles{1, 2, 3, 4};
  write_tensor_file(folder / "a", example(doubles, {1, 2, 3}));
  EXPECT_TRUE(read_tensor_file(folder / "a").checksummed());
  for_each_damage(content_of(folder / "a"), 500, 6, [&](const std::string& bad) {
    const std::string path = folder.write("b", bad);
    EXPECT_THAT(error_of(folder, [&] { map_tensor_file(path); }), ::testing::StartsWith("b: "));
  });
}

TEST(TensorFile, ChecksumsSayWhatIsDamaged) {
  const TemporaryFolder folder;
  const std::vector<double> doubles{1, 2, 3, 4};
  write_tensor_file(folder / "a", example(doubles, {1, 2, 3}));
  const std::string good = content_of(folder / "a");
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.rfind(from), from.size(), to);
    const std::string path = folder.write("b", bad);
    return error_of(folder, [&] { read_tensor_file(path); });
  };
  EXPECT_EQ(refusal({1, 2, 3}, {1, 2, 4}),
            "b: damaged: the bytes of tensor 'bytes' do not match their checksum");
  EXPECT_EQ(refusal("tsallis", "Tsallis"), "b: damaged: the bytes of the header do not match their checksum");
  EXPECT_EQ(refusal("\"checksums\"", "\"checksumS\""),
            "b: damaged: one of its two checksum entries is missing");
}

TEST(TensorFile, ChecksumsAreNotMetadata) {
  const TemporaryFolder folder;
  TensorFile file;
  file.metadata["a"] = "b";
  write_tensor_file(folder / "a", file);
  const TensorFile read = read_tensor_file(folder / "a");
  EXPECT_EQ(read.metadata, file.metadata);
  EXPECT_TRUE(read.checksummed());
  EXPECT_FALSE(file.checksummed());
  file.metadata["checksums"] = "mine";
  EXPECT_THROW(write_tensor_file(folder / "a", file), std::invalid_argument);
}

TEST(TensorFile, WrongShapesAndNames) {
  TensorFile file;
  const std::vector<double> values{1, 2, 3};
  EXPECT_THROW(file.add("a", std::span<const double>(values), {2, 2}), std::invalid_argument);
  file.add("a", std::span<const double>(values));
  EXPECT_THROW(file.add("a", std::span<const double>(values)), std::invalid_argument);
  EXPECT_THROW(file.add("__metadata__", std::span<const double>(values)), std::invalid_argument);
}

TEST(TensorFile, FailedWritesLeaveTheOldFile) {
  const TemporaryFolder folder;
  const std::vector<double> doubles{1, 2, 3, 4};
  const std::string path = folder / "model";
  write_tensor_file(path, example(doubles, {}));
  const std::string before = content_of(path);
  TensorFile bad = example(doubles, {});
  bad.metadata["bad"] = "\xff\xfe";
  EXPECT_THROW(write_tensor_file(path, bad), std::invalid_argument);
  EXPECT_EQ(content_of(path), before);
  EXPECT_THAT(error_of(folder, [&] { write_tensor_file(folder / "no/model", example(doubles, {})); }),
              HasSubstr("no/model: cannot write beside it: No such file or directory"));
  EXPECT_THAT(error_of(folder, [&] { write_tensor_file("/dev/full", example(doubles, {})); }),
              HasSubstr("/dev/full: cannot write: No space left on device"));
  // A folder in the place of the file cannot be replaced.
  std::filesystem::create_directory(folder / "dir");
  EXPECT_NE(error_of(folder, [&] { write_tensor_file(folder / "dir", example(doubles, {})); }), "");
  if (::getuid() != 0) {
    ::chmod(folder.path().c_str(), 0500);
    EXPECT_THAT(error_of(folder, [&] { write_tensor_file(path, example(doubles, {})); }),
                HasSubstr("Permission denied"));
    ::chmod(folder.path().c_str(), 0700);
  }
  EXPECT_EQ(content_of(path), before);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1U) << "temporary files were left behind";
}

TEST(TensorFile, LinksAndModesStay) {
  const TemporaryFolder folder;
  const std::vector<double> doubles{1, 2, 3, 4};
  folder.write("real", "old");
  ::chmod((folder / "real").c_str(), 0640);
  std::filesystem::create_symlink("real", folder / "link");
  write_tensor_file(folder / "link", example(doubles, {}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(is_tensor_file(folder / "real"));
  struct stat status {};
  ASSERT_EQ(::stat((folder / "real").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

}  // namespace
}  // namespace fenchel::test
