// SPDX-License-Identifier: Apache-2.0
// From a file to a model and back: read rows, choose Ω, train, predict, save, load.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <variant>

#include "fenchel/fenchel.hpp"

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "fenchel_example_train";
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  std::ofstream file("train.svm");
  write_svmlight(fenchel::synth_proportions({.classes = 5, .samples = 300, .seed = 1}), file);
  file.close();

  // The lines of the README.
  auto data = fenchel::read_svmlight("train.svm");
  auto loss = fenchel::FenchelYoungLoss{fenchel::Tsallis{.alpha = 1.5}};
  auto model = fenchel::fit(loss, data, fenchel::L2{1e-3}, fenchel::Lbfgs{});
  auto proba = model.predict(data.x).outputs;

  std::printf("%s after %d iterations, objective %.6g\n", to_string(model.report.status).data(),
              model.report.iterations, model.last_step.objective);
  std::size_t zeros = 0;
  for (const double entry : proba.entries()) zeros += entry == 0 ? 1 : 0;
  std::printf("%zu of %zu proportions are exactly 0\n", zeros, proba.entries().size());

  // A model in a file gives the same bits again.
  fenchel::save(model, "m.safetensors");
  const auto loaded = std::get<fenchel::LinearModel>(fenchel::load("m.safetensors"));
  const auto again = loaded.predict(data.x).outputs;
  const bool same = std::ranges::equal(again.entries(), proba.entries());
  std::filesystem::current_path(folder.parent_path());
  std::filesystem::remove_all(folder);
  return model.report.converged() && zeros > 0 && same ? 0 : 1;
}
