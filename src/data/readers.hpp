// SPDX-License-Identifier: Apache-2.0
// The readers behind read_dataset. The first file may have been opened already (to see its first lines); it
// is then read from `first`.
#pragma once

#include <string>
#include <vector>

#include "fenchel/data/read.hpp"
#include "fenchel/data/text_source.hpp"

namespace fenchel {

Reading read_svmlight_files(const std::vector<std::string>& files, TextSource* first,
                            const ReadOptions& options);
Reading read_arff_files(const std::vector<std::string>& files, TextSource* first, const ReadOptions& options);
Reading read_csv_files(const std::vector<std::string>& files, TextSource* first, const ReadOptions& options);

}  // namespace fenchel
