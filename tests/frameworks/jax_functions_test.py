# SPDX-License-Identifier: Apache-2.0
"""What fenchel.jax does with masks, types, axes and wrong arguments; with other platforms, without its extension, without JAX."""
import subprocess
import sys
import unittest

from jax_cases import INF, Case, both_places, fj, jax, jnp, normal, np, precision  # isort: skip
import fenchel
from fenchel.jax import _calls, crf, projections

NAN = float("nan")


class Arguments(Case):
    def test_errors_name_the_argument(self):
        theta = jnp.array([[1.0, 2.0], [0.0, 1.0]])
        for message, call in {
            "theta.*is nan": lambda: fj.sparsemax(jnp.array([1.0, NAN])),
            "theta.*is inf": lambda: fj.loss(jnp.array([1.0, INF]), 0, "softmax"),
            "theta is -inf everywhere": lambda: fj.entmax(jnp.array([-INF, -INF]), jnp.array([1.5])),
            "theta is a single number": lambda: fj.softmax(1.0),
            "theta has dtype complex": lambda: fj.softmax(jnp.array([1j, 2])),
            "axis is 2; theta has 2 axes": lambda: fj.softmax(theta, axis=2),
            "y has shape \\(3,\\)": lambda: fj.loss(theta, jnp.array([0, 1, 0]), "softmax"),
            "y has the label 5": lambda: fj.loss(theta, jnp.array([0, 5]), "softmax"),
            "y.* sum": lambda: fj.loss(theta, theta, "softmax"),
            "mask has dtype": lambda: fj.softmax(theta, mask=jnp.array([1, 0])),
            "mask has shape": lambda: fj.softmax(theta, mask=jnp.array([True] * 3)),
            "alpha has shape": lambda: fj.entmax(theta, jnp.array([1.5, 1.2, 1.1])),
            "alpha has the entry -1": lambda: fj.entmax(theta, jnp.array([[-1.0], [1.5]])),
            "alpha is 0": lambda: fj.entmax(theta, 0.0),
            "unknown omega": lambda: fj.predict(theta, "nonsense"),
            "theta has 2 entries .*expected 3": lambda: fj.sparsemap(theta, "k_subsets:d=3,k=1"),
            "cost is 'no'": lambda: fj.loss(theta, jnp.array([0, 1]), "argmax", cost="no"),
            "k is 3": lambda: fj.budget(theta, 3),
            "cost has shape \\(2,\\)": lambda: fj.soft_dtw(jnp.ones(2)),
            "gamma is -1": lambda: fj.soft_dtw(theta, -1),
            "gamma is 0": lambda: fj.sinkhorn(theta, gamma=0),
            "a has shape": lambda: fj.sinkhorn(theta, [1.0]),
            "direction is 'up'": lambda: fj.soft_rank(theta, direction="up"),
            "theta has the entry inf": lambda: fj.soft_rank(jnp.array([1.0, INF])),
            "transitions has shape": lambda: crf.loss(theta, jnp.array([0, 1]), jnp.zeros((3, 3))),
            "tags run from 0 to 7": lambda: crf.loss(theta, jnp.array([0, 7]), jnp.zeros((2, 2))),
            "mask leaves out": lambda: crf.viterbi(theta, jnp.zeros((2, 2)), mask=jnp.array([False, True])),
            "radius has the entry -1": lambda: projections.project_ball(theta, -1.0),
            "norm is 3": lambda: projections.project_ball(theta, norm=3),
            "backend is 'gpu'": lambda: fj.backend("gpu"),
            "omega is 3": lambda: fj.make_fenchel_young_loss(3),
        }.items():
            with self.subTest(message), self.assertRaisesRegex((ValueError, TypeError), message):
                call()

    @both_places
    def test_refused_rows_are_nan_in_compiled_programs(self):
        theta = jnp.array([[1.0, NAN, 0], [0.2, INF, 0], [-INF, -INF, -INF], [0.3, -INF, 0.1]])
        for omega in ("softmax", "sparsemax", "tsallis:alpha=2.5", "norm:q=2"):
            for f in (fj.predict, fj.conjugate, lambda t, omega: fj.loss(t, jnp.array([0, 0, 0, 2]), omega)):
                found = np.asarray(jax.jit(f, static_argnums=1)(theta, omega)).reshape(4, -1)
                self.assertTrue(np.isnan(found[:3]).all() and np.isfinite(found[3]).all(), (omega, found))
        p = np.asarray(jax.jit(fj.sparse_sigmoid)(theta))
        self.assertTrue(np.isnan(p[:2]).all())
        self.close(p[3], [0.65, 0, 0.55], 1e-6)
        losses = np.asarray(jax.jit(lambda t, y: fj.loss(t, y, "sparsemax"))(jnp.ones((3, 2)), jnp.array([0, 2, -1])))
        self.assertEqual(np.isnan(losses).tolist(), [False, True, True])
        tables = jnp.stack([theta[:2, :2], jnp.ones((2, 2))])
        self.assertEqual(np.isnan(jax.jit(fj.soft_dtw)(tables)).tolist(), [True, False])

    @both_places
    def test_masks(self):
        theta, mask = normal(3, 4, seed=1), jnp.array([[True, False, True, True], [False] * 4, [True, False, False, False]])
        for omega in ("softmax", "entmax15", "norm:q=2"):
            p = np.asarray(fj.predict(theta, omega, mask=mask))
            self.close(p[0, [0, 2, 3]], fj.predict(theta[0, jnp.array([0, 2, 3])], omega), 1e-6)
            self.assertEqual(p[~np.asarray(mask)].tolist(), [0] * 8)
            self.assertEqual(p[2, 0], 1)
            slopes = jax.grad(lambda t, omega=omega: fj.loss(t, jnp.array([0, 1, 0]), omega, mask=mask).sum())(theta)
            self.assertTrue(np.isfinite(slopes).all())
            self.assertEqual(np.asarray(slopes)[~np.asarray(mask)].tolist(), [0] * 8)

    @both_places
    def test_types_and_axes(self):
        theta = normal(3, 4, seed=2)
        for dtype in (jnp.bfloat16, jnp.float16, jnp.float32):
            p = fj.entmax15(theta.astype(dtype), axis=0)
            self.assertEqual(p.dtype, dtype)
            self.close(p, fj.entmax15(theta.astype(dtype).astype(jnp.float32), axis=0).astype(dtype), 1e-7)
            slopes = jax.grad(lambda t: fj.loss(t, jnp.array([0, 1, 2]), "entmax15").sum())(theta.astype(dtype))
            self.assertEqual(slopes.dtype, dtype)
        self.assertEqual(fj.softmax(np.arange(3)).dtype, jnp.float32)
        with precision(np.float64):
            self.assertEqual(fj.softmax(np.arange(3.0)).dtype, jnp.float64)
        self.assertEqual(fj.softmax(jnp.zeros((0, 3))).shape, (0, 3))

    def test_costs_and_names_of_losses(self):
        theta, y = np.random.default_rng(3).normal(size=(3, 3)).astype(np.float32), np.array([0, 1, 2])
        costs = np.array([[0, 1, 4], [1, 0, 2], [4, 2, 0]], np.float32)
        for cost in (costs, costs[0], "zero_one"):
            self.close(fj.loss(theta, y, "sparsemax", cost=cost), fenchel.loss(theta, y, "sparsemax", cost=cost), 1e-5)
        self.close(fj.loss(theta, y, "hinge"), fenchel.loss(theta, y, "hinge"), 1e-5)
        by_function = fj.loss(theta, y, "sparsemax", cost=lambda rows: rows @ costs)
        self.close(by_function, fj.loss(theta, y, "sparsemax", cost=costs), 1e-6)
        with self.assertRaisesRegex(ValueError, "cost is given"):
            fj.loss(theta, y, "hinge", cost=costs)

    def test_chains_with_masks(self):
        emissions, transitions = normal(2, 5, 3, seed=4), normal(3, 3, seed=5)
        mask, tags = jnp.array([[True] * 5, [True] * 3 + [False] * 2]), jnp.array([[0, 1, 2, 1, 0], [1, 1, 0, 9, 9]])
        for f in (crf.log_partition, crf.viterbi, crf.marginals):
            found = f(emissions, transitions, mask=mask)
            self.close(found[0], f(emissions[0], transitions), 1e-5)
            one = found[1] if f is crf.log_partition else found[1, :3]
            self.close(one, f(emissions[1, :3], transitions), 1e-5)
        losses = crf.loss(emissions, tags, transitions, mask=mask)
        self.close(losses[1], crf.loss(emissions[1, :3], tags[1, :3], transitions), 1e-5)
        forbidden = jnp.where(jnp.eye(3) > 0, -INF, transitions)
        p = jax.jit(crf.marginals)(emissions, forbidden)
        self.assertTrue(np.isfinite(p).all())
        best = np.asarray(crf.viterbi(emissions, forbidden))
        self.assertTrue((best[:, 1:] != best[:, :-1]).all())


