# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in an Ω or a set of structures written in Python comes out unchanged, or as a clear message."""
import unittest
import warnings

import fenchel
import numpy as np


class Failures(unittest.TestCase):
    def made(self, **methods):
        return type("Own", (fenchel.CustomRegularizer,), {"value": lambda self, mu: 0.0, **methods})()

    def test_exceptions_come_out_unchanged(self):
        class Particular(Exception):
            pass

        def fail(self, theta):
            raise Particular("as it was")

        theta = np.zeros((5000, 5))
        for threads in (1, 2):
            with self.assertRaisesRegex(Particular, "as it was"):
                fenchel.predict(theta, self.made(predict=fail), n_threads=threads)
            with self.assertRaisesRegex(Particular, "as it was"):
                fenchel.loss(theta, np.zeros(5000, int), self.made(predict=lambda self, t: np.eye(5)[0], value=fail),
                             n_threads=threads)
        broken = type("Broken", (fenchel.CustomPolytope,), {"dimension": 3, "map": fail})()
        with self.assertRaisesRegex(Particular, "as it was"):
            fenchel.predict([1.0, 2.0, 3.0], fenchel.SparseMap(broken))

    def test_wrong_results(self):
        cases = (
            (ValueError, r"Own.predict returned an array of shape \(2,\); expected \(3,\)",
             {"predict": lambda s, t: [1, 0]}),
            (ValueError, "Own.predict returned nan", {"predict": lambda s, t: [np.nan, 1, 0]}),
            (ValueError, "sum to 2.0; expected 1", {"predict": lambda s, t: [1, 1, 0]}),
            (ValueError, "no negative entries", {"predict": lambda s, t: [2, -1, 0]}),
            (ValueError, "entries up to 1", {"predict": lambda s, t: [2, 0, 0], "domain": "cube"}),
            (TypeError, "expected an array of numbers", {"predict": lambda s, t: "no"}),
            (TypeError, "Own.value returned None; expected a number",
             {"value": lambda s, m: None, "gradient": lambda s, m: m}),
            (ValueError, "Own.gradient returned", {"gradient": lambda s, m: m / 0 * np.inf}),
            (TypeError, "Own.predict returned complex numbers; expected real", {"predict": lambda s, t: np.eye(3)[0] + 1j}),
            (TypeError, "Own.value returned the complex number", {"value": lambda s, m: np.complex128(1j)}),
            (TypeError, "Own.dimension is 2.5; expected a whole number", {"dimension": 2.5}),
            (ValueError, "Own.dimension is -1; expected a whole number >= 0", {"dimension": -1}),
            (TypeError, "Own.strong_convexity is 'much'; expected a number", {"strong_convexity": "much"}),
            (ValueError, "domain is 'ball'", {"domain": "ball"}),
            (TypeError, "Own.domain is 3", {"domain": 3}),
        )
        for kind, pattern, methods in cases:
            with self.subTest(pattern), self.assertRaisesRegex(kind, pattern), np.errstate(all="ignore"):
                fenchel.predict([1.0, 2.0, 0.0], self.made(**methods))
        with self.assertRaisesRegex(ValueError, "where theta is -inf"):
            fenchel.predict([1.0, -np.inf], self.made(predict=lambda s, t: [0.5, 0.5]))
        with self.assertRaisesRegex(ValueError, "dimension"):
            fenchel.predict([1.0, 2.0], self.made(dimension=3))
        with self.assertRaises(NotImplementedError):
            fenchel.predict([1.0, 2.0], type("Empty", (fenchel.CustomRegularizer,), {})())
        wrong = type("Wrong", (fenchel.CustomPolytope,), {"dimension": 3, "map": lambda self, theta: [1, 0]})()
        with self.assertRaisesRegex(ValueError, r"Wrong.map returned an array of shape \(2,\)"):
            fenchel.predict([1.0, 2.0, 3.0], fenchel.Map(wrong))
        with self.assertRaisesRegex(ValueError, "Wrong.shape is 0"):
            fenchel.Map(type("Wrong", (fenchel.CustomPolytope,), {"dimension": 0})())
        with self.assertRaisesRegex(TypeError, "written in Python"):
            fenchel.OneVsAll(self.made())

    def test_dimensions_of_structures(self):
        def structures(**attributes):
            return type("Own", (fenchel.CustomPolytope,), {"map": lambda self, theta: np.ones(theta.shape), **attributes})()

        for dimension in (None, 0, -1, 2.5, "abc", (2, 0)):
            with self.subTest(dimension), self.assertRaisesRegex(ValueError, "Own.shape is .*expected whole numbers > 0"):
                structures(dimension=dimension).distribution(np.zeros(3))
        with self.assertRaisesRegex(ValueError, r"theta has shape \(3,\); expected \(4,\), that of Own"):
            structures(dimension=4).distribution(np.zeros(3))
        with self.assertRaisesRegex(ValueError, r"theta\[0\] has shape \(3,\); expected \(4,\), that of Own"):
            fenchel.Distribution([structures(dimension=4)], [np.zeros(3)])
        np.testing.assert_array_equal(structures(shape=(2, 3)).distribution(np.zeros((5, 2, 3))).map, np.ones((5, 2, 3)))

    def test_a_search_that_does_not_converge_warns(self):
        kinks = self.made(value=lambda s, m: float(np.abs(m - 0.3).sum()), gradient=lambda s, m: np.sign(m - 0.3))
        with self.assertWarnsRegex(RuntimeWarning, "Own has no predict method.*did not converge"):
            fenchel.predict(np.linspace(0.0, 1.0, 4), kinks)
        with warnings.catch_warnings(), self.assertRaises(RuntimeWarning):
            warnings.simplefilter("error")
            fenchel.predict(np.linspace(0.0, 1.0, 4), kinks)


if __name__ == "__main__":
    unittest.main()
