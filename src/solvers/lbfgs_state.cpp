// SPDX-License-Identifier: Apache-2.0
// What an L-BFGS needs to go on where it stopped.
#include <algorithm>
#include <utility>
#include <vector>

#include "fenchel/solvers/lbfgs.hpp"

namespace fenchel {

std::array<double, 22> LbfgsMachine::numbers() const {
  const auto number = [](auto value) { return static_cast<double>(value); };
  return {value_,
          slope_,
          last_.step,
          lower_.step,
          lower_.value,
          lower_.slope,
          upper_.step,
          upper_.value,
          upper_.slope,
          residual_,
          number(next_),
          number(count_),
          number(fresh_),
          number(bracketed_),
          number(started_),
          number(done_),
          number(settling_),
          number(trials_),
          number(iterations_),
          number(static_cast<int>(status_)),
          number(idle_),
          lowest_residual_};
}

State LbfgsMachine::save() const {
  State state;
  const auto put = [&](const char* name, std::span<const double> values) { state.set<double>(name, values); };
  const auto all = numbers();
  put("numbers", all);
  put("point", x_);
  put("gradient", gradient_);
  put("trial", trial_);
  put("direction", direction_);
  const std::size_t used = std::min(next_, memory_);  // slots are filled in order
  put("steps", steps_.first(used * d_));
  put("changes", changes_.first(used * d_));
  // What no pair has written yet is not a number anybody knows.
  const auto known = [&](std::size_t a, std::size_t b) {
    if (blocks_ <= 1) return a != b && a < 2 * memory_ && b < 2 * memory_ && a % memory_ == b % memory_;
    return a < 2 * memory_ || b < 2 * memory_;
  };
  const auto written = [&](std::size_t a) { return a == 2 * memory_ || a % memory_ < used; };
  std::vector<double> products;
  for (std::size_t a = 0; a <= 2 * memory_; ++a) {
    for (std::size_t b = 0; b <= 2 * memory_; ++b) {
      products.push_back(written(a) && written(b) && known(a, b) ? gram(a, b) : 0);
    }
  }
  state.set("products", std::move(products));
  return state;
}

void LbfgsMachine::restore(const State& state) {
  auto all = numbers();
  state.read<double>("numbers", all);
  state.read<double>("point", x_);
  state.read<double>("gradient", gradient_);
  state.read<double>("trial", trial_);
  state.read<double>("direction", direction_);
  state.read<double>("products", gram_);
  value_ = all[0];
  slope_ = all[1];
  last_ = {all[2], 0, 0};
  lower_ = {all[3], all[4], all[5]};
  upper_ = {all[6], all[7], all[8]};
  residual_ = all[9];
  next_ = static_cast<std::size_t>(all[10]);
  count_ = static_cast<std::size_t>(all[11]);
  fresh_ = all[12] != 0;
  bracketed_ = all[13] != 0;
  started_ = all[14] != 0;
  done_ = all[15] != 0;
  settling_ = all[16] != 0;
  trials_ = static_cast<int>(all[17]);
  iterations_ = static_cast<int>(all[18]);
  status_ = static_cast<Status>(static_cast<int>(all[19]));
  idle_ = static_cast<int>(all[20]);
  lowest_residual_ = all[21];
  const std::size_t used = std::min(next_, memory_);
  state.read<double>("steps", steps_.first(used * d_));
  state.read<double>("changes", changes_.first(used * d_));
}

}  // namespace fenchel
