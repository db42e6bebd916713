# SPDX-License-Identifier: Apache-2.0
"""fenchel.jax on the edge: what is refused and with which words, empty batches, scores that squares cannot hold."""
import unittest

from jax_cases import Case, both_places, fj, jax, jnp, np  # isort: skip
import fenchel
from fenchel.jax import crf, projections


class Refused(Case):
    def refused(self, kind, text, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(text, str(caught.exception))

    def test_what_is_no_array_of_numbers(self):
        for given in ("abc", None, [object()], {"a": 1}):
            with self.subTest(given=given):
                self.refused(TypeError, "theta has dtype", lambda given=given: fj.sparsemax(given))

    def test_labels_beyond_32_bits(self):
        """JAX cuts them: 2³² + 1 would be the label 1."""
        for labels in (np.array([0, 2**32 + 1]), [0, 2**32 + 1], [0, 2**70]):
            with self.subTest(labels=labels), self.assertRaises((ValueError, TypeError)):
                fj.sparsemax_loss(jnp.zeros((2, 3)), labels)

    @both_places
    def test_labels_that_a_mask_of_scores_forbids(self):
        theta = jnp.array([[0.0, 1.0, 1.0], [-jnp.inf, 1.0, 1.0]])
        self.refused(ValueError, "y[1] is 0, whose score is -inf", lambda: fj.sparsemax_loss(theta, jnp.array([1, 0])))
        self.assertTrue(np.isfinite(fj.sparsemax_loss(theta, jnp.array([1, 2]))).all())

    @both_places
    def test_points_outside_the_domain(self):
        for function in (fj.value, fj.link):
            with self.subTest(function=function):
                self.refused(ValueError, "mu sums to 1.5", lambda function=function: function([0.5, 1.0], "shannon"))
                compiled = jax.jit(lambda mu, function=function: function(mu, "shannon"))(jnp.array([[0.5, 1], [0.5, 0.5]]))
                self.assertEqual(np.isnan(np.asarray(compiled).reshape(2, -1)[:, 0]).tolist(), [True, False])

    @both_places
    def test_points_of_half_precision(self):
        mu = jnp.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]])
        for dtype in (jnp.bfloat16, jnp.float16):
            for function in (fj.value, fj.link):
                with self.subTest(dtype=dtype, function=function):
                    found = function(mu.astype(dtype), "entmax15")
                    self.assertEqual(found.dtype, dtype)
                    np.testing.assert_allclose(np.asarray(found, float), function(mu, "entmax15"), atol=0.02)

    def test_parameters_that_are_traced(self):
        values = jnp.array([1.0, 2.0])
        square = jnp.eye(2)
        for call in (lambda a: fj.budget(values, a), lambda a: fj.normmax(values, a), lambda a: fj.sinkhorn(square, gamma=a),
                     lambda a: fj.soft_rank(values, regularization_strength=a), lambda a: fj.soft_dtw(square, a)):
            self.refused(TypeError, "is traced; expected a number that is known when a program is compiled",
                         lambda call=call: jax.jit(call)(1.5))

    def test_sets_that_are_none(self):
        x = jnp.array([3.0, 4.0])
        self.refused(ValueError, "lower has the entry 2.0 and upper 1.0", lambda: projections.project_box(x, 2.0, 1.0))
        self.refused(ValueError, "lower has the entry 5.0 and upper 1.0",
                     lambda: projections.project_box_section(x, jnp.array([0.0, 5.0]), 1.0))
        for function in (projections.project_hyperplane, projections.project_half_space):
            self.refused(ValueError, "w is 0", lambda function=function: function(x, jnp.zeros(2), 1.0))
        self.refused(ValueError, "w has 3 entries; expected 2", lambda: projections.project_permutahedron(x, [1, 2, 3]))
        self.assertTrue(np.isnan(jax.jit(projections.project_simplex)(x, -1.0)).all())
        self.assertTrue(np.isnan(jax.jit(projections.project_l1_ball)(x, -1.0)).all())

    def test_points_without_entries(self):
        for function in (projections.project_simplex, projections.project_l1_ball, projections.project_box,
                         projections.project_birkhoff):
            self.refused(ValueError, "expected at least one entry", lambda function=function: function(jnp.zeros((0, 3, 0))))

    @both_places
    def test_plans_that_are_all_forbidden(self):
        cost = jnp.array([[jnp.inf, jnp.inf], [1.0, 0.0]])
        self.refused(ValueError, "masks every structure", lambda: fj.sinkhorn(cost))
        both = jax.jit(lambda costs: fj.sinkhorn(costs))(jnp.stack([cost, jnp.eye(2)]))
        self.assertEqual(np.isnan(both).all((-2, -1)).tolist(), [True, False])


