# SPDX-License-Identifier: Apache-2.0
"""A checkpoint resumes only under the flags that it was made with, whichever of them changes."""
import pathlib
import unittest

from folder import Folder


class Resume(Folder):
    def setUp(self):
        super().setUp()
        self.checkpoint = self.path("checkpoint")

    def refused(self, data, changes, *common):
        """Every change is refused with the name of its flag; what only says when to stop may change."""
        flags = ["train", data, "--quiet", "--max-iterations", "2", *common]
        self.good(*flags, "--checkpoint", self.checkpoint)
        for flag, *value in changes:
            with self.subTest(flag):
                message = self.bad(*flags, flag, *value, "--resume", self.checkpoint)
                self.assertIn(f"the checkpoint was made with {flag.removeprefix('--')} '", message)
        self.good(*flags, "--resume", self.checkpoint, "--threads", "1", "--tolerance", "1e-3")

    def test_choices_of_rows(self):
        data = self.synth("train.svm", "classification", "--samples", "60", "--seed", "1")
        self.refused(data, [
            ("--task", "classification"), ("--omega", "sparsemax"), ("--lambda", "2"), ("--penalty", "l2"),
            ("--intercept", "penalised"), ("--scale", "standard"), ("--class-weight", "balanced"),
            ("--kernel", "rbf:gamma=1"), ("--solver", "lbfgs"), ("--seed", "5")])
        self.refused(data, [("--rho", "3"), ("--lambda", "2")], "--penalty", "elastic_net")

    def test_choices_of_taggers(self):
        data = self.synth("train.conll", "tagging", "--sentences", "20", "--seed", "1")
        templates = self.write("some.template", "U00:%x[0,0]\nU01:%x[-1,0]\nB\n")
        self.refused(data, [("--template", templates), ("--all-states",), ("--all-transitions",), ("--min-count", "2"),
                            ("--lambda", "2")], "--task", "tagging")

    def test_frank_wolfe_with_examples_that_teach_nothing(self):
        data = self.write("two.svm", "0 qid:2 1:-0.732 2:-0.544 3:-0.316\n1 qid:2 1:0.412 2:1.043 3:-0.129\n"
                                     "2 qid:2 1:1.366 2:-0.665 3:0.352\n2 qid:6 1:-0.662 2:-0.436 3:-1.17\n")
        for omega in ("structured_sparsemax", "sparsemap"):
            flags = ["train", data, "--omega", omega, "--solver", "frank_wolfe", "--quiet", "--max-iterations"]
            self.good(*flags, "5", "--checkpoint", self.checkpoint)
            self.good(*flags, "8", "--resume", self.checkpoint, "--model", self.path("resumed"))
            self.good(*flags, "8", "--model", self.path("whole"))
            resumed, whole = (pathlib.Path(self.path(name)).read_bytes() for name in ("resumed", "whole"))
            self.assertEqual(resumed, whole)

    def test_templates_are_known_by_their_text(self):
        data = self.synth("train.conll", "tagging", "--sentences", "20", "--seed", "1")
        flags = ["train", data, "--task", "tagging", "--quiet", "--max-iterations", "2", "--template"]
        text = "U00:%x[0,0]\nB\n"
        self.good(*flags, self.write("one.template", text), "--checkpoint", self.checkpoint)
        self.good(*flags, self.write("two.template", text), "--resume", self.checkpoint)
        changed = self.write("one.template", text + "U01:%x[1,0]\n")
        self.assertIn("made with template 'U00:%x[0,0]", self.bad(*flags, changed, "--resume", self.checkpoint))

    def test_what_patience_watches(self):
        data = self.synth("train.svm", "classification", "--samples", "60", "--seed", "1")
        valid = self.synth("valid.svm", "classification", "--samples", "60", "--seed", "2")
        other = self.synth("other.svm", "classification", "--samples", "60", "--seed", "3")
        flags = ["train", data, "--quiet", "--max-iterations", "2"]
        watching = [*flags, "--patience", "3", "--valid"]
        self.good(*watching, valid, "--checkpoint", self.checkpoint)
        for change, message in (([*watching, valid, "--metric", "log_loss"], "made with metric 'accuracy'"),
                                ([*watching, other], "made with validation data '60"),
                                ([*flags, "--valid", valid], "made with metric 'accuracy'")):
            self.assertIn(message, self.bad(*change, "--resume", self.checkpoint))
        # Patience says when to stop, and the default metric may be named.
        self.good(*flags, "--patience", "5", "--valid", valid, "--metric", "accuracy", "--resume", self.checkpoint)
        # Without it validation is only looked at.
        self.good(*flags, "--valid", valid, "--checkpoint", self.checkpoint)
        self.good(*flags, "--valid", other, "--metric", "log_loss", "--resume", self.checkpoint)


if __name__ == "__main__":
    unittest.main()
