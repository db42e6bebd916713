// SPDX-License-Identifier: Apache-2.0
#include "core/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <system_error>

#include "data_dir.hpp"

namespace fenchel::test {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// A process number that no process has.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(AtomicFile, IsCompleteOrNotThereAtAll) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  put(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
  put(path, "new");
  EXPECT_EQ(content(path), "new");
}

TEST(AtomicFile, RemovesWhatKilledProcessesLeftBehind) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  const std::string dead = std::to_string(ended_process());
  const std::string alive = std::to_string(::getppid());
  for (const std::string& name : {"a.tmp-" + dead + "-0", "a.tmp-" + dead + "-17"}) {
    std::ofstream(folder.path() / name) << "torn";
  }
  // Files of others, of processes that live, and with other names stay.
  const std::vector<std::string> kept{"b.tmp-" + dead + "-0", "a.tmp-" + alive + "-0",
                                      "a.tmp-" + dead,        "a.tmp-" + dead + "-x",
                                      "a.tmp--3-0",           "xa.tmp-" + dead + "-0"};
  for (const std::string& name : kept) std::ofstream(folder.path() / name) << "kept";
  put(path, "new");
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
  EXPECT_EQ(files_in(folder.path()), kept.size() + 1);
}

TEST(AtomicFile, WritesWhatALinkNames) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "other");
  const fs::path target = folder.path() / "other" / "target";
  const fs::path link = folder.path() / "link";
  const fs::path chain = folder.path() / "chain";
  fs::create_symlink("other/target", link);
  fs::create_symlink(link, chain);
  for (const std::string text : {"dangling until now", "there now"}) {
    put(chain, text);
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_TRUE(fs::is_symlink(chain));
    EXPECT_EQ(content(target), text);
  }
  const fs::path circle = folder.path() / "circle";
  fs::create_symlink("circle", circle);
  EXPECT_THROW(AtomicFile{circle}, std::system_error);
  EXPECT_TRUE(fs::is_symlink(circle));
}

TEST(AtomicFile, StreamsThrowWhatTheFileThrows) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  const std::string large(1 << 20, 'x');
  write_atomically(path, [&](std::ostream& out) { out << large << "end"; });
  EXPECT_EQ(content(path), large + "end");
  EXPECT_THROW(write_atomically("/dev/full", [&](std::ostream& out) { out << large; }), std::system_error);
  EXPECT_THROW(write_atomically(path, [](std::ostream&) { throw std::invalid_argument("no"); }),
               std::invalid_argument);
  EXPECT_EQ(content(path), large + "end");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

// A limit on the size of files stands for a full disk. The child lives under it.
TEST(AtomicFile, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  put(path, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_atomically(path, [](std::ostream& out) { out << std::string(100'000, 'x'); });
    } catch (const std::system_error& error) {
      ::_exit(error.code() == std::errc::file_too_large ? 7 : 8);
    }
    ::_exit(9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

}  // namespace
}  // namespace fenchel::test
