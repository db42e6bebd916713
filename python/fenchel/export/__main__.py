# SPDX-License-Identifier: Apache-2.0
"""`python -m fenchel.export`, which `fenchel export` runs."""
import sys

from .command_line import main

if __name__ == "__main__":
    sys.exit(main())
