// SPDX-License-Identifier: Apache-2.0
// The first hour: a CSV file in, a model of any kind, its file, predictions by name, and how good they are.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "fenchel/fenchel.hpp"

namespace {

// Leaves of three kinds of trees, with a header; the kind is the last column.
void write_leaves(const std::filesystem::path& path, int first, int count) {
  std::ofstream file(path);
  file << "length,width,kind\n";
  const char* const kinds[] = {"birch", "oak", "willow"};
  for (int i = first; i < first + count; ++i) {
    const int kind = i % 3;
    const double length = 4 + 3 * kind + std::sin(1.7 * i), width = 4 - 1.2 * kind + std::cos(2.3 * i);
    file << length << ',' << width << ',' << kinds[kind] << '\n';
  }
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "fenchel_example_first_model";
  std::filesystem::create_directories(folder);
  write_leaves(folder / "train.csv", 0, 150);
  write_leaves(folder / "test.csv", 150, 60);

  // Any format, any loss, any kind of model, by the names that the tool has for them.
  const fenchel::Dataset train = fenchel::read_dataset(folder / "train.csv").data;
  const fenchel::Fitted fitted = fenchel::fit(train, {.omega = "sparsemax", .lambda = 0.01});
  fenchel::save(fitted.model, folder / "leaves.safetensors");

  const fenchel::AnyModel model = fenchel::load(folder / "leaves.safetensors");
  const fenchel::Dataset test = fenchel::read_for(model, folder / "test.csv").data;
  const fenchel::Predictions found = fenchel::predict(model, test);
  for (std::size_t i = 0; i < 3; ++i) {
    std::printf("row %zu: %s, with probability %.2f\n", i, std::string(found.label(i)).c_str(),
                found.outputs(i, static_cast<std::size_t>(found.labels[i].front())));
  }

  double accuracy = 0;
  for (const auto& [name, value] : fenchel::evaluate(model, test).metrics) {
    std::printf("%s %.4g\n", std::string(name).c_str(), value);
    if (name == "accuracy") accuracy = value;
  }
  std::filesystem::remove_all(folder);
  return found.rows() == 60 && accuracy > 0.9 ? 0 : 1;
}
