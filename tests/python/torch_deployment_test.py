# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch in training loops of others: autocast, gradient scaling, functional_call, two processes with DDP."""
import os
import subprocess
import sys
import tempfile
import unittest

from torch_tensors import torch  # isort: skip

import fenchel.torch as ft

LABELS = torch.tensor([0, 2, -100, 4, 1, 1])

# A process of two. Losses are sums, so that the mean of the two gradients is half of that of the whole batch.
PROCESS = """
import sys, torch, torch.distributed as distributed
import fenchel.torch as ft
rank, place, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
torch.set_num_threads(1)
import datetime
distributed.init_process_group("gloo", init_method="file://" + place, rank=rank, world_size=2,
                               timeout=datetime.timedelta(seconds=60))
from torch_deployment_network import network, batch, step
model = torch.nn.parallel.DistributedDataParallel(network())
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(3):
    step(model, optimizer, *(part[rank::2] for part in batch()), 1.0)
if rank == 0:
    torch.save(model.module.state_dict(), out)
distributed.destroy_process_group()
"""


class MixedPrecision(unittest.TestCase):
    def test_autocast(self):
        theta = torch.randn(6, 5)
        for kind in (torch.bfloat16, torch.float16):
            linear, alpha = torch.nn.Linear(5, 5), ft.LearnableAlpha()
            with self.subTest(kind), torch.autocast("cpu", kind):
                scores = linear(theta)
                self.assertEqual(scores.dtype, kind)
                for layer in (ft.Sparsemax(), ft.Entmax(1.3), ft.Entmax(alpha), ft.Normmax(2), ft.SparseSigmoid()):
                    p = layer(scores)
                    self.assertEqual(p.dtype, kind)
                    torch.testing.assert_close(p.float(), layer(scores.float()).float(), rtol=0, atol=8e-3)
                for loss in (ft.FenchelYoungLoss("entmax15"), ft.EntmaxLoss(alpha)):
                    value = loss(scores, LABELS)
                    self.assertEqual(value.dtype, torch.float32)
                    torch.testing.assert_close(value, loss(scores.float(), LABELS))
                    value.backward(retain_graph=True)
            self.assertTrue(all(one.grad.isfinite().all() for one in (*linear.parameters(), *alpha.parameters())))

    def test_a_step_that_overflowed_is_skipped(self):
        linear = torch.nn.Linear(5, 5)
        before = [one.detach().clone() for one in linear.parameters()]
        scaler, optimizer = torch.amp.GradScaler("cpu", init_scale=2.0**120), torch.optim.SGD(linear.parameters(), 0.1)
        for expected in (True, False):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.float16):
                loss = ft.FenchelYoungLoss("sparsemax")(linear(torch.ones(6, 5)), LABELS)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update(None if expected is False else 1024.0)
            same = all(torch.equal(now, then) for now, then in zip(linear.parameters(), before))
            self.assertEqual(same, expected)


class Functional(unittest.TestCase):
    def test_functional_call(self):
        """Gradients of each example, and of an ensemble, by torch.func."""
        model = torch.nn.Sequential(torch.nn.Linear(4, 5), ft.AdaptiveEntmax(1), torch.nn.Linear(5, 3)).double()
        loss = ft.FenchelYoungLoss("entmax15")
        values = {name: one.detach() for name, one in model.named_parameters()}
        x, y = torch.randn(6, 1, 1, 4, dtype=torch.float64), torch.tensor([0, 2, 1, 1, 0, 2])

        def of_one(parameters, row, label):
            return loss(torch.func.functional_call(model, parameters, (row,)).reshape(-1), label)

        each = torch.func.vmap(torch.func.grad(of_one), (None, 0, 0))(values, x, y)
        for i in range(6):
            model.zero_grad()
            of_one(dict(model.named_parameters()), x[i], y[i]).backward()
            for name, one in model.named_parameters():
                torch.testing.assert_close(each[name][i], one.grad, rtol=1e-9, atol=1e-12)

    def test_other_parameters_are_used(self):
        layer = ft.Entmax(ft.LearnableAlpha())
        theta = torch.tensor([1.6, 1.1, 0.4])
        found = torch.func.functional_call(layer, {"alpha.z": torch.tensor(40.0)}, (theta,))
        torch.testing.assert_close(found, ft.sparsemax(theta))


class Processes(unittest.TestCase):
    def test_two_processes(self):
        """Two processes with half of the batch each end where one with the whole does. They meet in a file."""
        from torch_deployment_network import batch, network, step

        alone = network()
        optimizer = torch.optim.SGD(alone.parameters(), 0.1)
        for _ in range(3):
            step(alone, optimizer, *batch(), 0.5)
        with tempfile.TemporaryDirectory() as folder:
            place, out = os.path.join(folder, "meeting"), os.path.join(folder, "state.pt")
            here = os.path.dirname(os.path.abspath(__file__))
            environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1",
                           "PYTHONPATH": os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))}
            both = [subprocess.Popen([sys.executable, "-c", PROCESS, str(rank), place, out], env=environment,
                                     stderr=subprocess.PIPE, text=True) for rank in range(2)]
            try:
                told = [one.communicate(timeout=120)[1] for one in both]
            finally:
                for one in both:
                    one.kill()
                    one.wait()
            self.assertEqual([one.returncode for one in both], [0, 0], told)
            state = torch.load(out)
        self.assertEqual(set(state), set(alone.state_dict()))
        for name, value in alone.state_dict().items():
            torch.testing.assert_close(state[name], value, rtol=1e-9, atol=1e-12)
        self.assertGreater((alone.state_dict()["1.alpha.z"] - network().state_dict()["1.alpha.z"]).abs().max(), 1e-6)


if __name__ == "__main__":
    unittest.main()
