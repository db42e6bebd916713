// SPDX-License-Identifier: Apache-2.0
// Lines of `fenchel eval`: each gets an answer, whatever is in it.
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands/commands.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {
namespace {

// Puts strings in the place of the standard input and output.
class Redirected {
 public:
  explicit Redirected(std::string_view input) : in_(std::string(input)) {
    old_in_ = std::cin.rdbuf(in_.rdbuf());
    old_out_ = std::cout.rdbuf(out_.rdbuf());
    std::cin.clear();
    std::cout.clear();
  }
  ~Redirected() {
    std::cin.rdbuf(old_in_);
    std::cout.rdbuf(old_out_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  std::string output() const { return out_.str(); }

 private:
  std::istringstream in_;
  std::ostringstream out_;
  std::streambuf* old_in_;
  std::streambuf* old_out_;
};

void run(Bytes input) {
  const Redirected streams(text_of(input));
  cli::CommandLine line("fenchel", "", "");
  cli::add_eval(line.root());
  const char* arguments[] = {"fenchel", "eval"};
  const int status = line.run(2, arguments);
  bool failed = false;
  std::istringstream answers(streams.output());
  for (std::string answer; std::getline(answers, answer);) {
    const auto json = nlohmann::json::parse(answer, nullptr, false);
    require(json.is_object() && json.contains("id"), "an answer is an object with an id");
    require(json.contains("result") != json.contains("error"), "an answer is a result or an error");
    failed = failed || json.contains("error");
  }
  require(status == (failed ? 1 : 0), "the exit status says whether a line failed");
}

}  // namespace

const Registration eval{{.name = "eval", .run = run}};

}  // namespace fenchel::fuzz
