// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/document_examples.hpp"

#include "training/document_rows.hpp"

namespace fenchel {

template <Real T>
DocumentExamples<T>::DocumentExamples(const DocumentProblem<T>& problem)
    : problem_(problem), losses_(problem) {}

template <Real T>
void DocumentExamples<T>::scores(std::size_t i, std::span<const double> w, std::span<double> theta) const {
  const double offset = document_rows::centered(problem_.center, w);
  for (std::size_t k = 0; k < theta.size(); ++k) {
    theta[k] = document_rows::dot(problem_.x, losses_.first(i) + k, w) - offset;
  }
}

template <Real T>
void DocumentExamples<T>::add(std::size_t i, std::span<const double> r, double scale,
                              std::span<double> w) const {
  double sum = 0;
  for (std::size_t k = 0; k < r.size(); ++k) {
    document_rows::add(problem_.x, losses_.first(i) + k, scale * r[k], w);
    sum += scale * r[k];
  }
  for (std::size_t j = 0; j < problem_.center.size(); ++j) w[j] -= sum * problem_.center[j];
}

template <Real T>
double DocumentExamples<T>::loss(std::size_t i, std::span<const double> theta, std::span<double> gradient,
                                 Workspace& scratch) const {
  Report report;
  return losses_.evaluate(i, theta, gradient, scratch, report);
}

template class DocumentExamples<float>;
template class DocumentExamples<double>;

}  // namespace fenchel
