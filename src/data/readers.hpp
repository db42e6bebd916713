// SPDX-License-Identifier: Apache-2.0
// What is behind read_dataset: how a format is told, and the readers. The first file may have been opened
// already (to see its first lines); it is then read from `first`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text_source.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/data/time_series.hpp"

namespace fenchel {

/// By the ending of the name, through .gz and the like; automatic if it says nothing.
DataFormat format_by_ending(const std::string& path);

/// Whether the first lines are tokens of CoNLL-U, which people call .conll too.
bool is_universal(std::string_view text);

/// What rows may be in a file whose name says CSV: series of the archive of UCR, or sentences with blank
/// lines between them.
std::vector<DataFormat> formats_of_table(const std::string& path, std::string_view text);

/// Those formats that remain where other data have the format `known` (ReadOptions::known_format).
std::vector<DataFormat> narrowed(std::vector<DataFormat> formats, DataFormat known, std::string_view text);

/// Throws DataError about texts that are no data: JSON, HTML, pointers of Git LFS.
void check_not_foreign(const std::string& source, std::string_view text);

/// By the first bytes of a file that is not a text (a cache, NumPy); automatic if they say nothing.
DataFormat format_by_bytes(const std::string& path);

/// By the first lines: the formats that they may have, the likeliest first; none if they say nothing.
std::vector<DataFormat> formats_by_lines(std::string_view text);

Reading read_svmlight_files(const std::vector<std::string>& files, TextSource* first,
                            const ReadOptions& options);
Reading read_arff_files(const std::vector<std::string>& files, TextSource* first, const ReadOptions& options);
Reading read_csv_files(const std::vector<std::string>& files, TextSource* first, const ReadOptions& options);
TimeSeries read_series_files(const Paths& paths, TextSource* first, const ReadOptions& options);

/// The rows of all parts, one part after another, for formats that are read file by file. Throws DataError
/// naming the part that does not fit the first.
Dataset concatenate(std::span<const Dataset> parts);

/// The file that is read with an ARFF file (its labels, XML) or a .npy file (its targets) because it lies
/// beside it, or "".
std::string labels_beside(const std::string& path);
std::string targets_beside(const std::string& path);

/// read_dataset in a format that was chosen; `first` is the first file where it is open already.
Reading read_chosen(DataFormat format, const Paths& paths, TextSource* first, const ReadOptions& options);

/// read_dataset with the format as given.
Dataset read_format(DataFormat format, const Paths& paths, ReadOptions options);

}  // namespace fenchel
