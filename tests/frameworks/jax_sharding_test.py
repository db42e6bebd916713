# SPDX-License-Identifier: Apache-2.0
"""fenchel.jax over several devices: shard_map, pmap, sharded arrays; donated arrays, and programs that are saved."""
import unittest

from jax_cases import Case, both_places, fj, jax, jnp, normal, np  # isort: skip
import fenchel
from fenchel.jax import crf, projections
from jax.sharding import Mesh, NamedSharding, PartitionSpec

jax.config.update("jax_num_cpu_devices", 2)
SHARES = PartitionSpec("rows")


def labels(theta):
    return jnp.zeros(theta.shape[0], int)


ROWS = {"entmax": lambda t: fj.entmax(t, 1.3), "large orders": lambda t: fj.entmax(t, 3.0), "norm": fj.normmax,
        "gradient": jax.grad(lambda t: fj.entmax15_loss(t, labels(t)).sum()),
        "orders": lambda t: fj.entmax(t, jnp.float32(1.4)),
        "box section": lambda t: projections.project_box_section(t, 0, 1, 1, 1.5),
        "ranks": jax.grad(lambda t: (fj.soft_rank(t) ** 2).sum()), "renyi": lambda t: fj.predict(t, "renyi:beta=0.5")}
SQUARES = {"plans": fj.sinkhorn, "alignments": fj.soft_dtw, "chains": lambda t: crf.log_partition(t, jnp.eye(3)),
           "doubly stochastic": projections.project_birkhoff}


class Devices(Case):
    def setUp(self):
        self.mesh = Mesh(np.array(jax.devices()), ("rows",))
        self.assertEqual(self.mesh.size, 2)

    def sharded(self, functions, theta):
        for name, function in functions.items():
            with self.subTest(name):
                program = jax.jit(jax.shard_map(lambda t, f=function: f(t), mesh=self.mesh, in_specs=SHARES, out_specs=SHARES))
                self.close(program(theta), function(theta), 1e-5)

    def test_shard_map(self):
        self.sharded(ROWS, normal(4, 6))
        self.sharded(SQUARES, normal(4, 3, 3))

    def test_shard_map_of_formulas(self):
        with fj.backend("formula"):
            self.sharded({name: ROWS[name] for name in ("entmax", "large orders", "gradient", "orders")}, normal(4, 6))
            self.sharded({"plans": fj.sinkhorn}, normal(4, 3, 3))

    @both_places
    def test_sharded_arrays(self):
        theta = normal(4, 6)
        expected = fenchel.entmax15(np.asarray(theta))
        for axes in (SHARES, PartitionSpec(None, "rows")):
            given = jax.device_put(theta, NamedSharding(self.mesh, axes))
            self.close(fj.entmax15(given), expected, 1e-6)
            self.close(jax.jit(lambda t: fj.entmax15(t))(given), expected, 1e-6)
        self.close(jax.pmap(lambda t: fj.entmax15(t))(theta.reshape(2, 2, 6)).reshape(4, 6), expected, 1e-6)
        self.close(fj.entmax15(jax.device_put(theta, jax.devices()[1])), expected, 1e-6)

    def test_donated_arrays(self):
        theta = normal(4, 6)
        self.close(jax.jit(lambda t: fj.entmax15(t), donate_argnums=0)(theta + 0), fj.entmax15(theta))

    def test_programs_that_are_saved(self):
        """Those of formulas run anywhere; those of the core where this package is."""
        theta, shape = normal(4, 6), jax.ShapeDtypeStruct(jax.export.symbolic_shape("rows, 6"), jnp.float32)
        allowed = [jax.export.DisabledSafetyCheck.custom_call("fenchel")]
        for place, checks in (("formula", []), ("auto", allowed)):
            with self.subTest(place), fj.backend(place):
                saved = jax.export.export(jax.jit(lambda t: fj.entmax15(t)), disabled_checks=checks)(shape).serialize()
                self.close(jax.export.deserialize(saved).call(theta), fj.entmax15(theta), 1e-6)


if __name__ == "__main__":
    unittest.main()
