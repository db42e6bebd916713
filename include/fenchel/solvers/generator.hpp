// SPDX-License-Identifier: Apache-2.0
// The generator φ of a separable Bregman divergence, Φ(μ) = Σ φ(μ_j): strictly convex and differentiable
// inside an interval. Projections argmax ⟨θ, μ⟩ − Φ(μ) over a set need only the four functions below; which
// φ it is they do not know (paper §3.2, §7.2; Dessein, Papadakis and Rouas 2018, "Regularized optimal
// transport and the ROT mover's distance"; Blondel, Teboul, Berthet and Djolonga 2020).
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fenchel {

/// What a type must offer to be a generator: φ, φ', (φ')⁻¹ and φ'' on the interval [lower, upper]. φ' is ±inf
/// at an end where φ is infinitely steep, and the inverse is asked only for slopes between those at the ends.
template <class G>
concept BregmanGenerator = requires(const G& phi, double t) {
  { G::name } -> std::convertible_to<std::string_view>;
  { phi.lower() } -> std::convertible_to<double>;
  { phi.upper() } -> std::convertible_to<double>;
  { phi.value(t) } -> std::convertible_to<double>;
  { phi.slope(t) } -> std::convertible_to<double>;
  { phi.inverse(t) } -> std::convertible_to<double>;
  { phi.curvature(t) } -> std::convertible_to<double>;
};

/// φ(t) = (t^α − t)/(α(α − 1)) on t ≥ 0, α > 0. α = 1 is t log t, α = 2 is (t² − t)/2; with α > 1
/// projections have zeros.
struct TsallisGenerator {
  double alpha = 1.5;

  static constexpr std::string_view name = "tsallis";
  void check() const;
  double lower() const { return 0; }
  double upper() const { return std::numeric_limits<double>::infinity(); }
  double value(double t) const;
  double slope(double t) const;
  double inverse(double s) const;
  double curvature(double t) const;
  double order() const { return alpha; }
  /// The smallest φ'' on [low, high]: t^{α−2} is monotone.
  double least_curvature(double low, double high) const { return std::min(curvature(low), curvature(high)); }
  /// For α ≥ 2, where beside the constant in φ' the powers of small t would be lost.
  std::optional<struct PowerGenerator> centred() const;
};

/// φ(t) = t^α/(α(α − 1)) on t ≥ 0, α > 1: that of Tsallis without its linear term.
struct PowerGenerator {
  double alpha = 2;

  static constexpr std::string_view name = TsallisGenerator::name;
  double lower() const { return 0; }
  double upper() const { return std::numeric_limits<double>::infinity(); }
  double value(double t) const;
  double slope(double t) const;
  double inverse(double s) const;
  double curvature(double t) const { return TsallisGenerator{alpha}.curvature(t); }
  double order() const { return alpha; }
  double least_curvature(double low, double high) const { return std::min(curvature(low), curvature(high)); }
};

/// φ(t) = t log t + (1 − t) log(1 − t) on [0, 1], the entropy of Fermi and Dirac.
struct FermiDiracGenerator {
  static constexpr std::string_view name = "fermi_dirac";
  double lower() const { return 0; }
  double upper() const { return 1; }
  double value(double t) const;
  double slope(double t) const;
  double inverse(double s) const;
  double curvature(double t) const;
  double least_curvature(double low, double high) const { return curvature(std::clamp(0.5, low, high)); }
};

/// φ(t) = −log t on t > 0, Burg's entropy: its divergence is that of Itakura and Saito.
struct BurgGenerator {
  static constexpr std::string_view name = "burg";
  double lower() const { return 0; }
  double upper() const { return std::numeric_limits<double>::infinity(); }
  double value(double t) const;
  double slope(double t) const;
  double inverse(double s) const;
  double curvature(double t) const;
  double least_curvature(double, double high) const { return curvature(high); }
};

/// Any generator by value (copies share it; it never changes), continued to the ends of its interval: what
/// rounding puts outside counts as the end itself.
class Generator {
 public:
  /// Empty: only to be assigned to.
  Generator() = default;
  template <class G>
  requires(BregmanGenerator<G> && !std::same_as<G, Generator>)
      Generator(G phi)  // NOLINT(google-explicit-constructor): every generator is one
      : Generator(std::make_shared<const Model<G>>(std::move(phi))) {}

  bool empty() const { return !model_; }
  std::string_view name() const { return model_->name(); }
  double lower() const { return lower_; }
  double upper() const { return upper_; }
  /// φ' at the ends.
  double lowest_slope() const { return lowest_; }
  double highest_slope() const { return highest_; }

  double value(double t) const { return model_->value(std::clamp(t, lower_, upper_)); }
  double slope(double t) const { return t <= lower_ ? lowest_ : t >= upper_ ? highest_ : model_->slope(t); }
  /// argmax s t − φ(t), the derivative of φ*.
  double inverse(double s) const {
    return s <= lowest_ ? lower_ : s >= highest_ ? upper_ : model_->inverse(s);
  }
  /// The derivative of `inverse` where it is t: 1/φ''(t) inside the interval, 0 at its ends.
  double mobility(double t) const { return t > lower_ && t < upper_ ? 1 / model_->curvature(t) : 0; }
  /// The smallest φ'' on [low, high], where known.
  std::optional<double> least_curvature(double low, double high) const {
    return model_->least_curvature(low, high);
  }

  /// α where this is t log t or t²/2 up to a linear term, or another of Tsallis; nothing for others.
  std::optional<double> order() const { return model_->order(); }

  /// Whether φ is finite on [low, high].
  bool covers(double low, double high) const;

  /// φ on the part of its interval that is in [low, high].
  Generator within(double low, double high) const;

  /// The same up to a linear term, which changes no projection onto a set whose points all have the same sum:
  /// with φ'(0) = 0 where that keeps more digits of small entries, or unchanged.
  Generator centred() const;

  /// ½t² + τφ(t), whose projection is the proximity operator of τΦ; τ > 0.
  Generator with_ridge(double tau) const;

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual std::string_view name() const = 0;
    virtual double lower() const = 0;
    virtual double upper() const = 0;
    virtual double value(double t) const = 0;
    virtual double slope(double t) const = 0;
    virtual double inverse(double s) const = 0;
    virtual double curvature(double t) const = 0;
    virtual std::optional<double> least_curvature(double low, double high) const = 0;
    virtual std::optional<double> order() const = 0;
    virtual std::shared_ptr<const Interface> centred() const = 0;  // empty: itself
  };

  template <class G>
  struct Model final : Interface {
    explicit Model(G wrapped) : phi(std::move(wrapped)) {
      if constexpr (requires { phi.check(); }) phi.check();
    }
    std::string_view name() const override { return G::name; }
    double lower() const override { return phi.lower(); }
    double upper() const override { return phi.upper(); }
    double value(double t) const override { return phi.value(t); }
    double slope(double t) const override { return phi.slope(t); }
    double inverse(double s) const override { return phi.inverse(s); }
    double curvature(double t) const override { return phi.curvature(t); }
    std::optional<double> least_curvature(double low, double high) const override {
      if constexpr (requires { phi.least_curvature(low, high); }) return phi.least_curvature(low, high);
      return std::nullopt;
    }
    std::optional<double> order() const override {
      if constexpr (requires { phi.order(); }) return phi.order();
      return std::nullopt;
    }
    std::shared_ptr<const Interface> centred() const override {
      if constexpr (requires { phi.centred().value(); }) {
        using Centred = std::remove_cvref_t<decltype(phi.centred().value())>;
        if (const auto other = phi.centred()) return std::make_shared<const Model<Centred>>(*other);
      }
      return nullptr;
    }
    G phi;
  };

  explicit Generator(std::shared_ptr<const Interface> model);

  std::shared_ptr<const Interface> model_, centred_;
  double lower_ = 0, upper_ = 0, lowest_ = 0, highest_ = 0;
};

/// Throws std::invalid_argument, saying what has entries from `low` to `high`, unless φ is finite on them.
void check_covers(const Generator& phi, std::string_view what, double low, double high);

/// The generators with a name, "tsallis" first.
std::vector<std::string_view> generator_names();

/// The generator called `name`; `alpha` is the order of tsallis. Throws std::invalid_argument with the
/// nearest name for another.
Generator make_generator(std::string_view name, double alpha);
/// The same from text, such as "tsallis:alpha=1.5" or "fermi_dirac".
Generator make_generator(std::string_view text);

}  // namespace fenchel
