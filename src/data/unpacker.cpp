// SPDX-License-Identifier: Apache-2.0
#include "data/unpacker.hpp"

#include <bzlib.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <stdexcept>

namespace fenchel {
namespace {

constexpr std::string_view gzip_magic = "\x1F\x8B";
constexpr std::string_view zstd_magic = "\x28\xB5\x2F\xFD";
constexpr std::size_t magic_bytes = 6;
constexpr int gzip_only = 16 + MAX_WBITS;  // zlib's way to ask for a gzip header and checksum
constexpr std::size_t most_bytes = std::numeric_limits<unsigned>::max();  // in one call of zlib or bzip2

/// BZh, a digit and a block or the end: a word may begin with BZh, too.
bool is_bzip2(std::string_view start) {
  if (start.size() < magic_bytes || !start.starts_with("BZh")) return false;
  const std::string_view block = start.substr(4, 2);
  return block == "1A" || block == "\x17r";
}

class Gzip final : public Unpacker {
 public:
  Gzip() {
    if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }

  const char* name() const override { return "gzip"; }
  char first_byte() const override { return gzip_magic[0]; }
  void restart() override { inflateReset(&stream_); }
  Step step(std::span<const char> packed, std::span<char> out) override {
    const auto in_size = static_cast<uInt>(std::min(packed.size(), most_bytes));
    const auto out_size = static_cast<uInt>(std::min(out.size(), most_bytes));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = in_size;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = out_size;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_STREAM_END && status != Z_OK && status != Z_BUF_ERROR) {
      throw std::runtime_error(stream_.msg ? stream_.msg : "");
    }
    return {in_size - stream_.avail_in, out_size - stream_.avail_out, status == Z_STREAM_END};
  }

 private:
  z_stream stream_{};
};

class Bzip2 final : public Unpacker {
 public:
  Bzip2() { begin(); }
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }

  const char* name() const override { return "bzip2"; }
  char first_byte() const override { return 'B'; }
  void restart() override {
    BZ2_bzDecompressEnd(&stream_);
    begin();
  }
  Step step(std::span<const char> packed, std::span<char> out) override {
    const auto in_size = static_cast<unsigned>(std::min(packed.size(), most_bytes));
    const auto out_size = static_cast<unsigned>(std::min(out.size(), most_bytes));
    stream_.next_in = const_cast<char*>(packed.data());
    stream_.avail_in = in_size;
    stream_.next_out = out.data();
    stream_.avail_out = out_size;
    const int status = BZ2_bzDecompress(&stream_);
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status != BZ_STREAM_END && status != BZ_OK) throw std::runtime_error("");
    return {in_size - stream_.avail_in, out_size - stream_.avail_out, status == BZ_STREAM_END};
  }

 private:
  void begin() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bz_stream stream_{};
};

class Zstd final : public Unpacker {
 public:
  Zstd() : stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }

  const char* name() const override { return "zstd"; }
  char first_byte() const override { return zstd_magic[0]; }
  void restart() override { ZSTD_initDStream(stream_); }
  Step step(std::span<const char> packed, std::span<char> out) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer made{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &made, &in);
    if (ZSTD_isError(status)) throw std::runtime_error(ZSTD_getErrorName(status));
    return {in.pos, made.pos, status == 0};
  }

 private:
  ZSTD_DStream* stream_;
};

}  // namespace

std::unique_ptr<Unpacker> unpacker_for(std::string_view start) {
  if (start.starts_with(gzip_magic)) return std::make_unique<Gzip>();
  if (is_bzip2(start)) return std::make_unique<Bzip2>();
  if (start.starts_with(zstd_magic)) return std::make_unique<Zstd>();
  return nullptr;
}

const char* foreign_packer(std::string_view start) {
  if (start.starts_with(std::string_view("\xFD"
                                         "7zXZ\0",
                                         6))) {
    return "xz";
  }
  return start.starts_with("PK\x03\x04") ? "zip, as .xlsx and .npz are" : nullptr;
}

bool is_compressed_name(std::string_view path) {
  constexpr std::array<std::string_view, 3> endings{".gz", ".bz2", ".zst"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

}  // namespace fenchel
