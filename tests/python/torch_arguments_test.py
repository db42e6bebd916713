# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of fenchel.torch that are no tensors: errors name them, their value and what was expected."""
import unittest

import fenchel.torch as ft
import numpy as np
from torch_tensors import torch  # skips the file where there is no PyTorch

THETA, Y = torch.tensor([[1.0, 0.5, 0.0, -1.0], [0.0, 0.5, 2.0, 1.0]]), torch.tensor([0, 1])
EMISSIONS, TAGS = torch.zeros(3, 2, 4), torch.zeros(3, 2, dtype=torch.int64)

NUMBERS = {
    "alpha": (lambda a: ft.entmax(THETA, a), lambda a: ft.entmax_loss(THETA, Y, a), ft.Entmax, ft.EntmaxLoss,
              lambda a: ft.entmax_bisect(THETA, a), lambda a: ft.EntmaxBisect(a)(THETA), ft.EntmaxBisectLoss,
              lambda a: ft.entmax_bisect_loss(THETA, Y, a), lambda a: ft.normmax_bisect(THETA, a),
              lambda a: ft.NormmaxBisect(a)(THETA), lambda a: ft.normmax_bisect_loss(THETA, Y, a), ft.NormmaxBisectLoss),
    "q": (lambda q: ft.normmax(THETA, q), ft.Normmax),
    "budget": (lambda k: ft.budget_bisect(THETA, k), lambda k: ft.BudgetBisect(k)(THETA)),
    "gamma": (lambda g: ft.soft_dtw(THETA, g), lambda g: ft.SoftDTW(g)(THETA[None], THETA[None]),
              lambda g: ft.sinkhorn(THETA, gamma=g)),
    "low": (lambda a: ft.LearnableAlpha(low=a), lambda a: ft.AdaptiveEntmax(2, low=a)),
    "high": (lambda a: ft.LearnableAlpha(high=a),),
    "init": (lambda a: ft.LearnableAlpha(init=a), lambda a: ft.AdaptiveEntmax(2, init=a)),
    "num_tags": (ft.CRF,),
    "num_heads": (ft.AdaptiveEntmax,),
    "k": (lambda k: ft.CRF(4).k_best(EMISSIONS, k),),
    "shape": (lambda a: ft.LearnableAlpha((2, a)),),
}
MASKED = (lambda m: ft.predict(THETA, "softmax", mask=m), lambda m: ft.entmax(THETA, 1.5, mask=m),
          lambda m: ft.softmax(THETA, mask=m), lambda m: ft.normmax(THETA, mask=m),
          lambda m: ft.CRF(4)(EMISSIONS, TAGS, m), lambda m: ft.CRF(4).decode(EMISSIONS, m))
REDUCED = (lambda r: ft.FenchelYoungLoss("softmax", r), lambda r: ft.loss(THETA, Y, "softmax", reduction=r),
           lambda r: ft.EntmaxLoss(1.5, r), lambda r: ft.CRF(4)(EMISSIONS, TAGS, reduction=r))


class Arguments(unittest.TestCase):
    def test_numbers(self):
        for name, calls in NUMBERS.items():
            for number, call in enumerate(calls):
                for value, shown in ((None, "None"), ([1.5, 2], r"\[1.5, 2\]"), ("a", "'a'")):
                    with self.subTest(name, call=number, value=value), \
                            self.assertRaisesRegex(TypeError, f"^{name} is {shown}; expected a "):
                        call(value)

    def test_numbers_of_other_types(self):
        for alpha in (np.float32(1.5), np.array(1.5), 3 / 2):
            self.assertTrue(torch.equal(ft.entmax(THETA, alpha), ft.entmax15(THETA)))
        self.assertEqual(ft.Normmax(np.int64(2)).q, 2.0)
        self.assertEqual(ft.CRF(np.int64(3)).num_tags, 3)

    def test_masks_and_tags(self):
        for number, call in enumerate(MASKED):
            for mask in ([[1, 1, 0, 0]] * 2, np.ones((2, 4), bool), "a", 3):
                with self.subTest(call=number, mask=mask), \
                        self.assertRaisesRegex(TypeError, f"^mask is {type(mask).__name__}; expected a tensor"):
                    call(mask)
        for tags in (None, [[0, 1], [1, 2], [0, 0]]):
            with self.assertRaisesRegex(TypeError, "^tags is .*; expected a tensor"):
                ft.CRF(4)(EMISSIONS, tags)

    def test_reductions_and_names(self):
        for call in REDUCED:
            for reduction in (np.ones(2), ["mean"], None):
                with self.assertRaisesRegex(ValueError, "reduction(:| is) .*; expected"):
                    call(reduction)
        for structure in (["arborescence"], {"name": "arborescence"}):
            with self.assertRaisesRegex(ValueError, "^structure is .*; expected one of alignment"):
                ft.StructuredLoss(structure)
        with self.assertRaisesRegex(TypeError, r"^omega is \['crf'\]; expected a name"):
            ft.StructuredLoss("arborescence", ["crf"])

    def test_shapes_of_alpha(self):
        for make, message in ((lambda: ft.LearnableAlpha(None), "shape is None; expected a whole number or a tuple"),
                              (lambda: ft.LearnableAlpha(-1), "shape is -1; expected a whole number >= 0"),
                              (lambda: ft.LearnableAlpha(2, init=torch.full((3,), 1.5)),
                               r"init has shape \(3,\); expected one that expands to \(2,\)")):
            with self.assertRaisesRegex((TypeError, ValueError), "^" + message):
                make()


if __name__ == "__main__":
    unittest.main()
