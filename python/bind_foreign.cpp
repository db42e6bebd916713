// SPDX-License-Identifier: Apache-2.0
// The function of foreign.hpp: operations by name on rows at addresses.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/matrix.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/losses/entmax.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/polytopes/soft_dtw.hpp"
#include "fenchel/polytopes/soft_rank.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "foreign.hpp"

namespace fenchel::python {
namespace foreign_rows {  // operations have the names that they have elsewhere
namespace {

constexpr std::size_t most_kept = 4096;         // texts of Ω; masses of transport make new ones without end
constexpr std::size_t worth_threads = 1 << 16;  // numbers; below, starting threads takes longer than the work

/// What a text stands for, made once.
template <class Made>
std::shared_ptr<const Made> kept(std::string_view text, Made (*make)(std::string_view)) {
  static std::mutex guard;
  static std::unordered_map<std::string, std::shared_ptr<const Made>> all;
  const std::lock_guard lock(guard);
  const std::string key(text);
  if (const auto found = all.find(key); found != all.end()) return found->second;
  auto made = std::make_shared<const Made>(make(text));
  if (all.size() >= most_kept) all.clear();
  all.emplace(key, made);
  return made;
}

FenchelYoungLoss made_loss(std::string_view text) { return {make_regularizer(std::string(text))}; }

/// The rows of a call from `first` on.
template <class T>
struct Rows {
  const ForeignCall& call;
  std::size_t first;
  std::size_t count;
  BatchOptions options;

  std::span<const T> in(int i, std::size_t width) const {
    return {static_cast<const T*>(call.in[static_cast<std::size_t>(i)]) + first * width, count * width};
  }
  std::span<T> out(int i, std::size_t width) const {
    return {static_cast<T*>(call.out[static_cast<std::size_t>(i)]) + first * width, count * width};
  }
  MatrixView<const T> matrix(int i) const { return {in(i, call.columns).data(), count, call.columns}; }
  MatrixView<T> result(int i) const { return {out(i, call.columns).data(), count, call.columns}; }
  Targets<T> targets() const {
    if (call.labels) return Targets<T>(std::span(call.labels + first, count));
    return Targets<T>(matrix(1));
  }
};

template <class T>
std::vector<double> doubles(std::span<const T> values) {
  return {values.begin(), values.end()};
}
template <class T>
void write(std::span<const double> from, std::span<T> to) {
  std::ranges::transform(from, to.begin(), [](double value) { return static_cast<T>(value); });
}

template <class T>
void predict(const Rows<T>& rows) {
  kept(rows.call.text, &made_loss)->predict(rows.matrix(0), rows.result(0), rows.options);
}

template <class T>
void jvp(const Rows<T>& rows) {
  kept(rows.call.text, &made_loss)->jvp(rows.matrix(0), rows.matrix(1), rows.result(0), rows.options);
}

template <class T>
void conjugate(const Rows<T>& rows) {
  std::vector<double> values(rows.count);
  kept(rows.call.text, &made_loss)->conjugate(rows.matrix(0), values, rows.options);
  write<T>(values, rows.out(0, 1));
}

template <class T>
void loss(const Rows<T>& rows) {
  std::vector<double> values(rows.count);
  kept(rows.call.text, &made_loss)
      ->value_and_gradient(rows.matrix(0), rows.targets(), values, rows.result(1), rows.options);
  write<T>(values, rows.out(0, 1));
}

// Ω(μ) and ∇Ω(μ) of points, which are computed in double.
template <class T, class Compute>
void for_points(const Rows<T>& rows, const Compute& compute) {
  const auto loss = kept(rows.call.text, &made_loss);
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::vector<double> mu = doubles<T>(rows.matrix(0).row(i));
    check_point("mu", std::span(mu), loss->traits().domain, -1);
    compute(*loss, std::span(mu), i);
  }
}

template <class T>
void value(const Rows<T>& rows) {
  for_points(rows, [&](const FenchelYoungLoss& loss, std::span<const double> mu, std::size_t i) {
    rows.out(0, 1)[i] = static_cast<T>(loss.regularizer(mu));
  });
}

template <class T>
void link(const Rows<T>& rows) {
  for_points(rows, [&](const FenchelYoungLoss& loss, std::span<const double> mu, std::size_t i) {
    std::vector<double> found(mu.size());
    loss.link(mu, found);
    write<T>(found, rows.result(0).row(i));
  });
}

// The α of each row is in[1].
template <class T>
void entmax(const Rows<T>& rows) {
  const std::vector<double> alphas = doubles(rows.in(1, 1));
  batch::entmax(rows.matrix(0), alphas, rows.result(0), rows.options);
}

// apply(row, other row, out) in double.
template <class T, class Apply>
void by_rows(const Rows<T>& rows, const Apply& apply) {
  std::vector<double> found(rows.call.columns);
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::vector<double> other =
        rows.call.in[1] ? doubles<T>(rows.matrix(1).row(i)) : std::vector<double>();
    apply(doubles<T>(rows.matrix(0).row(i)), other, found);
    write<T>(found, rows.result(0).row(i));
  }
}

using Numbers = std::vector<double>;

template <class T>
SoftSortOptions soft_options(const Rows<T>& rows) {
  SoftSortOptions options = SoftSortOptions::named(rows.call.text);
  options.strength = rows.call.number;
  options.descending = rows.call.whole != 0;
  return options;
}

template <class T, auto apply>
void soft(const Rows<T>& rows) {
  const SoftSortOptions options = soft_options(rows);
  by_rows(rows, [&](const Numbers& x, const Numbers&, Numbers& out) {
    apply(x, out, options, thread_workspace());
  });
}

template <class T, auto apply>
void soft_product(const Rows<T>& rows) {
  const SoftSortOptions options = soft_options(rows);
  by_rows(rows, [&](const Numbers& x, const Numbers& u, Numbers& out) {
    apply(x, u, out, options, thread_workspace());
  });
}

// The value of soft-DTW and its alignment; at γ = 0 those of dynamic time warping.
double warp(MatrixView<const double> cost, MatrixView<double> alignment, const SoftDtwOptions& options) {
  if (options.gamma != 0) return soft_dtw(cost, alignment, options);
  const WarpingPath best = dtw(cost, options.band);
  for (const auto& cell : best.path) alignment.row(cell.i)[cell.j] = 1;
  return best.value;
}

template <class T>
void soft_dtw_rows(const Rows<T>& rows) {
  const SoftDtwOptions options{.gamma = rows.call.number, .band = static_cast<std::size_t>(rows.call.whole)};
  const std::size_t n = rows.call.last;
  const std::size_t m = n == 0 ? 0 : rows.call.columns / n;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::vector<double> cost = doubles<T>(rows.matrix(0).row(i));
    Matrix<double> alignment(m, n);
    rows.out(0, 1)[i] = static_cast<T>(warp({cost.data(), m, n}, alignment.view(), options));
    write<T>(alignment.entries(), rows.result(1).row(i));
  }
}

