// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/treebank.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {
namespace {

void run(Bytes input) {
  const InputFile file(text_of(input));
  const Treebank bank = read_conllu(file.path());
  check_trees(bank);
  const std::string text = conllu_text(bank);
  const InputFile again(text);
  require(conllu_text(read_conllu(again.path())) == text, "a treebank that was written reads back");
}

}  // namespace

const Registration conllu{{.name = "conllu", .run = run}};

}  // namespace fenchel::fuzz
