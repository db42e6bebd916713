// SPDX-License-Identifier: Apache-2.0
// Words as images of their letters: a line is `word<TAB>position<TAB>letter<TAB>pixels`. Lines of a word
// follow one another, positions count from 0, and pixels are 0 or 1, the same number for each letter
// (`00110…`).
#pragma once

#include "fenchel/data/attribute_corpus.hpp"
#include "fenchel/data/paths.hpp"

namespace fenchel {

/// Reads files of words: a word is a sequence, a letter a label, and the attributes of an item are `bias` and
/// `p0`, `p1`, … for the pixels that are 1. Throws DataError for a line that is not as above.
AttributeCorpus read_ocr(const Paths& paths);

}  // namespace fenchel
