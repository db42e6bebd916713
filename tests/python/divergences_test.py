# SPDX-License-Identifier: Apache-2.0
"""Bregman divergences, risks, proper losses, binary losses and the link, against their definitions."""
import unittest

import fenchel
import numpy as np

RNG = np.random.default_rng(3)
P, Q = RNG.dirichlet(np.ones(4), (2, 3)), RNG.dirichlet(np.ones(4), (2, 3))
THETA = RNG.normal(size=(2, 3, 4))
OMEGAS = ("shannon", "tsallis:alpha=1.5", "tsallis:alpha=2", "tsallis:alpha=3", "norm:q=2", "renyi:beta=0.5")


class Divergences(unittest.TestCase):
    def test_definition(self):
        for omega in OMEGAS:
            with self.subTest(omega=omega):
                expected = fenchel.value(P, omega) - fenchel.value(Q, omega) - (fenchel.link(Q, omega) * (P - Q)).sum(-1)
                np.testing.assert_allclose(fenchel.bregman_divergence(P, Q, omega), expected, atol=1e-14)
                # Paper eq. 12: the loss is the divergence from the prediction, where the link inverts it.
                theta = fenchel.link(Q, omega)
                np.testing.assert_allclose(fenchel.loss(theta, P, omega), expected, atol=1e-7)
                np.testing.assert_allclose(fenchel.predict(theta, omega), Q, atol=1e-6)
        np.testing.assert_allclose(fenchel.bregman_divergence(P, Q, "shannon"), fenchel.kullback_leibler(P, Q), atol=1e-14)
        np.testing.assert_allclose(fenchel.kullback_leibler(P, Q), (P * np.log(P / Q)).sum(-1), atol=1e-14)

    def test_shapes(self):
        self.assertIsInstance(float(fenchel.bregman_divergence(P[0, 0], Q[0, 0], "shannon")), float)
        np.testing.assert_array_equal(fenchel.bregman_divergence(P[0, 0], Q, "shannon").shape, (2, 3))
        np.testing.assert_array_equal(fenchel.link(P, "shannon", axis=-1), fenchel.link(P, fenchel.Shannon()))
        moved = fenchel.link(np.moveaxis(P, -1, 0), "shannon", axis=0)
        np.testing.assert_array_equal(np.moveaxis(moved, 0, -1), fenchel.link(P, "shannon"))
        ragged = fenchel.link([P[0, 0], P[0, 1]], "shannon")
        np.testing.assert_array_equal(ragged[1], fenchel.link(P[0, 1], "shannon"))
        self.assertEqual(fenchel.bregman_divergence(np.empty((0, 4)), np.empty((0, 4)), "shannon").shape, (0,))

    def test_risks(self):
        outcomes = RNG.dirichlet(np.ones(4), 5)
        shares = RNG.dirichlet(np.ones(5), 3)
        for omega in OMEGAS[:3]:
            with self.subTest(omega=omega):
                for values, p in ((None, P[0]), (outcomes, shares)):
                    rows = np.eye(4) if values is None else values
                    losses = np.stack([fenchel.loss(THETA[0], np.broadcast_to(y, (3, 4)), omega) for y in rows], -1)
                    expected = fenchel.expected_loss(THETA[0], p, omega, values)
                    np.testing.assert_allclose(expected, (p * losses).sum(-1), atol=1e-13)
                    risk = fenchel.bayes_risk(p, omega, values)
                    np.testing.assert_array_equal(risk, fenchel.bregman_information(p, omega, values))
                    np.testing.assert_allclose(risk, (p * fenchel.value(rows, omega)).sum(-1) - fenchel.value(p @ rows, omega),
                                               atol=1e-13)
                    np.testing.assert_allclose(fenchel.regret(THETA[0], p, omega, values), expected - risk, atol=1e-12)
                np.testing.assert_allclose(fenchel.bayes_risk(P, omega), -fenchel.value(P, omega), atol=1e-13)

    def test_proper_losses(self):
        for omega in OMEGAS[:3]:
            expected = fenchel.bregman_divergence(np.eye(4)[1], P, omega) - fenchel.value(np.eye(4)[1], omega)
            np.testing.assert_allclose(fenchel.proper_loss(P, np.full((2, 3), 1), omega), expected, atol=1e-13)
            np.testing.assert_allclose(fenchel.proper_loss(P, np.eye(4)[1], omega), expected, atol=1e-13)
        np.testing.assert_allclose(fenchel.proper_loss(P, np.zeros((2, 3), int), "shannon"), -np.log(P[..., 0]), atol=1e-13)
        np.testing.assert_allclose(fenchel.brier_score(P, np.full((2, 3), 2)), ((np.eye(4)[2] - P) ** 2).sum(-1), atol=1e-14)

    def test_binary_losses(self):
        s, y = np.linspace(-3, 3, 25), np.array([1, -1])[:, None]
        u = -y * s
        for name, expected in (("logistic", np.logaddexp(0, u)), ("hinge", np.maximum(0, 1 + u)),
                               ("perceptron", np.maximum(0, u)),
                               ("smoothed-hinge", np.where(u >= 0, u + 0.5, np.maximum(0, 1 + u) ** 2 / 2)),
                               ("modified_huber", np.where(u >= 1, u, np.maximum(0, 1 + u) ** 2 / 4))):
            with self.subTest(name=name):
                values, slopes = fenchel.binary_loss(s, y, name, return_derivative=True)
                np.testing.assert_allclose(values, expected, atol=1e-14)
                step = 1e-6
                difference = (fenchel.binary_loss(s + step, y, name) - fenchel.binary_loss(s - step, y, name)) / (2 * step)
                kinks = np.isclose(np.abs(u), 1) | np.isclose(u, 0)
                np.testing.assert_allclose(slopes[~kinks], difference[~kinks], atol=1e-8)
        np.testing.assert_allclose(fenchel.binary_loss(s, y, fenchel.Shannon()), fenchel.binary_loss(s, y), atol=1e-14)
        huber = fenchel.binary_loss(s, y, "modified_huber")
        np.testing.assert_allclose(fenchel.binary_loss(s, y, "sparsemax"), huber, atol=1e-14)
        self.assertEqual(fenchel.binary_loss(0.0, 1, "hinge"), 1)

    def test_errors(self):
        wrong = [[.25] * 4, [.5] * 4, [.25] * 4]
        for message, call in (("row 1: mu", lambda: fenchel.bregman_divergence(P[0], wrong, "shannon")),
                              ("entries along the last axis", lambda: fenchel.kullback_leibler(P, Q[..., :3])),
                              ("broadcast", lambda: fenchel.kullback_leibler(P, Q[:, :2])),
                              ("the label 4", lambda: fenchel.proper_loss(P[0, 0], 4, "shannon")),
                              ("integer labels", lambda: fenchel.brier_score(P, 0.5)),
                              ("expected a label from 0 to 3", lambda: fenchel.brier_score(P[0, 0], -1)),
                              ("outcomes has shape", lambda: fenchel.bayes_risk(P, "shannon", np.eye(3))),
                              ("theta has 3 scores", lambda: fenchel.regret(THETA[..., :3], P, "shannon")),
                              ("y has 2; expected 1 or -1", lambda: fenchel.binary_loss(0.5, 2)),
                              ("loss is over reals", lambda: fenchel.binary_loss(0.5, 1, "squared")),
                              ("at least one entry", lambda: fenchel.kullback_leibler(np.ones((2, 0)), np.ones((2, 0)))),
                              ("s is nan", lambda: fenchel.binary_loss(np.nan, 1)),
                              ("unknown", lambda: fenchel.binary_loss(0.5, 1, "log"))):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                call()


if __name__ == "__main__":
    unittest.main()
