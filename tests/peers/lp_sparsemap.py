# SPDX-License-Identifier: Apache-2.0
"""lp-sparsemap: graphs of factors are the sets that ours has.

Where each row and each column has an Xor, the graph is the Birkhoff polytope; a graph without factors is the cube.
"""
import fenchel
import fenchel.torch as ft
import numpy as np
import torch

from peers.peer import Peer, module

PEER = Peer(
    title="lp-sparsemap", package="lp-sparsemap", version="1.0",
    sha256="7213984348965b31e5888c82970526dc96532d68a55af35d52f32756b2255b73",
    tests=("lpsmap/tests/test_basic.py", "lpsmap/tests/test_map.py", "lpsmap/tests/test_torch_autograd.py"), as_package=True,
    left_out={
        "its reference solver uses names that NumPy no longer has; a test of ours below has the same factors": [
            "lpsmap/tests/test_logic_factors.py"],
    },
    ours="`SparseMap` and `Map` over `Birkhoff`, `Cube`, trees and sequences",
)


class Variable:
    """A tensor of variables, or a part of one."""

    def __init__(self, scores, whole=None, places=None):
        self.scores, self.whole = scores, whole or self
        self.places = np.arange(int(np.prod(scores.shape))).reshape(tuple(scores.shape)) if places is None else places

    def __getitem__(self, part):
        return Variable(self.scores, self.whole, self.places[part])

    @property
    def value(self):
        return self.whole.found.reshape(-1)[self.places]


class Xor:
    def __init__(self, variables):
        self.places = variables.places


class DepTree:
    def __init__(self, variables, packed, projective):
        self.set = fenchel.ProjectiveTree if projective else fenchel.Arborescence


class Pair:
    def __init__(self, first, second, score):
        self.places, self.score = (int(first.places), int(second.places)), score


class FactorGraph:
    predict = staticmethod(fenchel.predict)

    def __init__(self):
        self.factors = []

    def variable_from(self, scores):
        self.variable = Variable(scores)
        return self.variable

    def add(self, factor):
        self.factors.append(factor)

    def solve(self):
        scores = self.variable.scores
        flat = scores.reshape(-1)
        if not self.factors:
            found = self.predict(flat, fenchel.SparseMap(fenchel.Cube(len(flat))))
        else:
            lines = {tuple(factor.places) for factor in self.factors}
            assert lines == {*map(tuple, self.variable.places), *map(tuple, self.variable.places.T)}
            found = self.predict(flat, fenchel.SparseMap(fenchel.Birkhoff(scores.shape[0])))
        self.variable.found = found.reshape(scores.shape)


class TorchFactorGraph(FactorGraph):
    predict = staticmethod(ft.predict)

    def solve_map(self, **options):
        scores = self.variable.scores
        if isinstance(self.factors[0], DepTree):
            self.variable.found = ft.predict(scores, fenchel.Map(self.factors[0].set(scores.shape[0])))
            return
        found = torch.zeros_like(scores)
        for pair in self.factors:
            theta = torch.zeros(2, 2, 2)  # [step, state, state before]
            theta[0, 1], theta[1, 1] = scores[pair.places[0]], scores[pair.places[1]]
            theta[1, 1, 1] += pair.score[0]
            states = ft.predict(theta, fenchel.Map(fenchel.Sequence(2, 2))).sum(2)[:, 1]
            found[list(pair.places)] = states
        self.variable.found = found


def substitute():
    package = module("lpsmap", FactorGraph=FactorGraph, TorchFactorGraph=TorchFactorGraph, Xor=Xor, DepTree=DepTree, Pair=Pair)
    package.__path__ = ["lpsmap"]
