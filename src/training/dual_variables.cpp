// SPDX-License-Identifier: Apache-2.0
#include "training/dual_variables.hpp"

#include <algorithm>
#include <stdexcept>

namespace fenchel {

DualVariables::DualVariables(std::size_t rows, std::size_t width, bool dense)
    : dense_(dense), dense_rows_(dense ? rows : 0), width_(width) {
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

void DualVariables::save(State& state, const std::string& name) const {
  if (dense_) {
    state.set(name, values_);
    return;
  }
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> indices;
  std::vector<double> values;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    visit(i, [&](std::size_t k, double value) {
      indices.push_back(static_cast<std::int64_t>(k));
      values.push_back(value);
    });
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  state.set(name, std::move(values));
  state.set(name + ".indices", std::move(indices));
  state.set(name + ".offsets", std::move(offsets));
}

void DualVariables::restore(const State& state, const std::string& name) {
  if (dense_) {
    state.read(name, std::span(values_));
    return;
  }
  const auto& values = state.array<double>(name);
  const auto& indices = state.array<std::int64_t>(name + ".indices");
  const auto& offsets = state.array<std::int64_t>(name + ".offsets");
  const bool fits = offsets.size() == slots_.size() + 1 && offsets.front() == 0 &&
                    std::ranges::is_sorted(offsets) && indices.size() == values.size() &&
                    offsets.back() == static_cast<std::int64_t>(values.size());
  if (!fits) throw std::invalid_argument("'" + name + "' of the saved state does not fit the examples");
  values_ = values;
  indices_.assign(indices.size(), 0);
  std::ranges::transform(indices, indices_.begin(),
                         [](std::int64_t index) { return static_cast<std::int32_t>(index); });
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto size = static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]);
    slots_[i] = {static_cast<std::size_t>(offsets[i]), size, size};
  }
  abandoned_ = 0;
}

}  // namespace fenchel