template <class T>
struct Operation {
  void (*run)(const Rows<T>&);
  bool number_first = false;  ///< out[0] has a number for each row
  std::size_t outputs = 1;
  std::size_t inputs = 1;
  bool number_second = false;  ///< in[1] has a number for each row
};

template <class T>
const Operation<T>& operation_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Operation<T>> all = {
      {"predict", {&predict<T>}},
      {"jvp", {.run = &jvp<T>, .inputs = 2}},
      {"conjugate", {&conjugate<T>, true}},
      {"loss", {&loss<T>, true, 2, 2}},
      {"value", {&value<T>, true}},
      {"link", {&link<T>}},
      {"entmax", {.run = &entmax<T>, .inputs = 2, .number_second = true}},
      {"soft_rank", {&soft<T, &soft_rank>}},
      {"soft_rank_vjp", {.run = &soft_product<T, &soft_rank_vjp>, .inputs = 2}},
      {"soft_sort", {&soft<T, &soft_sort>}},
      {"soft_sort_vjp", {.run = &soft_product<T, &soft_sort_vjp>, .inputs = 2}},
      {"soft_sort_jvp", {.run = &soft_product<T, &soft_sort_jvp>, .inputs = 2}},
      {"soft_dtw", {&soft_dtw_rows<T>, true, 2}},
  };
  const auto found = all.find(name);
  if (found == all.end()) {
    throw std::invalid_argument("operation is '" + std::string(name) + "', which this version does not have");
  }
  return found->second;
}

// Programs can call the target by its name too, with arrays of any sizes.
template <class T>
void check_sizes(const ForeignCall& call, const Operation<T>& operation) {
  if (call.inputs != operation.inputs || call.outputs != operation.outputs) {
    throw std::invalid_argument("got " + std::to_string(call.inputs) + " arrays for " +
                                std::to_string(call.outputs) + " results; expected " +
                                std::to_string(operation.inputs) + " for " +
                                std::to_string(operation.outputs));
  }
  if (call.labels && call.operation != "loss") throw std::invalid_argument("labels are for losses");
  const auto check = [](const char* what, std::size_t size, std::size_t expected) {
    if (size != expected) {
      throw std::invalid_argument(std::string(what) + " has " + std::to_string(size) + " entries; expected " +
                                  std::to_string(expected));
    }
  };
  const std::size_t whole = call.in_sizes[0];
  if (call.inputs == 2) {
    check("the second array", call.in_sizes[1], operation.number_second || call.labels ? call.rows : whole);
  }
  check("the first result", call.out_sizes[0], operation.number_first ? call.rows : whole);
  if (call.outputs == 2) check("the second result", call.out_sizes[1], whole);
}

template <class T>
void run(const ForeignCall& call) {
  const Operation<T>& operation = operation_of<T>(call.operation);
  check_sizes(call, operation);
  if (call.rows == 0) return;
  BatchOptions options{.threads = call.rows * call.columns >= worth_threads ? 0 : 1};
  try {
    operation.run({call, 0, call.rows, options});
    return;
  } catch (const std::invalid_argument&) {
    options.threads = 1;  // a row, or several, are refused: which ones
  }
  for (std::size_t i = 0; i < call.rows; ++i) {
    const Rows<T> row{call, i, 1, options};
    try {
      operation.run(row);
    } catch (const std::invalid_argument&) {
      for (std::size_t k = 0; k < operation.outputs; ++k) {
        const bool number = k == 0 && operation.number_first;
        std::ranges::fill(row.out(static_cast<int>(k), number ? 1 : call.columns),
                          std::numeric_limits<T>::quiet_NaN());
      }
    }
  }
}

bool foreign(const ForeignCall& call, std::string& error) noexcept {
  try {
    call.single ? run<float>(call) : run<double>(call);
    return true;
  } catch (const std::exception& exception) {
    error = std::string(call.operation) + ": " + exception.what();
  } catch (...) {
    error = std::string(call.operation) + ": an unknown error";
  }
  return false;
}

constexpr ForeignFunction offered = &foreign;

}  // namespace
}  // namespace foreign_rows

void bind_foreign(nb::module_& module) {
  module.attr("_foreign") = nb::capsule(&foreign_rows::offered, foreign_capsule);
}

}  // namespace fenchel::python
