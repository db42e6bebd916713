// SPDX-License-Identifier: Apache-2.0
// Structures in the short form that people use (tags of a sequence, heads of a tree, columns of a matching,
// cells of an alignment, …) and as dense vectors. What a set of the list offers itself is used.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "fenchel/polytopes/all.hpp"
#include "ragged_examples.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;
using Labels = std::vector<int>;

// Which entries are 1: of a simplex one, of subsets k, of a cube any number.
Structure chosen(std::size_t dimension, std::span<const int> labels) {
  Structure result;
  for (const int label : labels) {
    if (label < 0 || static_cast<std::size_t>(label) >= dimension) {
      throw std::invalid_argument("an index is " + std::to_string(label) + "; expected 0 to " +
                                  std::to_string(dimension - 1));
    }
    result.indices.push_back(static_cast<std::uint32_t>(label));
  }
  std::ranges::sort(result.indices);
  const auto repeated = std::ranges::adjacent_find(result.indices);
  if (repeated != result.indices.end()) {
    throw std::invalid_argument("the index " + std::to_string(*repeated) +
                                " appears twice; expected different ones");
  }
  return result;
}

// Sets of zeros and ones that have no other short form than which entries are 1.
template <class P>
constexpr bool chooses = P::traits.binary && !P::traits.short_form.empty();

// The labels of a structure; nothing where the set has no short form.
template <class P>
std::optional<Labels> labels_of(const P& set, const Structure& y) {
  if constexpr (requires { set.tags(y); }) {
    return set.tags(y);
  } else if constexpr (requires { set.heads(y); }) {
    return set.heads(y);
  } else if constexpr (requires { set.columns(y); }) {
    return set.columns(y);
  } else if constexpr (requires { set.cells(y); }) {
    Labels result;
    for (const auto& cell : set.cells(y)) {
      result.push_back(static_cast<int>(cell.i));
      result.push_back(static_cast<int>(cell.j));
    }
    return result;
  } else if constexpr (requires { set.ranks(y); }) {
    return set.ranks(y);
  } else if constexpr (chooses<P>) {
    return Labels(y.indices.begin(), y.indices.end());
  } else {
    return std::nullopt;
  }
}

template <class P>
std::optional<Structure> structure_of(const P& set, std::span<const int> labels) {
  if constexpr (requires { set.structure(labels); }) {
    return set.structure(labels);
  } else if constexpr (chooses<P>) {
    return chosen(set.dimension(), labels);
  } else {
    return std::nullopt;
  }
}

// function(set) of the set behind an AnyPolytope, if it is one of the list.
template <class Value, class Function, class... Types>
std::optional<Value> of_list(TypeList<Types...>, const AnyPolytope& any, Function function) {
  std::optional<Value> result;
  const auto try_one = [&]<class P>(std::type_identity<P>) {
    if (const P* set = any.get_if<P>()) result = function(*set);
  };
  (try_one(std::type_identity<Types>()), ...);
  return result;
}

[[noreturn]] void no_short_form(const AnyPolytope& set) {
  throw std::invalid_argument(std::string(set.traits().name) +
                              " has no shorter form of its structures than their vectors");
}

// Errors name the structure where there are several.
template <class Body>
void for_each_structure(std::size_t count, const Body& body) {
  for (std::size_t i = 0; i < count; ++i) named("structure", i, count, body);
}

// The labels of the rows of y one after the other, and where each row's begin.
nb::tuple decode(const AnyPolytope& set, const Array<double>& y) {
  const auto rows = rows_of("y", y);
  if (rows.cols() != set.dimension()) {
    throw std::invalid_argument("y has " + std::to_string(rows.cols()) + " entries; expected " +
                                std::to_string(set.dimension()));
  }
  std::vector<Labels> labels(rows.rows());
  {
    const GilRelease release;
    for_each_structure(rows.rows(), [&](std::size_t i) {
      check_structure(set, rows.row(i));
      Structure structure;
      assign(rows.row(i), structure);
      const auto found =
          of_list<Labels>(AllPolytopes(), set, [&](const auto& one) { return labels_of(one, structure); });
      if (!found) no_short_form(set);
      labels[i] = *found;
    });
  }
  std::size_t total = 0;
  for (const Labels& row : labels) total += row.size();
  const auto flat = new_array<std::int64_t>({total});
  const auto offsets = new_array<std::int64_t>({labels.size() + 1});
  std::size_t position = 0;
  offsets.data()[0] = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::ranges::copy(labels[i], flat.data() + position);
    position += labels[i].size();
    offsets.data()[i + 1] = static_cast<std::int64_t>(position);
  }
  return nb::make_tuple(flat, offsets);
}

Result<double> encode(const AnyPolytope& set, const Array<std::int64_t>& flat, const Offsets& offsets) {
  const auto ends = offsets_of(flat, offsets);
  const std::size_t d = set.dimension();
  const auto result = new_array<double>({ends.size() - 1, d});
  const GilRelease release;
  for_each_structure(ends.size() - 1, [&](std::size_t i) {
    Labels labels;
    for (std::size_t k = ends[i]; k < ends[i + 1]; ++k) {
      labels.push_back(static_cast<int>(std::clamp<std::int64_t>(flat.data()[k], INT32_MIN, INT32_MAX)));
    }
    const auto found =
        of_list<Structure>(AllPolytopes(), set, [&](const auto& one) { return structure_of(one, labels); });
    if (!found) no_short_form(set);
    const std::span<double> y(result.data() + i * d, d);
    write(*found, y);
    check_structure(set, y);
  });
  return result;
}

}  // namespace

void bind_structures(nb::module_& module) {
  module.def("decode", &decode, "polytope"_a, "y"_a.noconvert());
  module.def("encode", &encode, "polytope"_a, "labels"_a.noconvert(), "offsets"_a.noconvert());
}

}  // namespace fenchel::python
