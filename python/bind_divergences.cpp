// SPDX-License-Identifier: Apache-2.0
// Bregman divergences, risks and proper losses (paper §3.2, §3.3, §4.2, §10.1), and binary margin losses
// (§4.4), of every row. The package gives arrays of one number of rows.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "fenchel/losses/binary.hpp"
#include "fenchel/losses/divergences.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

// One number for each of `count` rows; errors say which row it was.
template <class Body>
Result<double> of_rows(std::size_t count, const Body& body) {
  const auto result = new_array<double>({count});
  const GilRelease release;
  for (std::size_t i = 0; i < count; ++i) {
    named("row", i, count, [&](std::size_t row) { result.data()[row] = body(row); });
  }
  return result;
}

Result<double> bregman_rows(const AnyRegularizer& omega, const Array<double>& y, const Array<double>& mu) {
  const auto truth = rows_of("y", y), points = rows_of("mu", mu);
  return of_rows(truth.rows(), [&](std::size_t i) {
    omega.check_point("y", truth.row(i));
    omega.check_point("mu", points.row(i));
    return bregman_divergence(omega, truth.row(i), points.row(i));
  });
}

Result<double> kullback_leibler_rows(const Array<double>& y, const Array<double>& mu) {
  const auto truth = rows_of("y", y), points = rows_of("mu", mu);
  return of_rows(truth.rows(), [&](std::size_t i) { return kullback_leibler(truth.row(i), points.row(i)); });
}

Result<double> proper_loss_rows(const AnyRegularizer& omega, const Array<double>& p, const Array<double>& y) {
  const auto points = rows_of("p", p), truth = rows_of("y", y);
  return of_rows(points.rows(), [&](std::size_t i) {
    omega.check_point("p", points.row(i));
    omega.check_point("y", truth.row(i));
    return proper_loss(omega, points.row(i), truth.row(i));
  });
}

Result<double> brier_rows(const Array<double>& p, const Array<std::int64_t>& labels) {
  const auto points = rows_of("p", p);
  return of_rows(points.rows(), [&](std::size_t i) {
    const std::int64_t label = labels.data()[i];
    if (label < 0 || static_cast<std::size_t>(label) >= points.cols()) {
      throw std::invalid_argument("y is " + std::to_string(label) + "; expected a label from 0 to " +
                                  std::to_string(points.cols() - 1));
    }
    return brier_score(points.row(i), static_cast<std::size_t>(label));
  });
}

Result<double> expected_rows(const AnyRegularizer& omega, const Array<double>& theta,
                             const Array<double>& outcomes, const Array<double>& p) {
  const auto scores = rows_of("theta", theta), values = rows_of("outcomes", outcomes),
             shares = rows_of("p", p);
  return of_rows(scores.rows(),
                 [&](std::size_t i) { return expected_loss(omega, scores.row(i), values, shares.row(i)); });
}

Result<double> information_rows(const AnyRegularizer& omega, const Array<double>& outcomes,
                                const Array<double>& p) {
  const auto values = rows_of("outcomes", outcomes), shares = rows_of("p", p);
  for (std::size_t k = 0; k < values.rows(); ++k) omega.check_point("outcomes", values.row(k));
  return of_rows(shares.rows(),
                 [&](std::size_t i) { return bregman_information(omega, values, shares.row(i)); });
}

Result<double> regret_rows(const AnyRegularizer& omega, const Array<double>& theta,
                           const Array<double>& outcomes, const Array<double>& p) {
  const auto scores = rows_of("theta", theta), values = rows_of("outcomes", outcomes),
             shares = rows_of("p", p);
  return of_rows(scores.rows(),
                 [&](std::size_t i) { return regret(omega, scores.row(i), values, shares.row(i)); });
}

// Values and derivatives of φ*(−ys).
template <class Loss>
nb::tuple margin_losses(const Loss& loss, const Array<double>& s, const Array<std::int64_t>& y) {
  const auto derivatives = new_array<double>({s.size()});
  const auto values = of_rows(s.size(), [&](std::size_t i) {
    const binary::Sample sample = loss(s.data()[i], static_cast<int>(y.data()[i]));
    derivatives.data()[i] = sample.derivative;
    return sample.value;
  });
  return nb::make_tuple(values, derivatives);
}

nb::tuple named_margin_losses(const std::string& name, const Array<double>& s, const Array<std::int64_t>& y) {
  for (const auto& [known, loss] : binary::named_losses()) {
    if (name == known) return margin_losses(loss, s, y);
  }
  throw std::invalid_argument("'" + name + "' is not a binary loss");
}

nb::tuple margin_losses_of(const AnyRegularizer& omega, const Array<double>& s,
                           const Array<std::int64_t>& y) {
  return margin_losses([&](double score, int label) { return binary::margin_loss(omega, score, label); }, s,
                       y);
}

}  // namespace

void bind_divergences(nb::module_& module) {
  module.def("bregman_divergence", &bregman_rows, "omega"_a, "y"_a, "mu"_a);
  module.def("kullback_leibler", &kullback_leibler_rows, "y"_a, "mu"_a);
  module.def("proper_loss", &proper_loss_rows, "omega"_a, "p"_a, "y"_a);
  module.def("brier_score", &brier_rows, "p"_a, "labels"_a);
  module.def("expected_loss", &expected_rows, "omega"_a, "theta"_a, "outcomes"_a, "p"_a);
  module.def("bregman_information", &information_rows, "omega"_a, "outcomes"_a, "p"_a);
  module.def("regret", &regret_rows, "omega"_a, "theta"_a, "outcomes"_a, "p"_a);
  module.def("binary_loss", &named_margin_losses, "name"_a, "s"_a, "y"_a);
  module.def("binary_loss_of", &margin_losses_of, "omega"_a, "s"_a, "y"_a);
  nb::list names;
  for (const auto& [name, loss] : binary::named_losses()) names.append(std::string(name));
  module.attr("binary_losses") = nb::tuple(names);
}

}  // namespace fenchel::python
