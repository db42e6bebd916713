// SPDX-License-Identifier: Apache-2.0
// Ragged batches: example i has its own Ω and the entries offsets[i] to offsets[i + 1] of one flat array. The
// package turns lists of arrays into this form and back.
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/losses/ragged.hpp"
#include "fenchel/regularizers/squared.hpp"
#include "ragged_examples.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;
using Omegas = std::vector<AnyRegularizer>;

// What a warning names: the examples of a batch have the same kind of Ω.
AnyRegularizer first_of(const Omegas& omegas) {
  return omegas.empty() ? AnyRegularizer(Squared{}) : omegas.front();
}
using Costs = std::vector<Cost>;

// With a cost for each, or without any.
std::vector<FenchelYoungLoss> losses_of(const Omegas& omegas, const Costs& costs = {}) {
  if (costs.empty()) return {omegas.begin(), omegas.end()};
  check_size("costs", costs.size(), omegas.size());
  std::vector<FenchelYoungLoss> losses;
  losses.reserve(omegas.size());
  for (std::size_t i = 0; i < omegas.size(); ++i) losses.emplace_back(omegas[i], costs[i]);
  return losses;
}

template <class T>
void check_as_many(const char* name, const Array<T>& array, const Array<T>& values) {
  if (array.ndim() == 1 && array.size() == values.size()) return;
  throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.size()) +
                              " entries; expected " + std::to_string(values.size()) + " as theta has");
}

template <class T>
Result<T> ragged_predict(const Omegas& omegas, const Array<T>& values, const Offsets& offsets, int threads) {
  const auto ends = offsets_of(values, offsets);
  const auto result = new_array<T>({values.size()});
  computed(first_of(omegas), [&] {
    return batch::predict(losses_of(omegas), RaggedView<const T>(values.data(), ends),
                          RaggedView<T>(result.data(), ends), {.threads = threads});
  });
  return result;
}

template <class T>
Result<double> ragged_conjugate(const Omegas& omegas, const Array<T>& values, const Offsets& offsets,
                                int threads) {
  const auto ends = offsets_of(values, offsets);
  const auto result = new_array<double>({ends.size() - 1});
  computed(first_of(omegas), [&] {
    return batch::conjugate(losses_of(omegas), RaggedView<const T>(values.data(), ends),
                            {result.data(), result.size()}, {.threads = threads});
  });
  return result;
}

template <class T>
Result<double> ragged_loss(const Omegas& omegas, const Array<T>& values, const Array<T>& y,
                           const Offsets& offsets, int threads, const Costs& costs) {
  const auto ends = offsets_of(values, offsets);
  check_as_many("y", y, values);
  const auto result = new_array<double>({ends.size() - 1});
  computed(first_of(omegas), [&] {
    return batch::loss(losses_of(omegas, costs), RaggedView<const T>(values.data(), ends),
                       RaggedView<const T>(y.data(), ends), {result.data(), result.size()},
                       {.threads = threads})
        .report;
  });
  return result;
}

template <class T>
nb::tuple ragged_loss_and_gradient(const Omegas& omegas, const Array<T>& values, const Array<T>& y,
                                   const Offsets& offsets, int threads, const Costs& costs) {
  const auto ends = offsets_of(values, offsets);
  check_as_many("y", y, values);
  const auto losses = new_array<double>({ends.size() - 1});
  const auto gradient = new_array<T>({values.size()});
  computed(first_of(omegas), [&] {
    return batch::loss_and_gradient(losses_of(omegas, costs), RaggedView<const T>(values.data(), ends),
                                    RaggedView<const T>(y.data(), ends), {losses.data(), losses.size()},
                                    RaggedView<T>(gradient.data(), ends), {.threads = threads})
        .report;
  });
  return nb::make_tuple(losses, gradient);
}

template <class T>
Result<T> ragged_jvp(const Omegas& omegas, const Array<T>& values, const Array<T>& v, const Offsets& offsets,
                     int threads) {
  const auto ends = offsets_of(values, offsets);
  check_as_many("v", v, values);
  const auto result = new_array<T>({values.size()});
  computed(first_of(omegas), [&] {
    return batch::jvp(losses_of(omegas), RaggedView<const T>(values.data(), ends),
                      RaggedView<const T>(v.data(), ends), RaggedView<T>(result.data(), ends),
                      {.threads = threads});
  });
  return result;
}

template <class T>
void bind_examples(nb::module_& module) {
  module.def("ragged_predict", &ragged_predict<T>, "omegas"_a, "values"_a.noconvert(),
             "offsets"_a.noconvert(), "n_threads"_a = 1);
  module.def("ragged_conjugate", &ragged_conjugate<T>, "omegas"_a, "values"_a.noconvert(),
             "offsets"_a.noconvert(), "n_threads"_a = 1);
  module.def("ragged_loss", &ragged_loss<T>, "omegas"_a, "values"_a.noconvert(), "y"_a.noconvert(),
             "offsets"_a.noconvert(), "n_threads"_a = 1, "costs"_a = Costs());
  module.def("ragged_loss_and_gradient", &ragged_loss_and_gradient<T>, "omegas"_a, "values"_a.noconvert(),
             "y"_a.noconvert(), "offsets"_a.noconvert(), "n_threads"_a = 1, "costs"_a = Costs());
  module.def("ragged_jvp", &ragged_jvp<T>, "omegas"_a, "values"_a.noconvert(), "v"_a.noconvert(),
             "offsets"_a.noconvert(), "n_threads"_a = 1);
}

}  // namespace

void bind_ragged(nb::module_& module) {
  bind_examples<float>(module);
  bind_examples<double>(module);
}

}  // namespace fenchel::python
