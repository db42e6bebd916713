// SPDX-License-Identifier: Apache-2.0
// Weka's ARFF: attributes with names and types, then rows, dense (`1,2,red`) or sparse (`{0 1,2 red}`, absent
// values are 0 or the first of the nominal ones). An XML file in Mulan's format names the attributes that are
// labels: options.labels_file, or birds-train.xml or birds.xml beside birds-train.arff.
#pragma once

#include <string>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/paths.hpp"

namespace fenchel {

/// Reads rows. With an XML file every label attribute that is not 0 is a label of the row (a number other
/// than 1 is its proportion). Without one the target is the attribute options.target, or one called class, or
/// the last ("-": none).
Dataset read_arff(const Paths& paths, const ReadOptions& options = {});

/// The names of the labels in Mulan's XML, in the order of the file; a label inside another one counts too.
/// Throws std::runtime_error if it is not such a file.
std::vector<std::string> read_mulan_labels(const std::string& path);

}  // namespace fenchel
