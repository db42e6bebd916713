// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/attribute_corpus.hpp"
#include "fenchel/models/tagger_corpus.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration crfsuite{{.name = "crfsuite", .run = [](Bytes input) {
                               const InputFile file(text_of(input));
                               tagger_data(read_crfsuite(file.path())).check();
                             }}};

}  // namespace fenchel::fuzz