class Platforms(Case):
    def lowered(self, f, *arguments):
        return jax.jit(f).trace(*arguments).lower(lowering_platforms=("cuda",)).as_text()

    def test_programs_for_other_platforms(self):
        theta = jnp.ones((2, 4))
        for f in (fj.sparsemax, lambda t: jax.grad(lambda t: fj.loss(t, jnp.array([0, 1]), "norm:q=2").sum())(t),
                  fj.soft_rank, lambda t: fj.sinkhorn(t), lambda t: fj.soft_dtw(t)):
            text = self.lowered(f, theta)
            self.assertNotIn('"fenchel"', text)
            self.assertNotIn("callback", text)

    @unittest.skipUnless(fj.core_available(), "the package was built without jaxlib's headers")
    def test_what_has_no_formula_is_an_error_there(self):
        trees = fenchel.SparseMap(fenchel.Arborescence(2))
        for f in (lambda t: fj.predict(t, trees), lambda t: jax.vmap(jax.grad(lambda r: fj.predict(r, trees)[0]))(t)):
            with self.assertRaisesRegex(NotImplementedError, "sparsemap runs on the CPU alone"):
                self.lowered(f, jnp.ones((3, 4)))
        with fj.backend("formula"), self.assertRaisesRegex(NotImplementedError, "sparsemap has no formula"):
            fj.predict(jnp.ones((3, 4)), trees)

    @unittest.skipUnless(fj.core_available(), "the package was built without jaxlib's headers")
    def test_core_is_called_on_the_cpu(self):
        text = jax.jit(fj.sparsemax).lower(jnp.ones((2, 4))).as_text()
        self.assertIn("fenchel", text)
        self.assertNotIn("while", text)


