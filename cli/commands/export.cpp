// SPDX-License-Identifier: Apache-2.0
// fenchel export: a model for other programs, by the Python package.
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "support/output_files.hpp"
#include "support/python_module.hpp"

namespace fenchel::cli {

void add_export(Command& program) {
  struct Flags {
    std::string model;
    std::string to = "onnx";
    std::string out;
    std::string precision = "double";
    bool json = false;
  };
  Command command = program.subcommand(
      "export", "Write a model for other programs (by the Python package: FENCHEL_PYTHON)");
  auto flags = std::make_shared<Flags>();
  command.option("MODEL", flags->model, "a model file", {.required = true});
  command.option("--to", flags->to, "the format", {.show_default = true, .one_of = {"onnx"}});
  command.option("--out,-o", flags->out, "the file to write; by default MODEL with .onnx for its ending");
  command.option("--precision", flags->precision, "of weights, inputs and results: double or single",
                 {.show_default = true, .one_of = {"double", "single"}});
  command.flag("--json", flags->json, "one JSON object: the files, and what goes in and comes out");
  command.footer(
      "Example:\n"
      "  fenchel export m.safetensors --to onnx --out m.onnx\n"
      "  FENCHEL_PYTHON=.venv/bin/python fenchel export tagger.safetensors --json");
  command.action([flags]() -> int {
    check_outputs({{"--out", flags->out}}, {{"MODEL", flags->model}});
    std::vector<std::string> arguments{"--to=" + flags->to, "--precision=" + flags->precision};
    if (!flags->out.empty()) arguments.push_back("--out=" + flags->out);
    if (flags->json) arguments.emplace_back("--json");
    arguments.insert(arguments.end(), {"--", flags->model});
    become_python_module("fenchel.export", "onnx", arguments);
  });
}

}  // namespace fenchel::cli
