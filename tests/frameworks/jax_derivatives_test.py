# SPDX-License-Identifier: Apache-2.0
"""Derivatives of fenchel.jax in both modes, nested, against differences; under vmap, jit and scan."""
import unittest

from jax_cases import INF, Case, both_places, fj, jax, jnp, normal, np, precision, slope  # isort: skip
import fenchel
from fenchel.jax import crf, projections

SMOOTH = ("tsallis:alpha=1.3",)


class Double(Case):
    def setUp(self):
        block = precision(np.float64)
        block.__enter__()
        self.addCleanup(block.__exit__, None, None, None)

    def agree(self, f, x, tolerance=1e-6):
        """Forward and reverse Jacobians are those of differences."""
        v = normal(*x.shape, seed=9)
        forward, backward = jax.jit(lambda x: (jax.jacfwd(f)(x), jax.jacrev(f)(x)))(x)
        self.close(forward, backward, 1e-9)
        self.close(jnp.tensordot(forward, v, x.ndim), slope(jax.jit(f), x, v), tolerance)


class Rows(Double):
    @both_places
    def test_predictions_and_losses(self):
        theta = normal(2, 5, seed=1)
        for omega in ("tsallis:alpha=1.5,temperature=0.5", "norm:q=1.5", "tsallis:alpha=0.5"):
            with self.subTest(omega):
                f = jax.jit(lambda t, omega=omega: fj.predict(t, omega))
                v = normal(2, 5, seed=2)
                self.close(jax.jvp(f, (theta,), (v,))[1], slope(f, theta, v), 1e-6)
                loss = jax.jit(lambda t, omega=omega: fj.loss(t, jnp.array([1, 3]), omega).sum())
                self.close(jax.grad(loss)(theta), f(theta) - jax.nn.one_hot(jnp.array([1, 3]), 5))
                self.close(jax.grad(lambda t, omega=omega: fj.conjugate(t, omega).sum())(theta), f(theta))

    @both_places
    def test_hessians_in_every_order_of_modes(self):
        theta = normal(4, seed=3, scale=0.3)
        modes = (jax.jacfwd, jax.jacrev)
        for omega in SMOOTH:
            def loss(t, omega=omega):
                return fj.loss(t, 2, omega)
            expected = jax.jacfwd(lambda t, omega=omega: fj.predict(t, omega))(theta)
            for outer in modes:
                for inner in modes:
                    self.close(jax.jit(outer(inner(loss)))(theta), expected, 1e-9, omega)
            v = normal(4, seed=4)
            third = jax.jvp(jax.hessian(loss), (theta,), (v,))[1]
            self.close(third, slope(jax.jit(jax.hessian(loss)), theta, v, 1e-5), 1e-6, omega)

    def test_targets_are_differentiated(self):
        theta, y = normal(5, seed=5), fj.softmax(normal(5, seed=6))
        for omega in ("softmax", "norm:q=2"):
            f = jax.jit(lambda y, omega=omega: fj.loss(theta, y, omega))
            v = normal(5, seed=7)
            v = v - v.mean()
            self.close(jax.grad(f)(y) @ v, slope(f, y, v), 1e-6, omega)
        slopes = jax.grad(lambda t: fj.loss(t, jnp.array([0.0, 1, 0, 0, 0]), "softmax"))(theta)  # y on the boundary
        self.assertTrue(np.isfinite(slopes).all())

    def test_orders_are_differentiated(self):
        theta, weights = normal(3, 5, seed=8), normal(3, 5, seed=9)
        alpha = jnp.array([[1.2], [1.5], [2.5]])
        for f in (jax.jit(lambda a: (fj.entmax(theta, a) * weights).sum()),
                  jax.jit(lambda a: fj.entmax_loss(theta, jnp.array([0, 1, 2]), a).sum())):
            found = jax.grad(f)(alpha)
            for i in range(3):
                self.close(found[i, 0], slope(f, alpha, jnp.zeros_like(alpha).at[i].set(1)), 1e-6)

    def test_without_formula(self):
        theta = normal(5, seed=10)
        for omega in ("renyi:beta=0.5", "squared_norm:q=1.5"):
            self.close(jax.hessian(lambda t, omega=omega: fj.conjugate(t, omega))(theta),
                       jax.jacrev(lambda t, omega=omega: fj.predict(t, omega))(theta), 1e-9)
        self.agree(lambda t: fj.predict(t, "pairwise_smoothed_hinge"), theta)
        with self.assertRaisesRegex(NotImplementedError, "second derivative of the prediction of pairwise_smoothed_hinge"):
            jax.hessian(lambda t: fj.predict(t, "pairwise_smoothed_hinge").sum())(theta)

    @both_places
    def test_masked_entries_have_no_derivative(self):
        theta = jnp.array([0.3, -INF, 1.0, -INF])
        for omega in ("entmax15", "norm:q=2"):
            for f in (lambda t, omega=omega: fj.loss(t, 0, omega), lambda t, omega=omega: fj.conjugate(t, omega)):
                first, second = jax.grad(f)(theta), jax.hessian(f)(theta)
                self.assertTrue(np.isfinite(first).all() and np.isfinite(second).all(), omega)
                self.assertEqual((float(first[1]), float(jnp.abs(second[1]).max())), (0, 0))


