// SPDX-License-Identifier: Apache-2.0
// What is read must come out again: written and read once more, it is written the same.
#include <sstream>

#include "fenchel/data/token_corpus.hpp"
#include "fenchel/models/tagger_corpus.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {
namespace {

std::string written(const TokenCorpus& corpus) {
  std::ostringstream out;
  write_conll(corpus, out, '\t');
  return out.str();
}

void run(Bytes input) {
  const InputFile file(text_of(input));
  const TokenCorpus corpus = read_conll(file.path());
  const std::string text = written(corpus);
  const InputFile again(text);
  require(written(read_conll(again.path())) == text, "a corpus that was written reads back");
  if (corpus.columns.size() < 2) return;
  const TaggerData data = tagger_data(corpus, FeatureTemplates::preset("default", corpus.columns.size() - 1));
  data.check();
  with_soft_labels(data).check();
}

// Weights of sentences.
void weights(Bytes input) {
  const InputFile file(text_of(input));
  read_weights(Paths(file.path()));
}

}  // namespace

const Registration conll{{.name = "conll", .run = run}};
const Registration sentence_weights{{.name = "sentence_weights", .run = weights}};

}  // namespace fenchel::fuzz
