// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <bit>
#include <ostream>

#include "core/atomic_file.hpp"
#include "fenchel/data/npy.hpp"

namespace fenchel {

void write_npy(MatrixView<const double> rows, std::ostream& out) {
  static_assert(std::endian::native == std::endian::little);
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                                   rows.rows(), rows.cols());
  // Magic, version, length of the header, and the header, padded so that the numbers begin at a multiple
  // of 64.
  constexpr std::size_t before = 10;
  header.append((64 - (before + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  const char length[2] = {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  out.write("\x93NUMPY\x01\x00", 8);
  out.write(length, 2);
  out << header;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    out.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size_bytes()));
  }
}

void write_npy(MatrixView<const double> rows, const std::filesystem::path& path) {
  write_atomically(path, [&](std::ostream& out) { write_npy(rows, out); });
}

}  // namespace fenchel