class Transformations(Double):
    @both_places
    def test_vmap_jit_scan(self):
        theta, y = normal(3, 4, 5, seed=11), jnp.arange(12).reshape(3, 4) % 5
        for omega in ("entmax15",):
            def f(t, y, omega=omega):
                return fj.loss(t, y, omega)
            expected = f(theta, y)
            self.close(jax.jit(jax.vmap(jax.vmap(f)))(theta, y), expected)
            self.close(jax.vmap(f, in_axes=(1, None))(theta, y[:, 0]), jax.vmap(lambda t: f(t, y[:, 0]))(theta.swapaxes(0, 1)))
            grads = jax.vmap(jax.vmap(jax.grad(f)))(theta, y)
            self.close(grads, fj.gradient(theta, y, omega))

        def step(t, label):
            t = t - 0.5 * jax.grad(lambda t: fj.loss(t, label, "entmax15"))(t)
            return t, fj.conjugate(t, "sparsemax")

        last, values = jax.lax.scan(step, theta[0, 0], y[0])
        loop = theta[0, 0]
        for label in y[0]:
            loop, value = step(loop, label)
        self.close(last, loop)
        self.close(values[-1], value)
        through = jax.grad(lambda t: jax.lax.scan(step, t, y[0])[1].sum())
        v = normal(5, seed=12)
        self.close(through(theta[0, 0]) @ v, slope(lambda t: jax.lax.scan(step, t, y[0])[1].sum(), theta[0, 0], v), 1e-6)

    def test_remat_and_while(self):
        f = jax.checkpoint(lambda t: fj.predict(t, "entmax15")[0])
        self.close(jax.grad(f)(normal(4)), jax.grad(lambda t: fj.predict(t, "entmax15")[0])(normal(4)))


class Others(Double):
    def test_projections(self):
        x = normal(5, seed=13)
        for f in (lambda x: projections.project_simplex(x, 2.0), lambda x: projections.project_ball(x, 0.5),
                  lambda x: projections.project_l1_ball(x, 0.7), lambda x: projections.project_capped_simplex(x, 2.5),
                  lambda x: projections.project_permutahedron(x, [5, 4, 3, 2, 1])):
            self.agree(f, x)

    def test_parameters_of_projections(self):
        x = normal(5, seed=13)
        for f, at in ((lambda r: projections.project_ball(x, r), 0.5), (lambda r: projections.project_l1_ball(x, r), 0.7),
                      (lambda k: projections.project_capped_simplex(x, k), 2.5),
                      (lambda t: projections.project_simplex(x, t), 2.0),
                      (lambda w: projections.project_box_section(x, -1, 2, w * jnp.arange(1.0, 6), 0.5), 1.0)):
            self.close(jax.jacfwd(f)(jnp.asarray(at)), slope(f, jnp.asarray(at), 1.0), 1e-6)

    @both_places
    def test_soft(self):
        x = normal(5, seed=14)
        for f, kind in ((fj.soft_rank, "kl"), (fj.soft_sort, "l2")):
            self.agree(lambda t, f=f, kind=kind: f(t, kind, 0.7), x)
        cost = jnp.abs(normal(3, 4, seed=15))
        self.agree(lambda c: fj.soft_dtw(c, 0.5), cost)
        f = jax.grad(lambda c: fj.soft_dtw(c, 0.5))
        v = normal(3, 4, seed=16)
        self.close(jax.jvp(f, (cost,), (v,))[1], slope(f, cost, v), 1e-6)

    def test_transport(self):
        cost, v = jnp.abs(normal(3, 4, seed=17)), normal(3, 4, seed=18)
        f = jax.jit(lambda c: fj.sinkhorn(c, gamma=0.3))
        self.close(jax.jvp(f, (cost,), (v,))[1], slope(f, cost, v, 1e-5), 1e-6)
        g = jax.jit(jax.grad(lambda c: (f(c) ** 2).sum()))
        self.close(jax.jvp(g, (cost,), (v,))[1], slope(g, cost, v, 1e-5), 1e-6)

    def test_chains(self):
        emissions, transitions = normal(4, 3, seed=19), normal(3, 3, seed=20)
        tags = jnp.array([0, 2, 1, 1])
        f = jax.jit(lambda t: crf.loss(emissions, tags, t))
        v = normal(3, 3, seed=21)
        self.close((jax.grad(f)(transitions) * v).sum(), slope(f, transitions, v), 1e-6)
        hessian = jax.jit(jax.hessian(lambda e: crf.log_partition(e, transitions)))(emissions)
        self.close(hessian, jax.jacfwd(lambda e: crf.marginals(e, transitions))(emissions), 1e-9)
        v = normal(4, 3, seed=22)
        self.close(jnp.tensordot(hessian, v, 2), slope(lambda e: crf.marginals(e, transitions), emissions, v), 1e-6)

    def test_sparsemap(self):
        trees = fenchel.Arborescence(3)
        self.agree(lambda t: fj.sparsemap(t, trees), normal(3, 3, seed=23))
        second = jax.jacfwd(jax.jacrev(lambda t: fj.sparsemap(t, trees)[0, 1]))(normal(3, 3, seed=23))
        self.assertEqual(float(jnp.abs(second).max()), 0)
        self.agree(lambda t: projections.project_birkhoff(t), normal(3, 3, seed=24))


if __name__ == "__main__":
    unittest.main()
