# SPDX-License-Identifier: Apache-2.0
"""The NumPy functions: golden cases, shapes and types, errors, threads, forks."""
import json
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import unittest
import warnings

import fenchel
import numpy as np

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
DIRECT = {"predict", "conjugate", "loss", "gradient", "prox", "jvp", "margin", "value"}


def golden_cases():
    for path in sorted(GOLDEN.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield json.loads(line)


def numbers(values):
    return np.array([float(value) for value in values])


def answer(case):
    """What the package says to a golden case."""
    op, omega = case["op"], case["omega"]
    if op == "margin":
        return fenchel.margin(omega, case["d"])
    if op == "prox":
        return fenchel.prox(numbers(case["eta"]), omega, case["tau"])
    if op == "value":
        return fenchel.value(numbers(case["mu"]), omega)
    theta = numbers(case["theta"])
    if op == "jvp":
        return fenchel.jvp(theta, numbers(case["v"]), omega)
    if op in ("loss", "gradient"):
        y = case["y"]
        return getattr(fenchel, op)(theta, y if isinstance(y, int) else numbers(y), omega)
    return getattr(fenchel, op)(theta, omega)


class Golden(unittest.TestCase):
    def test_every_case(self):
        seen = 0
        for case in golden_cases():
            if case["op"] not in DIRECT:
                continue
            with self.subTest(case["id"]):
                if case.get("expect") is None:
                    self.assertIsNone(answer(case))
                else:
                    np.testing.assert_allclose(answer(case), np.array(case["expect"], dtype=float), rtol=1e-6, atol=1e-8)
            seen += 1
        self.assertGreater(seen, 100)


class Arrays(unittest.TestCase):
    def setUp(self):
        self.theta = np.random.default_rng(0).normal(size=(4, 5, 6))

    def test_types_and_shapes(self):
        for dtype, out in ((np.float64, np.float64), (np.float32, np.float32), (np.float16, np.float32), (np.int64, np.float64)):
            p = fenchel.sparsemax(self.theta.astype(dtype))
            self.assertEqual((p.dtype, p.shape), (np.dtype(out), (4, 5, 6)))
            np.testing.assert_allclose(p.sum(-1), 1, rtol=1e-6)
        self.assertEqual(fenchel.loss(self.theta, np.zeros((4, 5), int), "logistic").shape, (4, 5))
        self.assertIsInstance(float(fenchel.conjugate([1.0, 2.0], "logistic")), float)
        self.assertEqual(fenchel.predict(np.zeros((0, 3)), "sparsemax").shape, (0, 3))

    def test_axis_and_order(self):
        expected = np.moveaxis(fenchel.entmax15(np.moveaxis(self.theta, 1, -1)), -1, 1)
        np.testing.assert_array_equal(fenchel.entmax15(self.theta, axis=1), expected)
        np.testing.assert_array_equal(fenchel.entmax15(np.asfortranarray(self.theta)), fenchel.entmax15(self.theta))
        np.testing.assert_allclose(fenchel.entmax15(self.theta[::2, :, ::-1]), fenchel.entmax15(self.theta)[::2, :, ::-1],
                                   rtol=1e-14)
        with self.assertRaisesRegex(ValueError, "axis is 3"):
            fenchel.softmax(self.theta, axis=3)

    def test_memory_that_is_not_aligned(self):
        bytes_ = np.zeros(8 * 12 + 1, np.uint8)[1:]
        theta = bytes_.view(np.float64).reshape(3, 4)
        theta[...] = np.arange(12.0).reshape(3, 4) % 5
        self.assertFalse(theta.flags.aligned)
        plain = np.array(theta)
        np.testing.assert_array_equal(fenchel.predict(theta, fenchel.Tsallis(2.0)), fenchel.predict(plain, fenchel.Tsallis(2.0)))
        np.testing.assert_array_equal(fenchel.loss(theta, np.zeros(3, int), fenchel.Tsallis(2.0)),
                                      fenchel.loss(plain, np.zeros(3, int), fenchel.Tsallis(2.0)))
        out = np.zeros(8 * 12 + 1, np.uint8)[1:].view(np.float64).reshape(3, 4)
        self.assertIs(fenchel.predict(plain, fenchel.Tsallis(2.0), out=out), out)
        np.testing.assert_array_equal(out, fenchel.predict(plain, fenchel.Tsallis(2.0)))

    def test_out(self):
        out = np.empty_like(self.theta)
        self.assertIs(fenchel.softmax(self.theta, out=out), out)
        np.testing.assert_array_equal(out, fenchel.softmax(self.theta))
        fenchel.softmax(self.theta, axis=1, out=out)
        np.testing.assert_array_equal(out, fenchel.softmax(self.theta, axis=1))
        with self.assertRaisesRegex(ValueError, "out has shape"):
            fenchel.softmax(self.theta, out=np.empty((3, 3)))

    def test_targets(self):
        labels = np.random.default_rng(1).integers(0, 6, size=(4, 5))
        one_hot = np.eye(6)[labels]
        value, gradient = fenchel.value_and_gradient(self.theta, labels, "sparsemax")
        np.testing.assert_allclose(value, fenchel.loss(self.theta, one_hot, "sparsemax"), atol=1e-12)
        np.testing.assert_allclose(gradient, fenchel.sparsemax(self.theta) - one_hot, atol=1e-12)
        with self.assertRaisesRegex(ValueError, "y has shape"):
            fenchel.loss(self.theta, labels[:2], "sparsemax")
        with self.assertRaisesRegex(ValueError, "9"):
            fenchel.loss(self.theta[0, 0], 9, "sparsemax")

    def test_sparse(self):
        sparse = fenchel.predict_csr(self.theta[0], "sparsemax")
        np.testing.assert_array_equal(sparse.toarray(), fenchel.sparsemax(self.theta[0]))

    def test_threads_give_the_same_bits(self):
        theta = np.random.default_rng(2).normal(size=(5000, 50)).astype(np.float32)
        np.testing.assert_array_equal(fenchel.entmax15(theta), fenchel.entmax15(theta, n_threads=2))


class Errors(unittest.TestCase):
    def test_messages(self):
        with self.assertRaisesRegex(ValueError, "theta.*nan"):
            fenchel.softmax([1.0, float("nan")])
        with self.assertRaisesRegex(ValueError, "sparsemax"):
            fenchel.predict([1.0, 2.0], "sparsmax")
        with self.assertRaisesRegex(ValueError, "alpha"):
            fenchel.Tsallis(-1)
        with self.assertRaisesRegex(TypeError, "dtype"):
            fenchel.softmax(["a", "b"])
        with self.assertRaisesRegex(TypeError, "omega is 3"):
            fenchel.predict([1.0], 3)
        with self.assertRaisesRegex(ValueError, "single number"):
            fenchel.softmax(1.0)

    def test_whole_numbers(self):
        theta, cost = np.zeros((2, 3)), np.zeros((3, 3))
        ragged, classes = [np.zeros(2), np.zeros(3)], fenchel.Simplex(3)
        calls = {
            "n_threads": (lambda n: fenchel.softmax(theta, n_threads=n), lambda n: fenchel.softmax(theta, 0, n_threads=n),
                          lambda n: fenchel.predict(ragged, "shannon", n_threads=n), lambda n: fenchel.dtw(cost, n_threads=n),
                          lambda n: fenchel.loss(theta, [0, 1], "shannon", n_threads=n),
                          lambda n: fenchel.gradient(theta, [0, 1], "shannon", n_threads=n),
                          lambda n: fenchel.conjugate(theta, "shannon", n_threads=n),
                          lambda n: fenchel.prox(theta, "shannon", n_threads=n),
                          lambda n: fenchel.jvp(theta, theta, "shannon", n_threads=n),
                          lambda n: fenchel.soft_rank(theta, n_threads=n), lambda n: fenchel.soft_dtw(cost, n_threads=n),
                          lambda n: classes.distribution(theta, n_threads=n)),
            "band": (lambda n: fenchel.soft_dtw(cost, band=n), lambda n: fenchel.dtw(cost, band=n),
                     lambda n: fenchel.soft_dtw_barycenter([[1.0, 2.0]], band=n)),
            "max_iterations": (lambda n: fenchel.soft_dtw_barycenter([[1.0, 2.0]], max_iterations=n),),
            "d": (lambda n: fenchel.margin("sparsemax", n),),
        }
        for name, functions in calls.items():
            for i, function in enumerate(functions):
                with self.subTest(name=name, i=i):
                    with self.assertRaisesRegex(ValueError, f"{name} is {2**70}; expected a whole number <= "):
                        function(2**70)
                    with self.assertRaisesRegex(TypeError, f"{name} is 1.5; expected a whole number"):
                        function(1.5)
                    function(np.int64(2))
        with self.assertRaisesRegex(ValueError, "n_threads is 2147483648; expected a whole number <= 2147483647"):
            fenchel.softmax(theta, n_threads=2**31)
        with self.assertRaisesRegex(ValueError, "band is 9223372036854775808; expected a whole number <= "):
            fenchel.soft_dtw(cost, band=2**63)
        with self.assertRaisesRegex(TypeError, "axis is 1.5; expected a whole number"):
            fenchel.soft_rank(theta, axis=1.5)

    def test_texts_that_have_no_bytes(self):
        for name, call in (("omega", lambda text: fenchel.predict([1.0], text)), ("omega", fenchel.Regularizer.from_spec),
                           ("polytope", fenchel.SparseMap), ("what", fenchel.explain)):
            with self.subTest(name), self.assertRaisesRegex(ValueError, f"{name} is '.ud800'; expected a text without"):
                call("\ud800")


class Objects(unittest.TestCase):
    def test_specs(self):
        omega = fenchel.SparseMap(fenchel.Arborescence(3, single_root=True))
        self.assertEqual(pickle.loads(pickle.dumps(omega)), omega)
        self.assertIs(type(pickle.loads(pickle.dumps(omega))), fenchel.SparseMap)
        self.assertEqual(omega.dimension, 9)
        self.assertEqual(omega.domain, "polytope")
        self.assertEqual(fenchel.Regularizer.from_spec("sparsemax"), fenchel.Tsallis(2.0))
        self.assertEqual(fenchel.Tsallis(1.2).alpha, 1.2)
        self.assertEqual(repr(fenchel.Tsallis(1.2)), "Tsallis(alpha=1.2)")
        self.assertEqual(fenchel.margin(fenchel.Tsallis(1.5), 3), 2)
        self.assertIsNone(fenchel.margin("logistic", 3))
        np.testing.assert_allclose(fenchel.normmax([3.0, 1.0, 0.0]), [1, 0, 0], atol=1e-12)

    def test_every_regularizer_has_a_class(self):
        from fenchel import _core

        for entry in _core.regularizers() + _core.polytopes():
            self.assertIn(entry["class"], fenchel.__all__)
            self.assertEqual(entry["class"].lower(), entry["name"].replace("_", ""))


def child(theta, queue):
    queue.put(fenchel.sparsemax(theta, n_threads=2).tolist())


class Processes(unittest.TestCase):
    def test_a_hundred_threads(self):
        theta = np.random.default_rng(3).normal(size=(200, 30))
        expected, wrong = fenchel.entmax15(theta), []

        def work():
            for _ in range(5):
                if not np.array_equal(fenchel.entmax15(theta), expected):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_fork_and_spawn_after_use(self):
        theta = np.random.default_rng(4).normal(size=(5000, 20))
        expected = fenchel.sparsemax(theta, n_threads=2).tolist()
        for method in ("fork", "spawn"):
            context = multiprocessing.get_context(method)
            queue = context.Queue()
            process = context.Process(target=child, args=(theta, queue))
            process.start()
            self.assertEqual(queue.get(timeout=60), expected)
            process.join(timeout=60)
            self.assertEqual(process.exitcode, 0)


    def test_daemon_threads_that_compute_when_python_ends(self):
        program = ("import threading, time, numpy as np, fenchel\n"
                   "theta = np.random.default_rng(0).normal(size=(2000, 500))\n"
                   "def work():\n"
                   "    while True: fenchel.predict(theta, 'tsallis:alpha=1.3')\n"
                   "for _ in range(2): threading.Thread(target=work, daemon=True).start()\n"
                   "time.sleep(0.3)\n")
        for _ in range(3):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Inexact(unittest.TestCase):
    def test_a_search_that_ends_early_is_a_warning(self):
        omega = fenchel.StructuredSparsemax(fenchel.Cube(40))
        with self.assertWarnsRegex(RuntimeWarning, "structured_sparsemax: results are not exact.*max_iterations"):
            fenchel.predict(np.zeros(40), omega)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name in ("tsallis:alpha=1.3", "pairwise_hinge", "norm:q=3", "renyi:beta=3"):
                fenchel.predict(np.linspace(0, 1, 7), name)


class Extremes(unittest.TestCase):
    def test_what_leaves_the_range_of_numbers_is_refused(self):
        for call, name in ((lambda: fenchel.predict([0.3, 0.1], "norm:q=2,temperature=1e-310"), "temperature is 1e-310"),
                           (lambda: fenchel.soft_dtw([[1.0, 2.0], [3.0, 4.0]], 1e-300), "gamma is 1e-300"),
                           (lambda: fenchel.SparseMap(fenchel.Permutahedron([1e308, -1e308])), r"w\[0\] is 1e\+308")):
            with self.assertRaisesRegex(ValueError, name):
                call()


class Surprises(unittest.TestCase):
    """What a new user tries, and must not get a wrong number for."""

    def test_value_outside_of_the_domain(self):
        for mu, omega in (([2, 2, 2], "tsallis:alpha=1.5"), ([-1, 1, 1], "shannon"), ([np.nan, 0.3, 0.5], "shannon"),
                          ([2.0, 0.5], "sigmoid"), ([-1.0, 0.5], "poisson")):
            with self.assertRaisesRegex(ValueError, "mu"):
                fenchel.value(mu, omega)

    def test_parameters_do_not_change(self):
        omega = fenchel.Tsallis(1.5)
        with self.assertRaisesRegex(AttributeError, "alpha of Tsallis.*make another"):
            omega.alpha = 3
        self.assertEqual(omega.alpha, 1.5)

    def test_parameters_are_checked_at_once(self):
        for make in (lambda: fenchel.Tsallis(float("nan")), lambda: fenchel.Norm(1 + 2j), lambda: fenchel.KSubsets(3, 5),
                     lambda: fenchel.Chain(-1, 2), lambda: fenchel.entmax([1.0, 2.0], float("nan"))):
            with self.assertRaises(ValueError) as error:
                make()
            self.assertNotIn("JSON", str(error.exception))

    def test_axis_of_natural_shapes(self):
        omega = fenchel.SparseMap(fenchel.Arborescence(3))
        with self.assertRaisesRegex(ValueError, "axis is 0; scores with the natural shape"):
            fenchel.predict(np.zeros((3, 3)), omega, axis=0)

    def test_messages(self):
        for call, message in ((lambda: fenchel.predict(np.ma.array([1.0, 2.0], mask=[0, 1]), "sparsemax"), "masked array"),
                              (lambda: fenchel.predict([1.0, 2.0], fenchel.Tsallis), "the class Tsallis; expected an object"),
                              (lambda: fenchel.predict([1.0, 2.0], "sparsemax", out=[0, 0]), "out is list"),
                              (lambda: fenchel.predict([1.0, 2.0], "sparsemax", axis=None), "axis is None")):
            with self.assertRaisesRegex(TypeError, message):
                call()
        with self.assertRaisesRegex(ValueError, "dtype float64; expected .* integer labels"):
            fenchel.loss(np.zeros((3, 3)), [0.0, 1.0, 2.0], "sparsemax")

    def test_polytopes_as_texts(self):
        self.assertEqual(fenchel.SparseMap("arborescence:n=3"), fenchel.SparseMap(fenchel.Arborescence(3)))


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    unittest.main()
