// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/dual_variables.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace fenchel {

DualVariables::DualVariables(std::size_t rows, std::size_t width, bool dense) : dense_(dense), width_(width) {
  if (dense) {
    values_.resize(rows * width);
  } else {
    slots_.resize(rows);
  }
}

DualVariables::Slot& DualVariables::reserve(std::size_t i, std::size_t size) {
  Slot& slot = slots_[i];
  if (size > slot.capacity) {
    abandoned_ += slot.capacity;
    slot.size = 0;
    slot.capacity = 0;
    if (abandoned_ > values_.size() / 2) compact();
    const std::size_t capacity = size + size / 2 + 1;  // a support that grows once grows again
    slot.first = values_.size();
    slot.capacity = static_cast<std::uint32_t>(capacity);
    values_.resize(values_.size() + capacity);
    indices_.resize(values_.size());
  }
  slot.size = static_cast<std::uint32_t>(size);
  return slot;
}

void DualVariables::compact() {
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  indices.reserve(values_.size() - abandoned_);
  values.reserve(values_.size() - abandoned_);
  for (Slot& slot : slots_) {
    const auto first = static_cast<std::ptrdiff_t>(slot.first);
    slot.first = values.size();
    indices.insert(indices.end(), indices_.begin() + first, indices_.begin() + first + slot.capacity);
    values.insert(values.end(), values_.begin() + first, values_.begin() + first + slot.capacity);
  }
  indices_ = std::move(indices);
  values_ = std::move(values);
  abandoned_ = 0;
}

void DualVariables::assign(std::size_t i, std::span<const double> row) {
  if (dense_) {
    std::ranges::copy(row, values_.begin() + static_cast<std::ptrdiff_t>(i * width_));
    return;
  }
  const auto count =
      static_cast<std::size_t>(std::ranges::count_if(row, [](double entry) { return entry != 0; }));
  std::size_t e = reserve(i, count).first;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] == 0) continue;
    indices_[e] = static_cast<std::int32_t>(k);
    values_[e++] = row[k];
  }
}

void DualVariables::assign(std::size_t i, std::span<const std::int32_t> indices,
                           std::span<const double> values) {
  const auto first = static_cast<std::ptrdiff_t>(reserve(i, values.size()).first);
  std::ranges::copy(indices, indices_.begin() + first);
  std::ranges::copy(values, values_.begin() + first);
}

void DualVariables::write(std::size_t i, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  visit(i, [&](std::size_t k, double value) { out[k] = value; });
}

void DualVariables::visit_state(StateArchive& archive) {
  if (dense_) {
    archive("values", values_);
    return;
  }
  // Rows are saved one after the other, without the room that they have to grow.
  std::vector<std::uint32_t> sizes(slots_.size());
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::size_t i = 0; !archive.reading() && i < slots_.size(); ++i) {
    sizes[i] = slots_[i].size;
    visit(i, [&](std::size_t k, double value) {
      indices.push_back(static_cast<std::int32_t>(k));
      values.push_back(value);
    });
  }
  archive("sizes", sizes);
  archive.resizable("values", values);
  archive.check("values", values.size() == std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  indices.resize(values.size());
  archive("indices", indices);
  if (!archive.reading()) return;
  const auto fits = [&](std::int32_t k) { return width_ == 0 || static_cast<std::size_t>(k) < width_; };
  archive.check("indices", std::ranges::all_of(indices, fits));
  std::size_t first = 0;
  for (std::size_t i = 0; i < slots_.size(); first += sizes[i++]) {
    const auto row = std::span(indices).subspan(first, sizes[i]);
    archive.check("indices", std::ranges::adjacent_find(row, std::ranges::greater_equal()) == row.end());
    slots_[i] = {first, sizes[i], sizes[i]};
  }
  indices_ = std::move(indices);
  values_ = std::move(values);
  abandoned_ = 0;
}

}  // namespace fenchel
