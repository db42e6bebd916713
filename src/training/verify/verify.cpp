// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/verify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"
#include "training/verify/plain_models.hpp"

namespace fenchel {
namespace {

// Values found again on another machine differ in the last digits of exp and log.
constexpr double claim_tolerance = 1e-9;
// A model is not verified at a larger relative gap than this, unless somebody other than its file asks for
// it.
constexpr double largest_claimed_tolerance = 1e-2;

double scale_of(double primal) { return std::max(std::abs(primal), std::numeric_limits<double>::min()); }

// Features, targets and weights as a data set, whose fingerprint tells them from others.
std::string fingerprint_of(const VerificationData& data) {
  Dataset examples;
  examples.x = data.x;
  examples.labels.names = data.targets.classes;
  examples.labels.indices = data.targets.labels;
  examples.values = data.targets.rows;
  examples.weights.assign(data.weights.begin(), data.weights.end());
  return fingerprint(examples);
}

std::vector<double> weights_of(const Certificate& certificate, const VerificationData& data) {
  if (!certificate.class_weight.empty()) {
    return sample_weights(data.targets, class_weights(data.targets, certificate.class_weight, data.weights),
                          data.weights);
  }
  if (data.weights.empty()) return std::vector<double>(data.targets.examples(), 1.0);
  return {data.weights.begin(), data.weights.end()};
}

// Whether rows, columns and classes are as many as the certificate and the model say; without that nothing
// can be computed.
bool fits(const ModelHead& head, std::size_t features, const VerificationData& data,
          std::vector<std::string>& problems) {
  const CsrMatrix<double>& mu = head.certificate->mu;
  const auto compare = [&](std::string_view what, std::size_t of_data, std::size_t expected) {
    if (of_data == expected) return;
    problems.push_back(
        fmt::format("the data have {} {}; the model was trained on {}", of_data, what, expected));
  };
  compare("examples", data.targets.examples(), mu.rows());
  compare("rows", data.x.rows(), mu.rows());
  compare("features", data.x.cols(), features);
  compare("outputs", data.targets.outputs, mu.cols);
  if (data.targets.unseen_rows > 0) {
    problems.push_back(
        fmt::format("{} rows have classes that the model does not know", data.targets.unseen_rows));
  }
  return problems.empty();
}

// What the model says about its training elsewhere must be what the certificate is about.
void compare_provenance(const ModelHead& head, std::vector<std::string>& problems) {
  const Certificate& certificate = *head.certificate;
  const auto compare = [&](const char* name, const std::string& value) {
    const auto noted = head.provenance.find(name);
    if (noted == head.provenance.end() || noted->second == value) return;
    problems.push_back(fmt::format("the model says {} {}; its certificate is about {} {}", name,
                                   noted->second, name, value));
  };
  compare("penalty", certificate.penalty);
  compare("lambda", fmt::format("{}", certificate.lambda));
  compare("rho", fmt::format("{}", certificate.rho));
  compare("intercept", certificate.intercept);
  compare("class_weight", certificate.class_weight);
}

void compare_claims(const Certificate& certificate, const Verification& found,
                    std::vector<std::string>& problems) {
  const auto compare = [&](const char* name, double claimed, double value) {
    if (std::abs(claimed - value) <= claim_tolerance * scale_of(found.primal)) return;
    problems.push_back(
        fmt::format("the certificate says {} {:.12g}; from the data it is {:.12g}", name, claimed, value));
  };
  compare("primal", certificate.primal, found.primal);
  compare("dual", certificate.dual, found.dual);
}

void judge(Verification& found) {
  const double scale = scale_of(found.primal);
  found.gap = found.primal - found.dual;
  // Rounding: no objective lies below a lower bound.
  if (found.gap < 0 && found.gap >= -claim_tolerance * scale) found.gap = 0;
  found.relative = found.gap / scale;
  if (!std::isfinite(found.gap)) {
    found.problems.push_back(
        fmt::format("primal {} and dual {} are not numbers to compare", found.primal, found.dual));
  } else if (found.gap < 0) {
    found.problems.push_back(fmt::format("the dual value {} lies above the objective {}, which cannot be",
                                         found.dual, found.primal));
  } else if (!(found.relative <= found.tolerance)) {
    found.problems.push_back(fmt::format("the relative gap {:.3g} is above the tolerance {:.3g}",
                                         found.relative, found.tolerance));
  }
}

template <class RowModel>
void verify_rows(const RowModel& model, const VerificationData& data, Verification& result) {
  const Certificate& certificate = *model.certificate;
  plain::Examples examples =
      plain::make_examples(data.targets, {}, model.loss.omega().spec(), model.loss_name);
  if (!fits(model, model.features(), data, result.problems)) return;
  examples.weights = weights_of(certificate, data);
  try {
    plain::check_scaling(model.scaler, data.x, examples.weights);
    const auto plain = plain::plain_model(model, data.x, certificate);
    const plain::Bounds bounds =
        plain::bounds_of(examples, *plain, certificate.mu, certificate.intercept == "free");
    result.primal = bounds.primal;
    result.dual = bounds.dual;
    result.imbalance = bounds.imbalance;
    judge(result);
  } catch (const std::invalid_argument& error) {
    result.problems.emplace_back(error.what());
  }
}

void check_intercept(const LinearModel& model, std::vector<std::string>& problems) {
  const std::string& kind = model.certificate->intercept;
  if (kind != "free" && kind != "penalised" && kind != "none") {
    problems.push_back(fmt::format("the certificate has the unknown intercept '{}'", kind.substr(0, 80)));
  } else if (kind == "none" && !model.intercept.empty()) {
    problems.emplace_back("the model has an intercept; its certificate is about a model without");
  }
}

// Everything but what the certificate claims about primal and dual.
Verification verify_values(const AnyModel& model, const VerificationData& data,
                           std::optional<double> tolerance) {
  const ModelHead& head = head_of(model);
  const Certificate& certificate = *head.certificate;
  Verification result;
  // The file may say anything about its own tolerance.
  result.tolerance = tolerance.value_or(std::min(certificate.tolerance, largest_claimed_tolerance));
  result.radius = std::numeric_limits<double>::infinity();
  check_at_least("tolerance", result.tolerance, 0);
  result.primal = result.dual = result.gap = result.relative = std::numeric_limits<double>::quiet_NaN();
  if (const auto* linear = std::get_if<LinearModel>(&model)) {
    check_intercept(*linear, result.problems);
    result.radius = plain::radius_of(*linear, plain::strengths_of(certificate));
    verify_rows(*linear, data, result);
  } else {
    verify_rows(std::get<KernelPredictor>(model), data, result);
  }
  return result;
}

// The rows of a data set that have a target.
template <class Use>
Verification with_targets(const AnyModel& model, const Dataset& data, Use use) {
  const ModelHead& head = head_of(model);
  const TaskTargets targets = make_targets(data, head.task, head.classes);
  if (targets.examples() == data.rows()) return use({data.x, targets, data.weights});
  const Dataset chosen = select_rows(data, targets.kept);
  return use({chosen.x, targets, chosen.weights});
}

}  // namespace

Verification verify(const AnyModel& model, const VerificationData& data, std::optional<double> tolerance) {
  const ModelHead& head = head_of(model);
  if (!head.certificate) throw OptionError("the model has no certificate; train it with `certificate`");
  Verification result = verify_values(model, data, tolerance);
  if (const std::string found = fingerprint_of(data); found != head.certificate->data) {
    result.problems.push_back(
        fmt::format("the data are not those of training: {} instead of {}", found, head.certificate->data));
  }
  compare_provenance(head, result.problems);
  if (std::isfinite(result.gap)) compare_claims(*head.certificate, result, result.problems);
  result.verified = result.problems.empty();
  return result;
}

Verification verify(const AnyModel& model, const Dataset& data, std::optional<double> tolerance) {
  return with_targets(model, data,
                      [&](const VerificationData& rows) { return verify(model, rows, tolerance); });
}

Verification certify(AnyModel& model, const Fit& fit, const VerificationData& data) {
  auto certificate = std::make_shared<Certificate>(fit.certificate_of(model));
  certificate->data = fingerprint_of(data);
  const auto attach = [&](auto& one) {
    if constexpr (requires { one.certificate; }) one.certificate = certificate;
  };
  std::visit(attach, model);
  Verification result = verify_values(model, data, {});
  if (!std::isfinite(result.gap)) {
    throw std::runtime_error(fmt::format("no certificate can be made: {}", result.problems.front()));
  }
  certificate->primal = result.primal;
  certificate->dual = result.dual;
  result.verified = result.problems.empty();
  return result;
}

Verification certify(AnyModel& model, const Fit& fit, const Dataset& data) {
  return with_targets(model, data, [&](const VerificationData& rows) { return certify(model, fit, rows); });
}

}  // namespace fenchel
