// SPDX-License-Identifier: Apache-2.0
// The files that a command writes. None of them may be one that it reads, or writes under another name: the
// check comes before anything is done.
#pragma once

#include <string>
#include <vector>

namespace fenchel::cli {

/// A file of the command line.
struct NamedFile {
  std::string name;  ///< what the command line calls it: "--model", "DATA"
  std::string path;  ///< empty if it was not given; `-` is stdin, where it is read
};

/// Throws std::invalid_argument, naming both, if an output is an input or another output, whatever their
/// paths look like; pipes and devices may be used twice. Throws for an output `-`.
void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

/// Whether two paths name one regular file, there already or not.
bool same_file(const std::string& a, const std::string& b);

/// Throws unless a file can be written there: better now than after hours of training.
void check_writable(const std::string& path);

/// Whether there is something at that path that a writer may have to wait for.
bool is_pipe_or_device(const std::string& path);

}  // namespace fenchel::cli
