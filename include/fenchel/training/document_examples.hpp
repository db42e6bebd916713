// SPDX-License-Identifier: Apache-2.0
// Queries with documents as examples, one at a time, for stochastic and Frank-Wolfe algorithms.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/training/document_objective.hpp"
#include "fenchel/training/examples.hpp"

namespace fenchel {

/// A query an example; θ_q has a score a document.
template <Real T>
class DocumentExamples final : public Examples {
 public:
  explicit DocumentExamples(const DocumentProblem<T>& problem);

  std::size_t size() const override { return losses_.queries(); }
  ParameterShape shape() const override { return problem_.shape(); }
  std::size_t scores_size(std::size_t i) const override { return losses_.size(i); }
  void scores(std::size_t i, std::span<const double> w, std::span<double> theta) const override;
  void add(std::size_t i, std::span<const double> r, double scale, std::span<double> w) const override;
  double loss(std::size_t i, std::span<const double> theta, std::span<double> gradient,
              Workspace& scratch) const override;

 private:
  DocumentProblem<T> problem_;
  DocumentLosses losses_;
};

extern template class DocumentExamples<float>;
extern template class DocumentExamples<double>;

}  // namespace fenchel