@unittest.skipUnless(fj.core_available(), "the package was built without jaxlib's headers")
class Target(Case):
    """Programs can call "fenchel" themselves: what would reach beyond an array is an error."""

    def refused(self, text, operation, shapes, *arrays):
        results = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes]
        call = jax.ffi.ffi_call("fenchel", results)
        with self.assertRaisesRegex(Exception, text):
            jax.block_until_ready(call(*arrays, operation=operation, text='{"name":"tsallis","alpha":2}', number=np.float64(1),
                                       whole=np.int64(0), axes=np.int64(1)))

    def test_sizes_and_types(self):
        x, whole, numbers, labels = jnp.ones((4, 3)), ((4, 3), np.float32), ((4,), np.float32), jnp.zeros(4, np.int32)
        self.refused("the first result has 6 entries; expected 12", "predict", [((2, 3), np.float32)], x)
        self.refused("a result is of another type", "predict", [((4, 3), np.int8)], x)
        self.refused("arrays are of different types", "jvp", [whole], x, x.astype(jnp.bfloat16))
        self.refused("the second array has 2 entries; expected 4", "loss", [numbers, whole], x, labels[:2])
        self.refused("the second array has 12 entries; expected 4", "entmax", [whole], x, x)
        self.refused("got 1 arrays for 1 results; expected 2 for 1", "jvp", [whole], x)
        self.refused("got 2 arrays for 1 results; expected 2 for 2", "loss", [numbers], x, labels)
        self.refused("one or two arrays", "jvp", [whole], x, x, x)
        self.refused("labels are for losses", "jvp", [whole], x, labels)
        self.refused("neither float nor double", "predict", [whole], jnp.zeros((4, 3), np.int32))


class Edges(Case):
    def test_batches_without_rows(self):
        zeros = jnp.zeros
        calls = {"crf": lambda: crf.log_partition(zeros((0, 3, 2)), zeros((2, 2))),
                 "marginals": lambda: crf.marginals(zeros((0, 3, 2)), zeros((2, 2))),
                 "crf loss": lambda: crf.loss(zeros((0, 3, 2)), zeros((0, 3), int), zeros((2, 2))),
                 "viterbi": lambda: crf.viterbi(zeros((0, 3, 2)), zeros((2, 2))),
                 "transport": lambda: projections.project_transport(zeros((0, 2, 2)), [1, 1], [1, 1]),
                 "birkhoff": lambda: projections.project_birkhoff(zeros((0, 2, 2))),
                 "sinkhorn": lambda: fj.sinkhorn(zeros((0, 2, 3))), "soft_dtw": lambda: fj.soft_dtw(zeros((0, 2, 3))),
                 "trees": lambda: fj.sparsemap(zeros((0, 3, 3)), fenchel.Arborescence(3)),
                 "loss": lambda: jax.grad(lambda t: fj.loss(t, zeros(0, int), "entmax15").sum())(zeros((0, 3)))}
        for name, call in calls.items():
            with self.subTest(name):
                self.assertEqual(call().shape[0], 0)
                self.assertEqual(jax.jit(call)().shape[0], 0)

    def test_balls_whose_squares_overflow(self):
        for scale, radius in ((1e30, 1.0), (1e-30, 1e-31), (1.0, 0.0)):
            x = jnp.array([3.0, -4.0]) * scale
            np.testing.assert_allclose(projections.project_ball(x, radius), np.array([0.6, -0.8]) * radius, rtol=1e-6)
        np.testing.assert_allclose(jax.jacfwd(projections.project_ball)(jnp.array([3e30, 4e30])),
                                   np.array([[0.128, -0.096], [-0.096, 0.072]]) * 1e-30, rtol=1e-5)
        np.testing.assert_array_equal(jax.jacrev(projections.project_ball)(jnp.zeros(2)), np.eye(2))

    def test_nothing_is_chosen(self):
        theta = np.array([[1.0, -2.0, 0.5]])
        np.testing.assert_array_equal(fj.budget(theta, 0), fenchel.budget(theta, 0))

    def test_capped_simplex_of_whole_and_of_traced_sums(self):
        """Of whole numbers that are known the core has it; the formula agrees, and takes any."""
        x = np.random.default_rng(1).normal(size=(3, 5)).astype(np.float32)
        for k in (1, 3.0, 5):
            with self.subTest(k=k):
                wanted = fenchel.projections.project_box_section(x, 0, 1, 1, k)
                program = jax.jit(lambda x, k=k: projections.project_capped_simplex(x, k))
                self.close(program(x), wanted, 1e-6)
                self.assertEqual("ffi_call" in str(jax.make_jaxpr(program)(x)), fj.core_available())
                self.close(jax.jit(projections.project_capped_simplex)(x, k), wanted, 1e-6)
        self.close(projections.project_capped_simplex(x, 2.5).sum(-1), np.full(3, 2.5), 1e-6)
        self.assertTrue(np.isnan(projections.project_capped_simplex(x, 6)).all())
        self.close(projections.project_capped_simplex(x, 0), np.zeros((3, 5)))

    @both_places
    def test_alignments_that_are_all_forbidden(self):
        cost = np.full((2, 2), np.inf, np.float32)
        self.assertEqual(float(fj.soft_dtw(cost)), fenchel.soft_dtw(cost))
        np.testing.assert_array_equal(jax.grad(fj.soft_dtw)(cost), np.zeros((2, 2)))

    def test_argmax_has_a_formula(self):
        """The losses of the perceptron and of support vector machines, on every platform."""
        theta, labels = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32), np.arange(5) % 4
        for omega in ("perceptron", "hinge", "argmax"):
            expected = fenchel.value_and_gradient(theta, labels, omega)
            with self.subTest(omega), fj.backend("formula"):
                for found, wanted in zip(fj.value_and_gradient(theta, labels, omega), expected):
                    np.testing.assert_allclose(found, wanted, atol=1e-6)
                np.testing.assert_array_equal(jax.hessian(lambda t: fj.loss(t, 0, omega))(theta[0]), np.zeros((4, 4)))
                self.assertTrue(np.isnan(jax.jit(lambda t: fj.loss(t, 0, omega))(jnp.full(3, -jnp.inf))))
        with fj.backend("formula"):
            np.testing.assert_allclose(fj.conjugate(theta, "argmax"), theta.max(-1))


if __name__ == "__main__":
    unittest.main()
