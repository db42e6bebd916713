// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/word_clusters.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration clusters{{.name = "clusters", .run = [](Bytes input) {
                               const InputFile file(text_of(input));
                               const WordClusters read = WordClusters::read(file.path());
                               for (std::size_t k = 0; k < read.size(); ++k) {
                                 const auto word = read.words()[static_cast<std::int32_t>(k)];
                                 require(read.find(word) == read.names()[read.numbers()[k]],
                                         "a word has its cluster");
                               }
                             }}};

}  // namespace fenchel::fuzz
