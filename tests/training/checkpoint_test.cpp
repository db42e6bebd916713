// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "damage.hpp"
#include "data_dir.hpp"

namespace fenchel {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CheckpointFile : public ::testing::Test {
 protected:
  CheckpointFile() {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    path = std::filesystem::path(::testing::TempDir()) / ("fenchel_checkpoint_" + name + ".safetensors");
    checkpoint.identity = {{"lambda", "1"}, {"omega", "shannon"}};
    checkpoint.state.set("w", std::vector<double>{1.5, -0.0, std::numeric_limits<double>::denorm_min()});
    checkpoint.state.set("narrow", std::vector<float>{0.1F});
    checkpoint.state.set("iteration", std::vector<std::int64_t>{7});
    checkpoint.state.set("random", std::vector<std::uint64_t>{1, ~std::uint64_t{0}});
    checkpoint.state.set("nothing", std::vector<double>{});
  }
  ~CheckpointFile() override { std::filesystem::remove(path); }

  std::filesystem::path path;
  Checkpoint checkpoint;
};

TEST_F(CheckpointFile, ComesBackWithTheSameBits) {
  save_checkpoint(path, checkpoint);
  const Checkpoint back = load_checkpoint(path);
  EXPECT_EQ(back.identity, checkpoint.identity);
  EXPECT_EQ(back.state.arrays(), checkpoint.state.arrays());
  EXPECT_TRUE(std::signbit(back.state.array<double>("w")[1]));
}

TEST_F(CheckpointFile, OtherRunsAreRefused) {
  EXPECT_NO_THROW(check_identity(checkpoint, {{"lambda", "1"}, {"omega", "shannon"}}));
  EXPECT_THAT(
      [&] {
        check_identity(checkpoint, {{"lambda", "2"}, {"omega", "shannon"}});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("the checkpoint was made with lambda '1'; this run has '2'")));
  EXPECT_THAT(
      [&] {
        check_identity(checkpoint, {{"lambda", "1"}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("made with omega 'shannon'; this run has none")));
  EXPECT_THAT(
      [&] {
        check_identity(checkpoint, {{"lambda", "1"}, {"omega", "shannon"}, {"seed", "3"}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("says nothing about seed")));
}

TEST_F(CheckpointFile, DamagedOrForeignFilesAreRefused) {
  std::ofstream(path) << "not a checkpoint";
  EXPECT_THROW(load_checkpoint(path), std::runtime_error);
  save_checkpoint(path, checkpoint);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THROW(load_checkpoint(path), std::runtime_error);
}

TEST_F(CheckpointFile, EveryDamageIsSeen) {
  save_checkpoint(path, checkpoint);
  test::for_each_damage(test::content_of(path.string()), 500, 8, [&](const std::string& bad) {
    std::ofstream(path, std::ios::binary) << bad;
    EXPECT_THAT([&] { load_checkpoint(path); }, ThrowsMessage<std::runtime_error>(HasSubstr(path.string())));
  });
}

TEST_F(CheckpointFile, ChecksumsMustBeThere) {
  save_checkpoint(path, checkpoint);
  std::string bytes = test::content_of(path.string());
  for (const std::string key : {"checksums", "header_checksum"}) {
    bytes.replace(bytes.find('"' + key + '"') + 1, key.size(), key.size(), '-');
  }
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THAT([&] { load_checkpoint(path); },
              ThrowsMessage<std::runtime_error>(HasSubstr("damaged: a checkpoint without checksums")));
}

TEST_F(CheckpointFile, MissingEntriesAreNamed) {
  EXPECT_THAT([&] { checkpoint.state.array<double>("v"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("has no 'v'")));
  EXPECT_THAT([&] { checkpoint.state.array<float>("w"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("another type")));
}

}  // namespace
}  // namespace fenchel
