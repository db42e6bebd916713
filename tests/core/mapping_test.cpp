// SPDX-License-Identifier: Apache-2.0
// Files that are cut off or written to while they are mapped.
#include "core/mapping.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <stdexcept>

#include "core/file_bytes.hpp"
#include "data_dir.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/synth.hpp"
#include "fenchel/models/evaluation.hpp"
#include "fenchel/training/fit.hpp"

namespace fenchel::test {
namespace {

using ::testing::HasSubstr;

const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

template <class F>
std::string failure_of(const F& f) {
  try {
    f();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::size_t sum_of(const FileBytes& file) {
  std::size_t sum = 0;
  for (const std::byte byte : file.bytes) sum += static_cast<std::size_t>(byte);
  return sum;
}

TEST(Mapping, PagesThatAreGoneAreZeros) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(5 * page, '\1'));
  FileBytes file = map_bytes(path);
  EXPECT_EQ(sum_of(file), 5 * page);
  EXPECT_NO_THROW(check_mappings());
  std::filesystem::resize_file(path, 2 * page);
  EXPECT_EQ(sum_of(file), 2 * page);
  EXPECT_THAT(failure_of([] { check_mappings(); }), HasSubstr("a: the file was cut off while it was in use"));
  // A file that grows again afterwards does not make good what was read.
  std::filesystem::resize_file(path, 5 * page);
  EXPECT_THAT(failure_of([] { check_mappings(); }), HasSubstr("cut off"));
  file = {};
  EXPECT_NO_THROW(check_mappings());
}

TEST(Mapping, TheLastPageAndNewContentAreNoticed) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(page, '\1'));
  {
    const FileBytes file = map_bytes(path);
    std::filesystem::resize_file(path, page - 1);
    EXPECT_THAT(failure_of([] { check_mappings(); }), HasSubstr("cut off"));
  }
  const FileBytes file = map_bytes(path);
  std::ofstream(path, std::ios::binary | std::ios::app) << "more";
  EXPECT_THAT(failure_of([] { check_mappings(); }), HasSubstr("the file was written to while it was in use"));
}

TEST(Mapping, FilesThatAreReplacedStay) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(3 * page, '\1'));
  const FileBytes file = map_bytes(path);
  std::filesystem::rename(folder.write("b", "new"), path);
  EXPECT_EQ(sum_of(file), 3 * page);
  EXPECT_NO_THROW(check_mappings());
}

TEST(MappingDeathTest, OtherBusErrorsHaveTheirUsualEffect) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(page, '\1'));
  const FileBytes file = map_bytes(path);  // the handler is there
  EXPECT_EXIT(
      {
        const std::string other = folder.write("b", "x");
        const int descriptor = ::open(other.c_str(), O_RDONLY);
        auto* bytes =
            static_cast<volatile char*>(::mmap(nullptr, 2 * page, PROT_READ, MAP_PRIVATE, descriptor, 0));
        (void)bytes[page];
        ::_exit(0);
      },
      testing::KilledBySignal(SIGBUS), "");
}

// Whatever passes over a cache that was cut off says so instead of returning what it made of zeros.
TEST(Mapping, TrainingAndPredictingNotice) {
  const TemporaryFolder folder;
  const std::string path = folder / "data.cache";
  write_cache(synth_classification({.samples = 400, .features = 50, .seed = 1}), path);
  const Dataset data = map_cache(path);
  FitOptions options{.max_iterations = 3};
  const Fitted fitted = fit(data, options);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(failure_of([&] { fit(data, options); }), HasSubstr("data.cache: the file was cut off"));
  EXPECT_THAT(failure_of([&] { evaluate(fitted.model, data); }), HasSubstr("cut off"));
  EXPECT_THAT(failure_of([&] { std::get<LinearModel>(fitted.model).predict(data.x); }), HasSubstr("cut off"));
}

}  // namespace
}  // namespace fenchel::test
