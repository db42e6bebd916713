# SPDX-License-Identifier: Apache-2.0
"""What first_hour.py compares: the sets, the programs and the measures."""
