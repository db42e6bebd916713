# SPDX-License-Identifier: Apache-2.0
"""A fuzzer of the Python package: `python -m fuzz.python --seconds 60 --seed 1` from the repository's root.

Every public function is called with arrays and tensors of all types and layouts (arrays.py, tensors.py) and arguments
drawn by the names of its parameters (arguments.py). The oracle (oracle.py) knows what has to hold. Calls are made in a
child process, so that a crash is a finding that names the call.
"""
