# SPDX-License-Identifier: Apache-2.0
"""fenchel.torch.CRF against enumeration and its peer."""
import itertools
import math
import unittest

import numpy as np

from torch_tensors import double, torch  # isort: skip

import fenchel.torch as ft
from torch.autograd import gradcheck, gradgradcheck

try:
    import torchcrf
except ImportError:
    torchcrf = None

LENGTHS = torch.tensor([4, 1, 3])
STEPS, TAGS = 4, 3


def crf_of(omega="crf", seed=0):
    torch.manual_seed(seed)
    crf = ft.CRF(TAGS, batch_first=True, omega=omega).double()
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter)
    return crf


def batch():
    mask = torch.arange(STEPS) < LENGTHS[:, None]
    return double(3, STEPS, TAGS), torch.randint(0, TAGS, (3, STEPS), generator=torch.Generator().manual_seed(1)), mask


def score(crf, emissions, tags):
    total = crf.start_transitions[tags[0]] + crf.end_transitions[tags[-1]]
    for t, tag in enumerate(tags):
        total = total + emissions[t, tag] + (crf.transitions[tags[t - 1], tag] if t else 0)
    return total


def _with(crf, transitions):
    """The same layer with other transitions, as a function of them."""
    return lambda *arguments: torch.func.functional_call(crf, {"transitions": transitions}, arguments)


