// SPDX-License-Identifier: Apache-2.0
// What proves how good a model is: a dual point μ of its training problem, and the choices that make up the
// objective. By weak duality any μ bounds the optimum from below, so whoever has the data can find out how
// far from it the model is at most (training/verify.hpp), whoever made the model and however.
#pragma once

#include <memory>
#include <string>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/tensor_file.hpp"

namespace fenchel {

/// A proof that a model carries. Loss, task, classes and scaling are the model's own.
struct Certificate {
  std::string data = {};       ///< a text that tells the training examples from others
  std::string solver = {};     ///< where μ is from
  std::string penalty = "l2";  ///< as in FitOptions, and what follows
  double lambda = 1;
  double rho = 1;
  std::string intercept = "none";  ///< free, penalised or none
  std::string class_weight = {};
  double tolerance = 1e-6;    ///< of training
  double primal = 0;          ///< the objective, as verify() found it when the certificate was made
  double dual = 0;            ///< the lower bound of the optimum, likewise
  CsrMatrix<double> mu = {};  ///< examples × outputs
};

/// Tensors certificate.* and the metadata entry `certificate`, a JSON object. The tensors are the
/// certificate's own: it must live until they are written.
void add_certificate(TensorFile& file, const Certificate& certificate);
/// The certificate of a file, null where there is none. Throws std::invalid_argument saying which part is
/// wrong.
std::shared_ptr<const Certificate> read_certificate(const TensorFile& file);

}  // namespace fenchel
