// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/ocr.hpp"

#include "fenchel/models/tagger_corpus.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration ocr{{.name = "ocr", .run = [](Bytes input) {
                          const InputFile file(text_of(input));
                          tagger_data(read_ocr(file.path())).check();
                        }}};

}  // namespace fenchel::fuzz
