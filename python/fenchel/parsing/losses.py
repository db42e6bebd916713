# SPDX-License-Identifier: Apache-2.0
"""The losses that a parser can be trained by, over trees and over labels, by the names that fenchel.torch has for them."""

LOSSES = {"hinge": "structured SVM", "crf": "CRF", "sparsemap": "SparseMAP", "perceptron": "structured perceptron"}
LABEL_LOSSES = ("logistic", "sparsemax", "entmax15")
NO_LABELS = "none"  # the label loss of a parser without labels
