# SPDX-License-Identifier: Apache-2.0
"""The commands of `fenchel-parse`, one module each: `add_options`, `run`, and an `EXAMPLE` for the help."""
