# SPDX-License-Identifier: Apache-2.0
"""The losses over trees, by the names that fenchel.torch.StructuredLoss has for them."""

LOSSES = {"hinge": "structured SVM", "crf": "CRF", "sparsemap": "SparseMAP", "perceptron": "structured perceptron"}
#: Those of the paper's table.
COMPARED = ["hinge", "crf", "sparsemap"]
