// SPDX-License-Identifier: Apache-2.0
// Names with parameters, in both notations: what a spec means comes back through JSON; regularizers, sets,
// solvers, kernels and grids of tuning are made from it, and small ones are asked for a prediction.
#include "fenchel/core/spec.hpp"
#include "fenchel/models/kernel_function.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "fenchel/training/solver.hpp"
#include "fenchel/training/tune.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {
namespace {

constexpr std::size_t small = 40;  // entries of a vector that is asked about; structures may take its cube

void parse(Bytes input) {
  const std::string json = to_json(parse_spec(text_of(input)));
  require(to_json(parse_spec(json)) == json, "a spec comes back through JSON");
}

void regularizer(Bytes input) {
  const AnyRegularizer omega = make_regularizer(text_of(input));
  const std::string json = to_json(omega.spec());
  require(to_json(make_regularizer(json).spec()) == json, "a regularizer comes back through JSON");
  const std::size_t size = omega.dimension().value_or(3);
  if (size > small) return;
  const std::vector<double> theta(size, 0.5);
  std::vector<double> out(size);
  Workspace scratch;
  omega.predict(theta, out, scratch);
}

void polytope(Bytes input) {
  const AnyPolytope set = make_polytope(text_of(input));
  const std::string json = to_json(set.spec());
  require(to_json(make_polytope(json).spec()) == json, "a polytope comes back through JSON");
  if (set.dimension() > small) return;
  std::vector<double> theta(set.dimension(), 0.5), out(theta.size());
  Workspace scratch;
  set.project(theta, out, scratch);
}

void solver(Bytes input) {
  const AnySolver made(text_of(input));
  if (made.automatic()) return;
  const std::string json = to_json(made.spec());
  require(to_json(AnySolver(json).spec()) == json, "a solver comes back through JSON");
}

void kernel(Bytes input) {
  const std::string json = to_json(make_kernel(text_of(input)).spec());
  require(to_json(make_kernel(json).spec()) == json, "a kernel comes back through JSON");
}

void loss(Bytes input) {
  for (const Task task : all_tasks) {
    try {
      resolve_loss(text_of(input), task, 3);
    } catch (const std::invalid_argument&) {
    }
  }
}

void grid(Bytes input) { parse_axis(text_of(input)); }

}  // namespace

const Registration spec{{.name = "spec", .run = parse}};
const Registration regularizers{{.name = "regularizer", .run = regularizer}};
const Registration polytopes{{.name = "polytope", .run = polytope}};
const Registration solvers{{.name = "solver", .run = solver}};
const Registration kernels{{.name = "kernel", .run = kernel}};
const Registration losses{{.name = "loss", .run = loss}};
const Registration grids{{.name = "grid", .run = grid}};

}  // namespace fenchel::fuzz
