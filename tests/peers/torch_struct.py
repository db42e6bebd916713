# SPDX-License-Identifier: Apache-2.0
"""torch-struct: structures and semirings become `Distribution` over `Sequence`, `ProjectiveTree` and `Arborescence`.

Draws of models that ours has not (semi-Markov models, grammars) are rejected, so that a test runs for the models that it has.
"""
import functools
import itertools

import fenchel
import fenchel.torch as ft
import numpy as np
import torch

from peers.peer import Peer, module

PEER = Peer(
    title="torch-struct", package="torch-struct", version="0.5",
    sha256="a40e234353f3b1a1df743100a781949b84b48877578340e77dc5066899c06495",
    tests=("torch_struct/test_algorithms.py",), as_package=True,
    ours="`Distribution`, `fenchel.torch.conjugate`; tests that draw a model run for chains and trees",
    does_not_apply={
        "semi-Markov models and context-free grammars": ["test_simple_b", "test_cky", "test_generic_a"],
        "conversions of sequences alone": ["test_parts_from_sequence"],
    },
)


class Semiring:
    """What is asked for: `sum` is over labels of arcs."""

    def __init__(self, name, k=1, labels=None):
        self.name, self.k, self.sum = name, k, labels


LOG = Semiring("log", labels=lambda scores: scores.logsumexp(-1))
MAX = Semiring("max", labels=lambda scores: scores.amax(-1))


class Structure:
    """A model over `polytope(n, …)`, whose potentials are padded to the layout of ours and back."""

    def __init__(self, semiring=LOG):
        self.semiring = semiring

    def padded(self, potentials):
        return potentials

    def unpadded(self, parts):
        return parts

    def distribution(self, potentials, lengths):
        theta = self.padded(potentials).detach().numpy()
        lengths = None if lengths is None else [int(n) for n in lengths]
        return fenchel.Distribution(self.polytope(theta), theta, lengths)

    def sum(self, potentials, lengths=None, _raw=False):
        name = self.semiring.name
        if potentials.dim() > self.axes:
            potentials = self.semiring.sum(potentials)
        if lengths is None and name in ("log", "sparse"):
            theta = self.padded(potentials)
            kind = fenchel.Marginal if name == "log" else fenchel.SparseMap
            return ft.conjugate(theta, kind(self.polytope(theta)))
        if name == "counts":
            return self.__class__(LOG).sum(potentials.double().log(), lengths).exp().to(potentials.dtype)
        found = self.distribution(potentials, lengths)
        values = {"log": lambda: found.log_partition, "entropy": lambda: found.entropy,
                  "max": lambda: found.k_best(self.semiring.k).scores.T}[name]()
        values = torch.as_tensor(np.array(values)).to(potentials.dtype)
        return values[0] if name == "max" and not _raw else values

    def marginals(self, potentials, lengths=None, _raw=False):
        name = self.semiring.name
        if potentials.dim() > self.axes:
            best = torch.nn.functional.one_hot(potentials.argmax(-1), potentials.shape[-1])
            return self.marginals(self.semiring.sum(potentials), lengths).unsqueeze(-1) * best
        if name == "sparse":
            theta = self.padded(potentials)
            return self.unpadded(ft.predict(theta, fenchel.SparseMap(self.polytope(theta))))
        found = self.distribution(potentials, lengths)
        if name == "max":
            parts = np.moveaxis(found.k_best(self.semiring.k).structures, 1, 0)
            parts = parts if _raw else parts[0]
        else:
            parts = {"log": lambda: found.marginals, "sample": lambda: found.sample(1, seed=0)[:, 0]}[name]()
        return self.unpadded(torch.as_tensor(np.array(parts)))

    def score(self, potentials, parts):
        return (potentials * parts).flatten(1).sum(1)

    def enumerate(self, potentials, **options):
        """All structures, by brute force: their sum in the semiring, and the score of each."""
        scores = [self.score(potentials, structure).unsqueeze(0) for structure in self.structures(potentials, **options)]
        together = torch.cat(scores).T
        return (together.logsumexp(-1) if self.semiring.name == "log" else together.amax(-1)), scores