class Installations(Case):
    def run_python(self, code):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_callbacks_stand_in_for_the_extension(self):
        theta, trees = normal(3, 2, 2, seed=6), fenchel.SparseMap(fenchel.Arborescence(2))
        expected, slopes = fj.predict(theta, trees), jax.jacrev(lambda t: fj.predict(t, trees))(theta)
        had, _calls.HAS_HANDLER = _calls.HAS_HANDLER, False
        jax.clear_caches()
        try:
            self.close(fj.predict(theta, trees), expected, 1e-6)
            self.close(jax.jacrev(lambda t: fj.predict(t, trees))(theta), slopes, 1e-6)
            self.close(jax.vmap(lambda t: fj.conjugate(t, trees))(theta), fenchel.conjugate(np.asarray(theta), trees), 1e-5)
            bad = jax.jit(lambda t: fj.loss(t, jnp.array([0, 1]), "pairwise_hinge"))(jnp.array([[0.0, NAN], [0.0, 1.0]]))
            self.assertEqual(np.isnan(bad).tolist(), [True, False])
            self.assertEqual(jax.jit(fj.sparsemax)(jnp.array([1.5, 1.0])).tolist(), [0.75, 0.25])
        finally:
            _calls.HAS_HANDLER = had
            jax.clear_caches()

    def test_omega_written_in_python(self):
        omega = fenchel.Sum("squared", "shannon")
        theta = normal(2, 3, seed=7)
        f = jax.jit(lambda t: fj.predict(t, omega))
        self.close(f(theta), fenchel.predict(np.asarray(theta), omega), 1e-6)
        v = normal(2, 3, seed=8)
        self.close(jax.jvp(f, (theta,), (v,))[1], fenchel.jvp(np.asarray(theta), np.asarray(v), omega), 1e-4)

    def test_fenchel_needs_no_jax(self):
        out = self.run_python("import sys; sys.modules['jax'] = None\n"
                              "import fenchel; print(fenchel.sparsemax([1.5, 1.0]).tolist(), 'jax.numpy' in sys.modules)\n"
                              "try:\n    import fenchel.jax\nexcept ImportError as error:\n    print(error)")
        self.assertEqual(out.splitlines(), ["[0.75, 0.25] False", "fenchel.jax needs JAX: pip install jax"])


if __name__ == "__main__":
    unittest.main()
