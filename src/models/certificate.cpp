// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/certificate.hpp"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/sparse_tensors.hpp"

namespace fenchel {
namespace {

using Json = nlohmann::json;

constexpr const char* key = "certificate";
constexpr const char* tensor = "certificate.mu";

[[noreturn]] void reject_certificate(const std::string& problem) {
  throw std::invalid_argument(fmt::format("the certificate {}", problem));
}

const Json& entry(const Json& facts, const char* name) {
  const auto found = facts.find(name);
  if (found == facts.end()) reject_certificate(fmt::format("has no '{}'", name));
  return *found;
}

void read(const Json& facts, const char* name, std::string& value) {
  const Json& found = entry(facts, name);
  if (!found.is_string()) reject_certificate(fmt::format("has no text called '{}'", name));
  value = found.get<std::string>();
}

void read(const Json& facts, const char* name, double& value) {
  const Json& found = entry(facts, name);
  if (!found.is_number() || !std::isfinite(found.get<double>())) {
    reject_certificate(fmt::format("has no number called '{}'", name));
  }
  value = found.get<double>();
}

// Calls visit(name, member) for all that is text or a number.
template <class Certificate, class Visit>
void visit_facts(Certificate& certificate, Visit visit) {
  visit("data", certificate.data);
  visit("solver", certificate.solver);
  visit("penalty", certificate.penalty);
  visit("lambda", certificate.lambda);
  visit("rho", certificate.rho);
  visit("intercept", certificate.intercept);
  visit("class_weight", certificate.class_weight);
  visit("tolerance", certificate.tolerance);
  visit("primal", certificate.primal);
  visit("dual", certificate.dual);
}

}  // namespace

void add_certificate(TensorFile& file, const Certificate& certificate) {
  Json facts;
  visit_facts(certificate, [&](const char* name, const auto& value) { facts[name] = value; });
  facts["outputs"] = certificate.mu.cols;
  file.metadata[key] = facts.dump(-1, ' ', false, Json::error_handler_t::replace);
  add_sparse(file, tensor, certificate.mu);
}

std::shared_ptr<const Certificate> read_certificate(const TensorFile& file) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) return nullptr;
  const Json facts = Json::parse(found->second, nullptr, false);
  if (!facts.is_object()) reject_certificate("is not a JSON object");
  auto certificate = std::make_shared<Certificate>();
  visit_facts(*certificate, [&](const char* name, auto& value) { read(facts, name, value); });
  const Json& outputs = entry(facts, "outputs");
  if (!outputs.is_number_unsigned()) reject_certificate("has no whole number called 'outputs'");
  certificate->mu = read_sparse(file, tensor, outputs.get<std::size_t>());
  for (const double value : certificate->mu.values) {
    if (!std::isfinite(value)) reject_certificate(fmt::format("has {} among its dual variables", value));
  }
  return certificate;
}

}  // namespace fenchel
