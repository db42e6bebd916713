// SPDX-License-Identifier: Apache-2.0
#include "fenchel/solvers/generator.hpp"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/solvers/root.hpp"

namespace fenchel {

void TsallisGenerator::check() const {
  // φ' has the terms 1/α and t^{α−1}: beyond these orders scores drown in one, or the other leaves the range.
  constexpr double least = 1e-6, most = 1000;
  if (alpha >= least && alpha <= most) return;
  throw std::invalid_argument(
      fmt::format("alpha is {}; expected a number from {} to {} (the limit at 0 is the generator burg)",
                  alpha, least, most));
}
double TsallisGenerator::value(double t) const { return t > 0 ? t * power_ratio(t, alpha - 1) / alpha : 0; }
// (α t^{α−1} − 1)/(α(α − 1)), without a difference of large numbers near α = 1.
double TsallisGenerator::slope(double t) const { return power_ratio(t, alpha - 1) + 1 / alpha; }
double TsallisGenerator::inverse(double s) const { return power_ratio_inverse(s - 1 / alpha, alpha - 1); }
double TsallisGenerator::curvature(double t) const { return std::pow(t, alpha - 2); }

std::optional<PowerGenerator> TsallisGenerator::centred() const {
  constexpr double least = 2;
  return alpha >= least ? std::optional(PowerGenerator{alpha}) : std::nullopt;
}

double PowerGenerator::value(double t) const { return std::pow(t, alpha) / (alpha * (alpha - 1)); }
double PowerGenerator::slope(double t) const { return std::pow(t, alpha - 1) / (alpha - 1); }
double PowerGenerator::inverse(double s) const { return std::pow((alpha - 1) * s, 1 / (alpha - 1)); }

double FermiDiracGenerator::value(double t) const {
  return xlogx(t) + (t < 1 ? (1 - t) * std::log1p(-t) : 0);
}
double FermiDiracGenerator::slope(double t) const { return std::log(t) - std::log1p(-t); }
double FermiDiracGenerator::inverse(double s) const { return logistic(s); }
double FermiDiracGenerator::curvature(double t) const { return 1 / (t * (1 - t)); }

double BurgGenerator::value(double t) const { return -std::log(t); }
double BurgGenerator::slope(double t) const { return -1 / t; }
double BurgGenerator::inverse(double s) const { return -1 / s; }
double BurgGenerator::curvature(double t) const { return 1 / (t * t); }

namespace {

// ½t² + τφ(t).
struct Ridged {
  Generator phi;
  double tau;

  static constexpr std::string_view name = "ridged";
  double lower() const { return phi.lower(); }
  double upper() const { return phi.upper(); }
  double value(double t) const { return 0.5 * t * t + tau * phi.value(t); }
  double slope(double t) const { return t + tau * phi.slope(t); }
  double curvature(double t) const { return 1 + tau / phi.mobility(t); }
  std::optional<double> least_curvature(double low, double high) const {
    const auto least = phi.least_curvature(low, high);
    return least ? std::optional(1 + tau * *least) : std::nullopt;
  }

  // A point inside the interval.
  double inside() const {
    if (std::isfinite(lower()) && std::isfinite(upper())) return 0.5 * (lower() + upper());
    return std::isfinite(lower()) ? lower() + 1 : std::isfinite(upper()) ? upper() - 1 : 0;
  }

  // t + τφ'(t) = s: as φ' rises, t lies between any point r and s − τφ'(r).
  double inverse(double s) const {
    const double here = inside();
    const double there = std::clamp(s - tau * phi.slope(here), lower(), upper());
    const auto excess = [&](double t) {
      return RootSample{s - slope(t), t > lower() && t < upper() ? -curvature(t) : -infinity};
    };
    return find_root(excess, std::min(here, there), std::max(here, there)).x;
  }
};

}  // namespace

Generator::Generator(std::shared_ptr<const Interface> model)
    : model_(std::move(model)),
      centred_(model_->centred()),
      lower_(model_->lower()),
      upper_(model_->upper()),
      lowest_(model_->slope(lower_)),
      highest_(model_->slope(upper_)) {}

bool Generator::covers(double low, double high) const {
  return low >= lower_ && high <= upper_ && std::isfinite(value(low)) && std::isfinite(value(high));
}

Generator Generator::within(double low, double high) const {
  Generator part = *this;
  part.lower_ = std::max(lower_, low);
  part.upper_ = std::min(upper_, high);
  part.lowest_ = slope(part.lower_);
  part.highest_ = slope(part.upper_);
  return part;
}

Generator Generator::centred() const {
  if (!centred_) return *this;
  Generator other = *this;
  other.model_ = centred_;
  other.lowest_ = centred_->slope(lower_);
  other.highest_ = centred_->slope(upper_);
  return other;
}

void check_covers(const Generator& phi, std::string_view what, double low, double high) {
  if (phi.covers(low, high)) return;
  std::string where = "not finite there";
  if (low < phi.lower() || high > phi.upper() || !std::isfinite(phi.value(phi.lower()))) {
    where = phi.upper() < infinity ? fmt::format("finite on [{}, {}] only", phi.lower(), phi.upper())
                                   : fmt::format("finite above {} only", phi.lower());
  }
  throw std::invalid_argument(
      fmt::format("{} have entries from {} to {}; {} is {}", what, low, high, phi.name(), where));
}

Generator Generator::with_ridge(double tau) const { return Ridged{*this, tau}; }

std::vector<std::string_view> generator_names() {
  return {TsallisGenerator::name, FermiDiracGenerator::name, BurgGenerator::name};
}

Generator make_generator(std::string_view name, double alpha) {
  if (name == TsallisGenerator::name) return TsallisGenerator{alpha};
  if (name == FermiDiracGenerator::name) return FermiDiracGenerator{};
  if (name == BurgGenerator::name) return BurgGenerator{};
  throw std::invalid_argument(fmt::format("generator is '{}'; expected tsallis, fermi_dirac or burg{}", name,
                                          spec::suggestion(name, generator_names())));
}

Generator make_generator(std::string_view text) {
  const Spec spec = parse_spec(text, "generator");
  TsallisGenerator tsallis;
  for (const auto& [key, value] : spec.parameters) {
    const std::vector<std::string_view> known{"alpha"};
    if (key != known.front() || spec.name != TsallisGenerator::name) {
      spec::reject_key(spec.name, key, known);
    }
    spec::assign(key, value, tsallis.alpha);
  }
  return make_generator(spec.name, tsallis.alpha);
}

}  // namespace fenchel
