// SPDX-License-Identifier: Apache-2.0
// fenchel demo: one score vector, several Ω, drawn as bars.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

constexpr int bar_width = 40;

// A bar in eighths of a character cell.
std::string bar(double share) {
  static constexpr std::array<const char*, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto cells = static_cast<std::size_t>(std::lround(share * bar_width * 8));
  std::string text;
  for (std::size_t i = 0; i < cells / 8; ++i) text += "█";
  return text + eighths[cells % 8];
}

void draw(const std::string& title, const std::vector<double>& theta, const std::vector<double>& prediction) {
  fmt::print("\n{}\n", title);
  for (std::size_t j = 0; j < theta.size(); ++j) {
    fmt::print("  {:>6.2f}  {:.4f} {}\n", theta[j], prediction[j], bar(prediction[j]));
  }
}

struct Shown {
  const char* omega;
  const char* title;
};
constexpr std::array shown_omegas{Shown{"argmax", "argmax"},
                                  Shown{"shannon", "softmax: every class keeps some mass"},
                                  Shown{"tsallis:alpha=1.5", "1.5-entmax"},
                                  Shown{"tsallis:alpha=2", "sparsemax: low scores get exactly 0"}};

void draw_all(const std::vector<double>& theta) {
  fmt::print("scores and probabilities of the same {} classes under four regularizers\n", theta.size());
  for (const auto& [omega, title] : shown_omegas) {
    const FenchelYoungLoss loss{make_regularizer(omega)};
    draw(fmt::format("{}   ({})", title, omega), theta, loss.predict(theta));
  }
}

void print_demo_json(const std::vector<double>& theta) {
  nlohmann::ordered_json out{{"theta", theta}, {"predictions", nlohmann::ordered_json::array()}};
  for (const auto& [omega, title] : shown_omegas) {
    const FenchelYoungLoss loss{make_regularizer(omega)};
    out["predictions"].push_back(
        {{"omega", spec_json(loss.omega().spec())}, {"title", title}, {"prediction", loss.predict(theta)}});
  }
  fmt::print("{}\n", json_text(out));
}

}  // namespace

void add_demo(Command& program) {
  Command command = program.subcommand("demo", "Predictions of several Omegas on one score vector, as bars");
  auto theta = std::make_shared<std::vector<double>>(std::vector<double>{1.6, 1.1, 0.4, -0.2, -1.0});
  auto json = std::make_shared<bool>(false);
  command.option("--theta", *theta, "the scores, separated by commas", {.separator = ','});
  command.flag("--json", *json, "one JSON object instead of bars");
  command.footer("Example:\n  fenchel demo --theta 1.6,1.1,0.4,-0.2,-1");
  command.action([theta, json] {
    *json ? print_demo_json(*theta) : draw_all(*theta);
    return 0;
  });
}

}  // namespace fenchel::cli
