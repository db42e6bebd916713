# SPDX-License-Identifier: Apache-2.0
"""fenchel.jax gives the golden values, in the core and in formulas, in double and in single precision."""
import collections
import json
import pathlib
import unittest

from jax_cases import Case, fj, jax, np, numbers, precision  # isort: skip
import fenchel

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
FILES = ("simplex", "measures", "cost_sensitive", "jvp", "structured")
OPERATIONS = {
    "predict": lambda omega: lambda theta: fj.predict(theta, omega),
    "conjugate": lambda omega: lambda theta: fj.conjugate(theta, omega),
    "value": lambda omega: lambda mu: fj.value(mu, omega),
    "loss": lambda omega: lambda theta, y: fj.loss(theta, y, omega),
    "gradient": lambda omega: lambda theta, y: jax.grad(lambda t: fj.loss(t, y, omega).sum())(theta),
    "jvp": lambda omega: lambda theta, v: jax.jvp(lambda t: fj.predict(t, omega), (theta,), (v,))[1],
}
ARGUMENTS = {"value": ("mu",), "loss": ("theta", "y"), "gradient": ("theta", "y"), "jvp": ("theta", "v")}


def groups(limit=float("inf")):
    """Cases of one Ω and size together: one program computes them."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for name in FILES:
        for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            given = [numbers(case[key]) for key in ARGUMENTS.get(case["op"], ("theta",)) if key in case]
            if case["op"] in OPERATIONS and len(given) == len(ARGUMENTS.get(case["op"], ("theta",))):
                sizes = [abs(x) for row in given for x in row if np.isfinite(x)]
                if max(sizes) < limit:
                    found[json.dumps(case["omega"]), len(given[0])][case["op"]].append((given, case))
    return found


class Golden(Case):
    def judge(self, place, dtype, tolerance, limit=float("inf")):
        count = 0
        with precision(dtype), fj.backend(place):
            for (omega, _), operations in list(groups(limit).items())[::1 if dtype == np.float64 else 8]:
                omega = json.loads(omega)
                functions = {name: OPERATIONS[name](omega) for name in operations}
                given = {name: [np.asarray(rows, dtype) for rows in zip(*(given for given, _ in cases))]
                         for name, cases in operations.items()}
                try:
                    found = jax.jit(lambda given, f=functions: {name: f[name](*given[name]) for name in given})(given)
                except NotImplementedError:
                    if place == "formula":
                        continue
                    raise
                for name, cases in operations.items():
                    for row, (_, case) in zip(np.asarray(found[name]), cases):
                        self.close(row, case["expect"], tolerance, case["id"])
                        count += 1
        return count

    @unittest.skipUnless(fj.core_available(), "the package was built without jaxlib's headers")
    def test_core_double(self):
        self.assertGreater(self.judge("core", np.float64, 2e-9), 600)

    @unittest.skipUnless(fj.core_available(), "the package was built without jaxlib's headers")
    def test_core_single(self):
        self.assertGreater(self.judge("core", np.float32, 5e-5, 200), 50)

    def test_formulas_double(self):
        self.assertGreater(self.judge("formula", np.float64, 2e-9), 250)

    def test_formulas_single(self):
        self.assertGreater(self.judge("formula", np.float32, 5e-5, 200), 25)

    def test_same_as_numpy(self):
        theta = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
        for omega in ("sparsemax", "renyi:beta=0.5", "pairwise_hinge", fenchel.Sum("squared", "shannon")):
            self.close(fj.predict(theta, omega), fenchel.predict(theta, omega), 1e-6, omega)

    def test_every_omega_over_structures_is_that_of_numpy(self):
        random = np.random.default_rng(0)
        count = 0
        with_entropy = [lambda one, kind=kind: kind(one, "sparsemax") for kind in (fenchel.SmoothedPaths, fenchel.MaximumEntropy)]
        for structures in (fenchel.Sequence(3, 2), fenchel.Alignment(3, 2), fenchel.Permutahedron([3.0, 2.0, 1.0]),
                           fenchel.Transport([0.5, 0.5], [0.3, 0.7])):
            for kind in (fenchel.Map, fenchel.Marginal, fenchel.SparseMap, fenchel.Entropic, fenchel.Bregman, fenchel.Conic,
                         *with_entropy):
                try:
                    omega = kind(structures)
                    theta = random.normal(size=(2, omega.dimension)).astype(np.float32)
                    y = fenchel.predict(theta[::-1], fenchel.Map(structures))
                    expected = (fenchel.predict(theta, omega), *fenchel.value_and_gradient(theta, y, omega))
                except ValueError:  # not every Ω is over every set
                    continue
                found = jax.jit(lambda t, y=y, omega=omega: (fj.predict(t, omega), *fj.value_and_grad(t, y, omega)))(theta)
                for one, wanted in zip(found, expected):
                    self.close(one, wanted, 1e-4, omega)
                count += 1
        self.assertGreater(count, 15)


if __name__ == "__main__":
    unittest.main()
