# SPDX-License-Identifier: Apache-2.0
"""python -m fuzz.python --seconds 60 --seed 1: status 1 if there are findings."""
import sys

from .run import main

if __name__ == "__main__":
    sys.exit(main())
