// SPDX-License-Identifier: Apache-2.0
// fenchel verify: how far from the optimum a model with a certificate is at most.
#include "fenchel/training/verify.hpp"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "support/data_flags.hpp"
#include "support/read_corpus.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

constexpr int not_verified = 1;

struct VerifyFlags {
  std::string model;
  std::vector<std::string> data;
  DataFlags reading;
  double tolerance = -1;  // as in training
  bool json = false;
};

void print_verification(const Verification& found, const Certificate& certificate) {
  if (std::isfinite(found.gap)) {
    fmt::print("primal {:.12g}, dual {:.12g}, gap {:.3g}: the objective is at most {:.3g} above the optimum",
               found.primal, found.dual, found.gap, found.gap);
    if (std::isfinite(found.radius)) fmt::print(" among weights of a norm up to {:.3g}", found.radius);
    fmt::print(" (relative {:.2g}, tolerance {:.2g})\n", found.relative, found.tolerance);
    fmt::print("of: penalty {}, lambda {}, intercept {}", certificate.penalty, certificate.lambda,
               certificate.intercept);
    if (has_rho(certificate.penalty)) fmt::print(", rho {}", certificate.rho);
    if (!certificate.class_weight.empty()) fmt::print(", class weights {}", certificate.class_weight);
    fmt::print("\n");
  }
  for (const std::string& problem : found.problems) fmt::print("problem: {}\n", problem);
  fmt::print("{}\n", found.verified ? "verified" : "not verified");
}

int verify_files(const VerifyFlags& flags) {
  const AnyModel model = load_model(flags.model, flags.data);
  if (std::holds_alternative<Tagger>(model)) {
    throw std::invalid_argument(
        fmt::format("{}: a tagger; linear and kernel models can be verified", flags.model));
  }
  const std::shared_ptr<const Certificate> certificate = head_of(model).certificate;
  if (!certificate) {
    throw std::invalid_argument(
        fmt::format("{}: the model has no certificate; fenchel train --certificate makes one", flags.model));
  }
  const Corpus corpus = read_corpus_for(flags.data, flags.reading, model);
  flags.reading.check_used({corpus.format});
  const auto tolerance = flags.tolerance >= 0 ? std::optional(flags.tolerance) : std::nullopt;
  const Verification found = verify(model, std::get<Dataset>(corpus.data), tolerance);
  if (flags.json) {
    fmt::print("{}\n", json_text(verification_json(found)));
  } else {
    print_verification(found, *certificate);
  }
  return found.verified ? 0 : not_verified;
}

}  // namespace

void add_verify(Command& program) {
  Command command = program.subcommand(
      "verify", "Prove from the training data how far from the optimum a model is at most");
  auto flags = std::make_shared<VerifyFlags>();
  command.option("MODEL", flags->model, "a model file of fenchel train --certificate", {.required = true});
  command.option("DATA", flags->data, "the files that it was trained on; - is stdin", {.required = true});
  command.option("--tolerance", flags->tolerance,
                 "the largest relative gap (else that of training, at most 0.01)",
                 {.sign = Sign::non_negative});
  command.flag("--json", flags->json, "one JSON object instead of text");
  flags->reading.add(command);
  command.footer(
      "Exit status: 0 verified, 1 not verified, 2 wrong use, or a model that cannot be verified.\n"
      "Example:\n"
      "  fenchel train train.svm --model m.safetensors --certificate\n"
      "  fenchel verify m.safetensors train.svm");
  command.action([flags] { return verify_files(*flags); });
}

}  // namespace fenchel::cli
