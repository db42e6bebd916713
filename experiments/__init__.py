# SPDX-License-Identifier: Apache-2.0
"""The paper's experiments and more: `python -m experiments` runs them and writes docs/reproduction.md."""
