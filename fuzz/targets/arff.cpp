// SPDX-License-Identifier: Apache-2.0
// An ARFF file, and behind the separator Mulan's XML with the labels.
#include "fenchel/data/arff.hpp"

#include "harness.hpp"

namespace fenchel::fuzz {

const Registration arff{{.name = "arff", .run = [](Bytes input) {
                           const TwoFiles files = split_input(input);
                           const InputFile rows(files.first);
                           const InputFile labels(files.second);
                           ReadOptions options;
                           if (!files.second.empty()) options.labels_file = labels.path();
                           use(read_arff(rows.path(), options));
                         }}};

const Registration arff_options{
    {.name = "arff_options", .run = [](Bytes input) { read_rows(input, DataFormat::arff); }}};

}  // namespace fenchel::fuzz
