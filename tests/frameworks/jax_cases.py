# SPDX-License-Identifier: Apache-2.0
"""What the tests of fenchel.jax share: JAX or a reason to skip, scores, and differences."""
import contextlib
import sys
import unittest

try:
    import jax
except ImportError:
    print("skipped: JAX is not installed")
    sys.exit(0)
import fenchel.jax as fj
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_platforms", "cpu")
INF = float("inf")


@contextlib.contextmanager
def precision(dtype):
    """A block in which float64 is kept, or is not there."""
    with jax.enable_x64(dtype == np.float64):
        yield


def both_places(test):
    """A test in the core, where the package has it, and in formulas of jax.numpy."""
    def run(self):
        for place in ("core", "formula") if fj.core_available() else ("formula",):
            with self.subTest(place=place), fj.backend(place):
                test(self)
    run.__name__ = test.__name__
    return run


def slope(f, x, v, step=1e-6):
    """(f(x + step v) − f(x − step v)) / 2 step."""
    return (np.asarray(f(x + step * v)) - np.asarray(f(x - step * v))) / (2 * step)


def normal(*shape, seed=0, scale=1.0):
    return jnp.asarray(scale * np.random.default_rng(seed).normal(size=shape))


def numbers(values):
    return [-INF if x == "-inf" else INF if x == "inf" else x for x in values]


class Case(unittest.TestCase):
    def close(self, found, expected, tolerance=1e-9, msg=None):
        np.testing.assert_allclose(np.asarray(found, np.float64), np.asarray(expected, np.float64), rtol=tolerance,
                                   atol=tolerance, err_msg=str(msg))
