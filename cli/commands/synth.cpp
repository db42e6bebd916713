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

void add_proportions(CLI::App& synth, int& status) {
  auto options = std::make_shared<SynthProportions>();
  CLI::App* command = synth.add_subcommand(
      "proportions",
      "Documents as mixtures of multinomials with label proportions (paper, section 9.1), as svmlight");
  command->add_option("--classes", options->classes, "number of classes")->capture_default_str();
  command->add_option("--samples", options->samples, "number of documents")->capture_default_str();
  command->add_option("--vocabulary", options->vocabulary, "number of words; 0: as many as classes")
      ->capture_default_str();
  command->add_option("--length", options->mean_length, "mean number of words of a document")
      ->capture_default_str();
  command->add_option("--labels", options->mean_labels, "mean number of labels of a document")
      ->capture_default_str();
  command->add_flag("--uniform", options->uniform, "equal proportions of a document's labels");
  command->add_option("--seed", options->seed, "of the random numbers")->capture_default_str();
  command->footer("Example:\n  fenchel synth proportions --classes 10 --samples 1400 --seed 1 > train.svm");
  command->callback([&status, options] {
    write_svmlight(synth_proportions(*options), std::cout);
    status = std::cout.flush() ? 0 : 2;
  });
}

void add_classification(CLI::App& synth, int& status) {
  auto options = std::make_shared<SynthClassification>();
  CLI::App* command = synth.add_subcommand("classification", "Classes around normal centres, as svmlight");
  command->add_option("--classes", options->classes, "number of classes")->capture_default_str();
  command->add_option("--samples", options->samples, "number of rows")->capture_default_str();
  command->add_option("--features", options->features, "number of features")->capture_default_str();
  command->add_option("--separation", options->separation, "scale of the centres; the noise has 1")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the random numbers")->capture_default_str();
  command->footer("Example:\n  fenchel synth classification --classes 5 > train.svm");
  command->callback([&status, options] {
    write_svmlight(synth_classification(*options), std::cout);
    status = std::cout.flush() ? 0 : 2;
  });
}

void add_ranking(CLI::App& synth, int& status) {
  auto options = std::make_shared<SynthRanking>();
  CLI::App* command =
      synth.add_subcommand("ranking", "Queries with documents and relevance, as svmlight with qid");
  command->add_option("--queries", options->queries, "number of queries")->capture_default_str();
  command->add_option("--documents", options->documents, "documents of a query")->capture_default_str();
  command->add_option("--features", options->features, "number of features")->capture_default_str();
  command->add_option("--levels", options->levels, "levels of relevance")->capture_default_str();
  command->add_option("--noise", options->noise, "of the hidden score")->capture_default_str();
  command->add_option("--seed", options->seed, "of the random numbers")->capture_default_str();
  command->footer("Example:\n  fenchel synth ranking --queries 50 > train.svm");
  command->callback([&status, options] {
    write_svmlight(synth_ranking(*options), std::cout);
    status = std::cout.flush() ? 0 : 2;
  });
}

void add_tagging(CLI::App& synth, int& status) {
  auto options = std::make_shared<SynthTagging>();
  CLI::App* command =
      synth.add_subcommand("tagging", "Sentences from a hidden Markov chain, as CoNLL columns");
  command->add_option("--tags", options->tags, "number of tags")->capture_default_str();
  command->add_option("--sentences", options->sentences, "number of sentences")->capture_default_str();
  command->add_option("--vocabulary", options->vocabulary, "number of words")->capture_default_str();
  command->add_option("--length", options->mean_length, "mean number of words of a sentence")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the random numbers")->capture_default_str();
  command->footer("Example:\n  fenchel synth tagging --sentences 200 > train.conll");
  command->callback([&status, options] {
    write_conll(synth_tagging(*options), std::cout);
    status = std::cout.flush() ? 0 : 2;
  });
}

}  // namespace

void add_synth(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("synth", "Write a made-up data set to stdout");
  command->require_subcommand(1);
  add_proportions(*command, status);
  add_classification(*command, status);
  add_ranking(*command, status);
  add_tagging(*command, status);
  command->footer("Example:\n  fenchel synth proportions --classes 10 --samples 1400 --seed 1 > train.svm");
}

}  // namespace fenchel::cli
