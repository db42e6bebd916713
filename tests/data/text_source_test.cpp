// SPDX-License-Identifier: Apache-2.0
#include "data/text_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <string>
#include <system_error>
#include <vector>

#include "data_dir.hpp"
#include "fenchel/data/paths.hpp"
#include "fenchel/data/svmlight.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& path) {
  TextSource source(path);
  std::vector<std::string> lines;
  std::string_view line;
  while (source.next_line(line)) lines.emplace_back(line);
  EXPECT_EQ(source.line_number(), static_cast<std::int64_t>(lines.size()));
  return lines;
}

std::string gzip(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  gzFile file = gzopen((folder / name).c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return folder / name;
}

TEST(TextSource, Lines) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("a", "one\ntwo\r\n\nthree")), ElementsAre("one", "two", "", "three"));
  EXPECT_THAT(lines_of(folder.write("b", "one\n")), ElementsAre("one"));
  EXPECT_THAT(lines_of(folder.write("c", "")), ElementsAre());
  EXPECT_THAT(lines_of(folder.write("d", "\n")), ElementsAre(""));
  EXPECT_THAT(lines_of(folder.write("e", "\xEF\xBB\xBFone\n")), ElementsAre("one"));
  EXPECT_THAT(lines_of(folder.write("f", "\xEF\xBB\xBF")), ElementsAre(""));
}

TEST(TextSource, LinesLongerThanABuffer) {
  const TemporaryFolder folder;
  const std::string longest(3'000'000, 'x');
  const auto lines = lines_of(folder.write("a", "short\n" + longest + "\nend"));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1], longest);
  EXPECT_EQ(lines[2], "end");
}

TEST(TextSource, PeekConsumesNothing) {
  const TemporaryFolder folder;
  TextSource source(folder.write("a", "one\ntwo\n"));
  EXPECT_EQ(source.peek(), "one\ntwo\n");
  std::string_view line;
  ASSERT_TRUE(source.next_line(line));
  EXPECT_EQ(line, "one");
  TextSource chunks(folder / "a");
  chunks.peek();
  TextChunk chunk;
  ASSERT_TRUE(chunks.next_chunk(chunk));
  EXPECT_EQ(chunk.text, "one\ntwo\n");
  EXPECT_FALSE(chunks.next_chunk(chunk));
}

TEST(TextSource, Gzip) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 200000; ++i) text += std::to_string(i) + "\n";
  const std::string path = gzip(folder, "a.gz", text);
  EXPECT_EQ(lines_of(path).size(), 200000U);
  const std::string packed = content_of(path);
  // Concatenated files, and padding.
  EXPECT_EQ(lines_of(folder.write("twice", packed + packed + std::string(512, '\0'))).size(), 400000U);
  EXPECT_EQ(error_of(folder, [&] { lines_of(folder.write("cut.gz", packed.substr(0, packed.size() / 2))); }),
            "cut.gz: the gzip data end too early; the file is cut off");
  EXPECT_EQ(error_of(folder, [&] { lines_of(folder.write("cut8.gz", packed.substr(0, packed.size() - 3))); }),
            "cut8.gz: the gzip data end too early; the file is cut off");
  EXPECT_EQ(error_of(folder, [&] { lines_of(folder.write("more.gz", packed + "abc")); }),
            "more.gz: there are bytes after the end of the gzip data");
  std::string bad = packed;
  bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 1);
  EXPECT_THAT(error_of(folder, [&] { lines_of(folder.write("bad.gz", bad)); }),
              HasSubstr("bad.gz: the gzip data are damaged: incorrect data check"));
  bad = packed;
  bad[100] = static_cast<char>(bad[100] ^ 0x55);
  EXPECT_THAT(error_of(folder, [&] { lines_of(folder.write("bad2.gz", bad)); }), HasSubstr("gzip data"));
}

TEST(TextSource, BinaryFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of(folder, [&] { lines_of(folder.write("a", std::string("ab\ncd\0e\n", 8))); }),
            "a:2:3: a byte 0; this is a binary file, not a text");
  EXPECT_EQ(error_of(folder,
                     [&] {
                       lines_of(folder.write("b", std::string("\xFD"
                                                              "7zXZ\0rest",
                                                              10)));
                     }),
            "b: packed with xz; gzip, bzip2 and zstd are unpacked on the way");
  EXPECT_THAT(error_of(folder, [&] { lines_of(folder.write("c", "\x28\xB5\x2F\xFD....")); }),
              HasSubstr("zstd"));
}

TEST(TextSource, FilesOfMoreThanTwoGigabytes) {
  const TemporaryFolder folder;
  // Sparse: three gigabytes of zeros that take no room on the disk.
  const std::string path = folder.write("zeros", "1 1:1\n");
  if (::truncate(path.c_str(), std::int64_t{3} << 30) != 0)
    GTEST_SKIP() << "skipped: no room for a large file";
  EXPECT_EQ(error_of(folder, [&] { read_svmlight(path); }),
            "zeros:2:1: a byte 0; this is a binary file, not a text");
}

TEST(TextSource, WhatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of(folder, [&] { lines_of(folder / "missing"); }),
            "missing: cannot open: No such file or directory");
  std::filesystem::create_directory(folder / "dir");
  EXPECT_EQ(error_of(folder, [&] { lines_of(folder / "dir"); }), "dir: cannot read: Is a directory");
}

TEST(Paths, Globs) {
  const TemporaryFolder folder;
  folder.write("part-2.svm", "2 1:2\n");
  folder.write("part-1.svm", "1 1:1\n");
  folder.write("a[1].svm", "3 1:3\n");
  const Paths parts(folder / "part-*.svm");
  ASSERT_EQ(parts.files().size(), 2U);
  EXPECT_THAT(parts.files()[0], testing::EndsWith("part-1.svm"));
  EXPECT_THAT(parts.description(), testing::EndsWith("part-1.svm and 1 more"));
  EXPECT_EQ(read_svmlight(parts).rows(), 2U);
  EXPECT_EQ(Paths(folder / "a[1].svm").files().size(), 1U) << "a file is a file, whatever its name";
  EXPECT_EQ(error_of(folder, [&] { Paths(folder / "none-*.svm"); }), "no file matches 'none-*.svm'");
  EXPECT_THROW(Paths(std::vector<std::string>{}), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