class Crf(unittest.TestCase):
    def setUp(self):
        self.emissions, self.tags, self.mask = batch()

    def test_enumeration(self):
        crf = crf_of()
        likelihoods = crf(self.emissions, self.tags, self.mask, reduction="none")
        marginals = crf.marginals(self.emissions, self.mask)
        decoded, best = crf.decode(self.emissions, self.mask), crf.k_best(self.emissions, 4, self.mask)
        for i, n in enumerate(LENGTHS.tolist()):
            sequences = list(itertools.product(range(TAGS), repeat=n))
            scores = torch.stack([score(crf, self.emissions[i], s) for s in sequences]).detach()
            log = scores - scores.logsumexp(0)
            truth = sequences.index(tuple(self.tags[i, :n].tolist()))
            self.assertAlmostEqual(likelihoods[i].item(), log[truth].item(), places=10)
            expected = torch.zeros(STEPS, TAGS, dtype=torch.float64)
            for sequence, probability in zip(sequences, log.exp()):
                for t, tag in enumerate(sequence):
                    expected[t, tag] += probability
            torch.testing.assert_close(marginals[i], expected)
            order = log.argsort(descending=True)[:4]
            self.assertEqual(decoded[i], list(sequences[order[0]]))
            self.assertEqual([tags for tags, _ in best[i]], [list(sequences[k]) for k in order])
            np.testing.assert_allclose([p for _, p in best[i]], log[order].numpy())

    def test_gradients(self):
        for omega in ("crf", "sparsemap", "hinge", "perceptron"):
            crf = crf_of(omega)
            inputs = (self.emissions, *crf.parameters())
            with self.subTest(omega=omega):
                self.assertTrue(gradcheck(lambda e, *_: crf(e, self.tags, self.mask, reduction="none"), inputs))
                self.assertTrue(gradcheck(lambda e, *_: crf.marginals(e, self.mask), inputs))
                self.assertTrue(gradgradcheck(lambda e: crf(e, self.tags, self.mask), self.emissions))
                if omega in ("crf", "sparsemap"):
                    self.assertTrue(gradgradcheck(lambda e: crf.marginals(e, self.mask), self.emissions))

    def test_hinge_counts_wrong_tags(self):
        crf = crf_of("hinge")
        losses = -crf(self.emissions, self.tags, self.mask, reduction="none")
        for i, n in enumerate(LENGTHS.tolist()):
            truth = tuple(self.tags[i, :n].tolist())
            expected = max(score(crf, self.emissions[i], s) + sum(a != b for a, b in zip(s, truth))
                           for s in itertools.product(range(TAGS), repeat=n)) - score(crf, self.emissions[i], truth)
            self.assertAlmostEqual(losses[i].item(), expected.item(), places=10)

    def test_layout_padding_and_errors(self):
        crf = crf_of()
        first = crf(self.emissions, self.tags, self.mask)
        crf.batch_first = False
        second = crf(self.emissions.transpose(0, 1), self.tags.T, self.mask.T)
        torch.testing.assert_close(first, second)
        self.assertEqual(crf.marginals(self.emissions.transpose(0, 1), self.mask.T).shape, (STEPS, 3, TAGS))
        crf.batch_first = True
        padded, tags = self.emissions.detach().clone(), self.tags.clone()
        padded[~self.mask], tags[~self.mask] = math.nan, -100
        torch.testing.assert_close(crf(padded, tags, self.mask), first)
        half = torch.randn(2, 3, TAGS).bfloat16()
        labels = torch.zeros(2, 3, dtype=torch.int64)
        self.assertEqual(ft.CRF(TAGS, True)(half, labels).dtype, torch.float32)  # that of the parameters
        self.assertEqual(ft.CRF(TAGS, True).bfloat16()(half, labels).dtype, torch.bfloat16)
        with torch.autocast("cpu", torch.bfloat16):
            self.assertEqual(ft.CRF(TAGS, True).bfloat16()(half, labels, reduction="none").dtype, torch.float32)
        for message, call in (("first timestep", lambda: crf.decode(self.emissions, torch.zeros_like(self.mask))),
                              ("emissions", lambda: crf.decode(self.emissions[..., :2])),
                              ("tags", lambda: crf(self.emissions, self.tags + 5, self.mask)),
                              ("reduction", lambda: crf(self.emissions, self.tags, reduction="average")),
                              ("number of tags: 0", lambda: ft.CRF(0)), ("omega", lambda: ft.CRF(2, omega="viterbi"))):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                call()

    def test_masks_with_gaps(self):
        """Steps that a mask leaves out are as if they were not there."""
        crf = crf_of()
        mask = torch.tensor([[1, 0, 1, 1], [1, 0, 0, 0], [1, 0, 0, 1]], dtype=torch.uint8)
        got = crf(self.emissions, self.tags, mask, reduction="none")
        marginals, decoded, best = crf.marginals(self.emissions, mask), crf.decode(self.emissions, mask), \
            crf.k_best(self.emissions, 2, mask)
        for i in range(3):
            steps = mask[i].nonzero().squeeze(1)
            emissions, tags = self.emissions[i:i + 1, steps], self.tags[i:i + 1, steps]
            torch.testing.assert_close(got[i], crf(emissions, tags))
            torch.testing.assert_close(marginals[i, steps], crf.marginals(emissions)[0])
            torch.testing.assert_close(marginals[i].sum(), marginals[i, steps].sum())
            self.assertEqual([decoded[i]], crf.decode(emissions))
            self.assertEqual(best[i][0][0], decoded[i])
        self.assertTrue(gradcheck(lambda e: crf(e, self.tags, mask), self.emissions))
        crf.batch_first = False
        torch.testing.assert_close(crf(self.emissions.transpose(0, 1), self.tags.T, mask.T, reduction="none"), got)

    def test_forbidden_transitions(self):
        crf = crf_of()
        with torch.no_grad():
            crf.transitions[0, 0] = crf.transitions[0, 1] = -math.inf
        tags = torch.full((3, STEPS), 2)
        emissions = self.emissions.detach().transpose(0, 1)
        likelihood = crf._compute_score(emissions, tags.T, self.mask.T) - crf._compute_normalizer(emissions, self.mask.T)
        torch.testing.assert_close(likelihood, crf(self.emissions.detach(), tags, self.mask, reduction="none"))

    def test_types_of_emissions_and_parameters(self):
        crf, emissions = crf_of(), self.emissions.detach()
        exact = crf(emissions.float().double(), self.tags, self.mask)
        torch.testing.assert_close(crf(emissions.float(), self.tags, self.mask), exact, rtol=1e-14, atol=0)
        self.assertTrue(gradcheck(lambda t: _with(crf, t)(emissions.float(), self.tags, self.mask), crf.transitions))

    def test_gaps_in_compiled_functions(self):
        crf, emissions = crf_of(), self.emissions.detach()
        mask = torch.tensor([[1, 0, 1, 1], [1, 0, 0, 0], [1, 0, 0, 1]], dtype=torch.bool)
        compiled = torch.compile(crf, backend="eager")
        torch.testing.assert_close(compiled(emissions, self.tags, mask), crf(emissions, self.tags, mask))

    def test_no_sequences(self):
        for omega in ("crf", "sparsemap", "hinge"):
            crf = ft.CRF(TAGS, batch_first=True, omega=omega)
            for steps in (STEPS, 0):
                emissions = torch.zeros(0, steps, TAGS, requires_grad=True)
                tags = torch.zeros(0, steps, dtype=torch.int64)
                for reduction in ("sum", "mean", "token_mean"):
                    likelihood = crf(emissions, tags, reduction=reduction)
                    likelihood.backward()
                    self.assertEqual(likelihood.item(), 0)
                self.assertEqual(crf.marginals(emissions).shape, (0, steps, TAGS))
                self.assertEqual((crf.decode(emissions), crf.k_best(emissions, 2)), ([], []))

    @unittest.skipIf(torchcrf is None, "pytorch-crf is not installed")
    def test_what_programs_use_of_pytorch_crf(self):
        """Its messages, its repr, and the methods behind its interface, which have the steps first."""
        peer, crf = torchcrf.CRF(TAGS), ft.CRF(TAGS)
        crf.load_state_dict(peer.state_dict())
        self.assertEqual(repr(crf), repr(peer))
        emissions, tags, mask = self.emissions.detach().float().transpose(0, 1), self.tags.T, self.mask.T
        for batch_first in (False, True):
            crf.batch_first = batch_first
            torch.testing.assert_close(crf._compute_score(emissions, tags, mask), peer._compute_score(emissions, tags, mask))
            torch.testing.assert_close(crf._compute_normalizer(emissions, mask), peer._compute_normalizer(emissions, mask))
            self.assertEqual(crf._viterbi_decode(emissions, mask), peer._viterbi_decode(emissions, mask))
        crf.batch_first = False
        empty = torch.zeros_like(mask)
        for arguments in ((emissions[0], tags), (emissions[..., :2], tags), (emissions, tags[:2]), (emissions, tags, mask[:2]),
                          (emissions, tags, empty), (emissions, tags, mask, "average")):
            with self.assertRaises(ValueError) as theirs:
                peer(*arguments)
            with self.assertRaises(ValueError) as ours:
                crf(*arguments)
            self.assertTrue(str(ours.exception).startswith(str(theirs.exception)), str(ours.exception))
        with self.assertRaisesRegex(ValueError, "^invalid number of tags: 0"):
            ft.CRF(0)

    @unittest.skipIf(torchcrf is None, "pytorch-crf is not installed")
    def test_same_as_pytorch_crf(self):
        peer = torchcrf.CRF(TAGS, batch_first=True).double()
        crf = ft.CRF(TAGS, batch_first=True).double()
        crf.load_state_dict(peer.state_dict())
        for reduction in ("sum", "mean", "token_mean", "none"):
            ours = crf(self.emissions, self.tags, self.mask, reduction=reduction)
            theirs = peer(self.emissions, self.tags, self.mask, reduction=reduction)
            torch.testing.assert_close(ours, theirs)
            for one, other in zip(torch.autograd.grad(ours.sum(), [self.emissions, *crf.parameters()]),
                                  torch.autograd.grad(theirs.sum(), [self.emissions, *peer.parameters()])):
                torch.testing.assert_close(one, other)
        self.assertEqual(crf.decode(self.emissions, self.mask), peer.decode(self.emissions, self.mask))

    def test_13_log_likelihoods_are_never_positive(self):
        for scale, steps in ((1e4, 50), (1e6, 200)):
            crf = ft.CRF(5, batch_first=True)
            emissions = torch.randn(4, steps, 5) * scale
            best = torch.tensor(crf.decode(emissions))
            likelihoods = crf(emissions, best, reduction="none")
            self.assertTrue(((likelihoods <= 0) & torch.isfinite(likelihoods)).all())

    def test_14_marginals_and_k_best(self):
        crf = crf_of()
        torch.testing.assert_close(crf.marginals(self.emissions, self.mask).sum(-1), self.mask.double())
        self.assertEqual([len(found) for found in crf.k_best(self.emissions, 5, self.mask)], [5, 3, 5])


if __name__ == "__main__":
    unittest.main()