class LinearChain(Structure):
    axes = 4

    def padded(self, potentials):
        return torch.cat([torch.zeros_like(potentials[..., :1, :, :]), potentials], -3)

    def unpadded(self, parts):
        return parts[..., 1:, :, :]

    def polytope(self, theta):
        return fenchel.Sequence(theta.shape[1], theta.shape[2])

    def structures(self, potentials):
        steps, states = potentials.shape[1] + 1, potentials.shape[2]
        for tags in itertools.product(range(states), repeat=steps):
            yield self.to_parts(torch.tensor([tags]), states)

    @staticmethod
    def to_parts(tags, states, lengths=None):
        one_hot = torch.nn.functional.one_hot(tags, states)
        parts = one_hot[:, 1:, :, None] * one_hot[:, :-1, None, :]
        if lengths is not None:
            parts = parts * (torch.arange(1, tags.shape[1]) < torch.as_tensor(lengths)[:, None])[:, :, None, None]
        return parts

    @staticmethod
    def from_parts(parts):
        parts = parts.long()
        return torch.cat([parts[:, :1].sum(2).argmax(-1), parts.sum(3).argmax(-1)], 1), parts.shape[-1]

    @staticmethod
    def hmm(transition, emission, init, observations):
        seen = emission[observations]
        scores = transition + seen[:, 1:, :, None]
        scores[:, 0] += (init + seen[:, 0])[:, None, :]
        return scores

    @staticmethod
    def _rand():
        batch, steps, states = torch.randint(2, 4, (3,)).tolist()
        return torch.rand(batch, steps, states, states), (batch, steps + 1)


@functools.cache
def trees(n, projective, multi_root):
    """Heads of all trees of n words: −1 is the root."""
    found = []
    for heads in itertools.product(range(-1, n), repeat=n):
        arcs = [(min(head, word), max(head, word)) for word, head in enumerate(heads)]
        crossing = projective and any(a < c < b < d for a, b in arcs for c, d in arcs)
        if any(ends_in_a_cycle(heads, word) for word in range(n)) or crossing or not (multi_root or heads.count(-1) == 1):
            continue
        found.append(heads)
    return found


def ends_in_a_cycle(heads, word):
    for _ in heads:
        word = heads[word]
        if word < 0:
            return False
    return True


class DepTree(Structure):
    axes = 3

    def polytope(self, theta):
        return fenchel.ProjectiveTree(theta.shape[1])

    def structures(self, potentials, non_proj=False, multi_root=True):
        for heads in trees(potentials.shape[1], not non_proj, multi_root):
            yield self.to_parts(torch.tensor([heads]) + 1)

    @staticmethod
    def to_parts(heads, extra=None, lengths=None):
        words = torch.arange(heads.shape[1]).expand_as(heads)
        arcs = torch.nn.functional.one_hot(torch.where(heads == 0, words, heads - 1), heads.shape[1]).transpose(1, 2)
        if lengths is not None:
            arcs = arcs * (words < torch.as_tensor(lengths)[:, None])[:, None, :]
        return arcs

    @staticmethod
    def from_parts(arcs):
        heads = arcs.argmax(1)
        attached = arcs.long().sum(1) > 0
        return torch.where((heads == torch.arange(arcs.shape[1])) | ~attached, 0, heads + 1), None

    @staticmethod
    def _rand():
        batch, words = torch.randint(2, 4, (2,)).tolist()
        return torch.rand(batch, words, words), (batch, words)


def deptree_part(arcs):
    return ft.conjugate(arcs, fenchel.Marginal(fenchel.Arborescence(arcs.shape[1], single_root=True)))


def deptree_nonproj(arcs):
    return ft.predict(arcs, fenchel.Marginal(fenchel.Arborescence(arcs.shape[1], single_root=True)))


class Missing(Structure):
    """A model that ours has not."""

    def __init__(self, semiring=LOG):
        from hypothesis import reject
        reject()

    @staticmethod
    def _rand():
        raise NotImplementedError


def substitute():
    package = module("torch_struct")
    package.__path__ = ["torch_struct"]
    missing = [type(name, (Missing,), {}) for name in ("CKY", "CKY_CRF", "SemiMarkov", "Alignment")]
    for name, model in zip(("cky", "cky_crf", "semimarkov", "alignment"), missing):
        module(f"torch_struct.{name}", **{model.__name__: model})
    module("torch_struct.linearchain", LinearChain=LinearChain)
    module("torch_struct.deptree", DepTree=DepTree, deptree_part=deptree_part, deptree_nonproj=deptree_nonproj)
    sample = Semiring("sample")
    module("torch_struct.semirings", LogSemiring=LOG, MaxSemiring=MAX, StdSemiring=Semiring("counts"),
           KMaxSemiring=lambda k: Semiring("max", k), SparseMaxSemiring=Semiring("sparse"), SampledSemiring=sample,
           MultiSampledSemiring=sample, EntropySemiring=Semiring("entropy"), CheckpointSemiring=lambda semiring, _: semiring,
           CheckpointShardSemiring=lambda semiring, _: semiring)
