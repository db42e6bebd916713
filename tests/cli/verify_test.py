# SPDX-License-Identifier: Apache-2.0
"""train --certificate and verify, as a user runs them."""
import json
import pathlib
import struct
import unittest

import tool
from folder import Folder


def change_tensor(path, name, place, value):
    """Overwrites one number of type F64 in a model file."""
    content = bytearray(pathlib.Path(path).read_bytes())
    length = struct.unpack("<Q", content[:8])[0]
    begin = json.loads(content[8:8 + length])[name]["data_offsets"][0]
    struct.pack_into("<d", content, 8 + length + begin + 8 * place, value)
    pathlib.Path(path).write_bytes(content)


class Verify(Folder):
    def setUp(self):
        super().setUp()
        self.data = self.synth("train.svm", "classification", "--classes", "3", "--samples", "200", "--seed", "1")

    def verified(self, model, *arguments):
        done = tool.run("verify", model, *arguments, "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if found["verified"] else 1)
        return found

    def test_what_is_trained_is_verified(self):
        for flags in ((), ("--omega", "hinge"), ("--omega", "sparsemax", "--intercept", "penalised"),
                      ("--kernel", "rbf:gamma=0.1"), ("--scale", "standard", "--class-weight", "balanced"),
                      ("--penalty", "elastic_net", "--rho", "0.5", "--intercept", "none"),
                      ("--precision", "single", "--scale", "maxabs")):
            with self.subTest(flags):
                model, summary = self.trained(self.data, "--certificate", *flags)
                reading = flags[:2] if flags[:1] == ("--precision",) else ()
                found = self.verified(model, self.data, *reading)
                self.assertTrue(found["verified"], found["problems"])
                self.assertEqual(found["gap"], summary["certificate"]["gap"])
                self.assertLessEqual(found["relative"], found["tolerance"])
                delta = 1e-6 if reading else 1e-9  # features are scaled in single precision in training
                self.assertAlmostEqual(found["primal"] / summary["objective"], 1, delta=delta)

    def test_text(self):
        model, _ = self.trained(self.data, "--certificate")
        text = self.good("verify", model, self.data)
        self.assertRegex(text, r"primal [\d.]+, dual [\d.]+, gap [\de.-]+: the objective is at most")
        self.assertIn("penalty l2, lambda 1, intercept free", text)
        self.assertEqual(text.splitlines()[-1], "verified")

    def test_any_format_of_the_same_data(self):
        model, _ = self.trained(self.data, "--certificate")
        cache = self.path("train.cache")
        self.good("convert", self.data, "--out", cache)
        self.assertTrue(self.verified(model, cache)["verified"])
        table = self.write("t.csv", "x,c,y\n1,u,a\n2,v,b\n3,u,a\n,v,b\n1.5,u,b\n")
        model, _ = self.trained(table, "--certificate", "--missing", "impute", "--tolerance", "1e-5")
        self.assertTrue(self.verified(model, table)["verified"])

    def test_a_tolerance_of_ones_own(self):
        model, _ = self.trained(self.data, "--certificate", "--max-iterations", "3")
        found = self.verified(model, self.data)
        self.assertFalse(found["verified"])
        self.assertIn("is above the tolerance", found["problems"][0])
        self.assertTrue(self.verified(model, self.data, "--tolerance", str(2 * found["relative"]))["verified"])

    def test_other_data(self):
        model, _ = self.trained(self.data, "--certificate")
        other = self.synth("other.svm", "classification", "--classes", "3", "--samples", "200", "--seed", "2")
        self.assertIn("the data are not those of training", " ".join(self.verified(model, other)["problems"]))

    def test_changed_numbers(self):
        for name in ("weights", "intercept", "certificate.mu.values"):
            model, _ = self.trained(self.data, "--certificate")
            change_tensor(model, name, 2, 0.7)
            done = tool.run("verify", model, self.data)
            self.assertNotEqual(done.returncode, 0, name)

    def test_refusals(self):
        model, _ = self.trained(self.data)
        for arguments, message in (
                (("verify", model, self.data), "has no certificate"),
                (("train", self.data, "--certificate"), "--certificate needs --model"),
                (("train", self.data, "--certificate", "--model", model, "--valid", "0.2"), "--valid to be a file"),
                (("train", self.data, "--certificate", "--model", model, "--omega", "pairwise_hinge"), "pairwise_hinge"),
                (("verify", model), "DATA")):
            with self.subTest(arguments):
                done = tool.run(*arguments)
                self.assertNotIn(done.returncode, (0, 1))
                self.assertIn(message, done.stderr)

    def test_taggers_are_refused(self):
        sentences = self.synth("t.conll", "tagging", "--seed", "1")
        self.assertIn("taggers", self.bad("train", sentences, "--task", "tagging", "--certificate", "--model",
                                          self.path("m.safetensors"), "--max-iterations", "2"))


if __name__ == "__main__":
    unittest.main()
