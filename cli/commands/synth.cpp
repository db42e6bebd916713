// SPDX-License-Identifier: Apache-2.0
// fenchel synth: made-up data sets, the same on every machine for the same seed.
#include "fenchel/data/synth.hpp"

#include <iostream>
#include <memory>

#include "commands/commands.hpp"
#include "fenchel/data/svmlight.hpp"
#include "fenchel/data/token_corpus.hpp"

namespace fenchel::cli {
namespace {

void add_proportions(Command& synth) {
  auto options = std::make_shared<SynthProportions>();
  Command command = synth.subcommand(
      "proportions",
      "Documents as mixtures of multinomials with label proportions (paper, section 9.1), as svmlight");
  command.option("--classes", options->classes, "number of classes", {.show_default = true});
  command.option("--samples", options->samples, "number of documents", {.show_default = true});
  command.option("--vocabulary", options->vocabulary, "number of words; 0: as many as classes",
                 {.show_default = true});
  command.option("--length", options->mean_length, "mean number of words of a document",
                 {.show_default = true});
  command.option("--labels", options->mean_labels, "mean number of labels of a document",
                 {.show_default = true});
  command.flag("--uniform", options->uniform, "equal proportions of a document's labels");
  command.flag("--frequencies", options->frequencies, "frequencies of words instead of counts");
  command.option("--seed", options->seed, "of the random numbers", {.show_default = true});
  command.footer("Example:\n  fenchel synth proportions --classes 10 --samples 1400 --seed 1 > train.svm");
  command.action([options] {
    write_svmlight(synth_proportions(*options), std::cout);
    return std::cout.flush() ? 0 : 2;
  });
}

void add_classification(Command& synth) {
  auto options = std::make_shared<SynthClassification>();
  Command command = synth.subcommand("classification", "Classes around normal centres, as svmlight");
  command.option("--classes", options->classes, "number of classes", {.show_default = true});
  command.option("--samples", options->samples, "number of rows", {.show_default = true});
  command.option("--features", options->features, "number of features", {.show_default = true});
  command.option("--separation", options->separation, "standard deviation of the centres (noise: 1)",
                 {.show_default = true});
  command.option("--seed", options->seed, "of the random numbers", {.show_default = true});
  command.footer("Example:\n  fenchel synth classification --classes 5 > train.svm");
  command.action([options] {
    write_svmlight(synth_classification(*options), std::cout);
    return std::cout.flush() ? 0 : 2;
  });
}

void add_ranking(Command& synth) {
  auto options = std::make_shared<SynthRanking>();
  Command command = synth.subcommand("ranking", "Queries with documents and relevance, as svmlight with qid");
  command.option("--queries", options->queries, "number of queries", {.show_default = true});
  command.option("--documents", options->documents, "documents of a query", {.show_default = true});
  command.option("--features", options->features, "number of features", {.show_default = true});
  command.option("--levels", options->levels, "levels of relevance", {.show_default = true});
  command.option("--noise", options->noise, "of the hidden score", {.show_default = true});
  command.option("--seed", options->seed, "of the random numbers", {.show_default = true});
  command.footer("Example:\n  fenchel synth ranking --queries 50 > train.svm");
  command.action([options] {
    write_svmlight(synth_ranking(*options), std::cout);
    return std::cout.flush() ? 0 : 2;
  });
}

void add_tagging(Command& synth) {
  auto options = std::make_shared<SynthTagging>();
  Command command = synth.subcommand("tagging", "Sentences from a hidden Markov chain, as CoNLL columns");
  command.option("--tags", options->tags, "number of tags", {.show_default = true});
  command.option("--sentences", options->sentences, "number of sentences", {.show_default = true});
  command.option("--vocabulary", options->vocabulary, "number of words", {.show_default = true});
  command.option("--length", options->mean_length, "mean number of words of a sentence",
                 {.show_default = true});
  command.option("--seed", options->seed, "of the random numbers", {.show_default = true});
  command.footer("Example:\n  fenchel synth tagging --sentences 200 > train.conll");
  command.action([options] {
    write_conll(synth_tagging(*options), std::cout);
    return std::cout.flush() ? 0 : 2;
  });
}

}  // namespace

void add_synth(Command& program) {
  Command command = program.subcommand("synth", "Write a made-up data set to stdout");
  command.require_subcommand();
  add_proportions(command);
  add_classification(command);
  add_ranking(command);
  add_tagging(command);
  command.footer("Example:\n  fenchel synth proportions --classes 10 --samples 1400 --seed 1 > train.svm");
}

}  // namespace fenchel::cli
