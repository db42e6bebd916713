# SPDX-License-Identifier: Apache-2.0
"""Exported models: onnxruntime says what `fenchel predict` says, to 1e-6 in double precision."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

try:
    import onnx
    import onnxruntime
    import onnxscript  # noqa: F401
    import torch  # noqa: F401
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    raise SystemExit(0) from None

from fenchel.export import to_onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = os.environ.get("FENCHEL_TOOL", str(ROOT / "build" / "fenchel"))
CLOSE = {"rtol": 0, "atol": 1e-6}


def tool(*arguments, **further):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False, **further)
    return done.returncode, done.stdout, done.stderr


@unittest.skipUnless(pathlib.Path(TOOL).exists(), f"there is no tool {TOOL}")
class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.random = np.random.default_rng(3)

    def good(self, *arguments, **further):
        status, out, told = tool(*arguments, **further)
        self.assertEqual(status, 0, told)
        return out

    def write(self, name, lines):
        path = self.folder / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def svmlight(self, name, labels, rows):
        return self.write(name, [f"{label} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row) if x)
                                 for label, row in zip(labels, rows.tolist())])

    def trained(self, data, *flags):
        model = self.folder / "model.safetensors"
        self.good("train", data, "--model", model, "--quiet", *flags)
        return model

    def run_onnx(self, exported, **inputs):
        session = onnxruntime.InferenceSession(exported.file)
        names = [output.name for output in session.get_outputs()]
        self.assertEqual(names, list(exported.outputs))
        self.assertEqual([one.name for one in session.get_inputs()], list(exported.inputs))
        return dict(zip(names, session.run(None, inputs)))

    def replies(self, model, data, *flags):
        return [json.loads(line) for line in self.good("predict", model, data, "--json", *flags).splitlines()]

    def arrays(self, model, data, *flags):
        """The outputs of the tool, all of them."""
        out = self.folder / "outputs.npy"
        with open(out, "wb") as file:
            subprocess.run([TOOL, "predict", str(model), str(data), "--proba", "--format", "npy", *flags], stdout=file,
                           check=True, stderr=subprocess.DEVNULL, timeout=300)
        return np.load(out)

    def test_classes(self):
        """With scaling, an intercept and a temperature; other rows than those of the training, in another number."""
        x = self.random.normal(size=(30, 5)) * [1, 10, 0.1, 1, 1] + 3
        data = self.svmlight("c.svm", self.random.choice(["low", "middle", "high"], 30), x)
        model = self.trained(data, "--omega", "sparsemax", "--scale", "standard", "--lambda", "0.1")
        exported = to_onnx(model)
        self.assertEqual((exported.file, exported.task), (str(self.folder / "model.onnx"), "classification"))
        self.assertEqual(exported.outputs, {"scores": ["rows", 3], "outputs": ["rows", 3], "labels": ["rows"]})
        found = self.run_onnx(exported, features=x)
        np.testing.assert_allclose(found["outputs"], self.arrays(model, data), **CLOSE)
        self.assertTrue((found["outputs"] == 0).any())
        metadata = {one.key: one.value for one in onnx.load(exported.file).metadata_props}
        classes = json.loads(metadata["fenchel.classes"])
        said = self.good("predict", model, data).split()
        self.assertEqual([classes[label] for label in found["labels"]], said)
        single = to_onnx(model, self.folder / "single.onnx", precision="single")
        found = self.run_onnx(single, features=x.astype(np.float32))
        np.testing.assert_allclose(found["outputs"], self.arrays(model, data), rtol=0, atol=1e-4)
        self.assertLess(os.path.getsize(single.file), os.path.getsize(exported.file))
        self.assertNotIn(str(ROOT).encode(), pathlib.Path(exported.file).read_bytes())

    def test_classes_without_an_entropy(self):
        x = self.random.normal(size=(20, 3))
        data = self.svmlight("h.svm", self.random.integers(0, 3, 20), x)
        model = self.trained(data, "--omega", "hinge")
        found = self.run_onnx(to_onnx(model), features=x)
        np.testing.assert_array_equal(found["outputs"], self.arrays(model, data))

    def test_missing_values_and_words(self):
        rows = [("" if i % 5 == 0 else i * 0.5, "pqr"[i % 3], i * i % 7, "ab"[i // 3 % 2]) for i in range(24)]
        data = self.write("t.csv", ["x,word,z,y", *(",".join(map(str, row)) for row in rows)])
        model = self.trained(data, "--target", "y", "--missing", "impute", "--scale", "maxabs")
        exported = to_onnx(model)
        metadata = {one.key: one.value for one in onnx.load(exported.file).metadata_props}
        names, (word,) = json.loads(metadata["fenchel.feature_names"]), json.loads(metadata["fenchel.nominal"])
        self.assertEqual((word["name"], word["values"], word["one_hot"]), ("word", ["p", "q", "r"], True))
        x = np.zeros((24, len(names)))
        x[:, names.index("x")] = [np.nan if i % 5 == 0 else i * 0.5 for i in range(24)]
        x[:, names.index("z")] = [i * i % 7 for i in range(24)]
        x[np.arange(24), word["feature"] + np.arange(24) % 3] = 1
        np.testing.assert_allclose(self.run_onnx(exported, features=x)["outputs"], self.arrays(model, data), **CLOSE)

    def test_sets_of_labels(self):
        x = self.random.normal(size=(30, 4))
        sets = [",".join(name for name, value in zip("abc", row) if value > 0) for row in x]
        data = self.svmlight("m.svm", sets, x)
        for omega in ("logistic", "smoothed-hinge", "hinge"):
            with self.subTest(omega):
                model = self.trained(data, "--task", "multilabel", "--omega", omega)
                found = self.run_onnx(to_onnx(model), features=x)
                np.testing.assert_allclose(found["outputs"], self.arrays(model, data), **CLOSE)
                classes = json.loads(self.good("inspect", model, "--json"))["classes"]
                sets_found = [{name for name, inside in zip(classes, row) if inside} for row in found["labels"]]
                self.assertEqual(sets_found, [set(reply["labels"]) for reply in self.replies(model, data)])

    def test_proportions(self):
        data = self.folder / "p.svm"
        data.write_text(self.good("synth", "proportions", "--classes", "4", "--samples", "30", "--seed", "1"), encoding="utf-8")
        model = self.trained(data, "--omega", "tsallis:alpha=1.5", "--task", "proportions")
        x = np.zeros((30, json.loads(self.good("inspect", model, "--json"))["features"]))
        for row, line in zip(x, data.read_text(encoding="utf-8").splitlines()):
            for entry in line.split()[1:]:
                index, value = entry.split(":")
                row[int(index) - 1] = float(value)
        np.testing.assert_allclose(self.run_onnx(to_onnx(model), features=x)["outputs"], self.arrays(model, data), **CLOSE)

    def test_numbers_by_a_line_and_by_kernels(self):
        x = self.random.normal(size=(25, 3))
        y = np.sin(x[:, 0]) + x[:, 1] ** 2
        data = self.svmlight("n.svm", y.tolist(), x)
        labels = self.svmlight("k.svm", (y > 0.5).astype(int), x)
        for what, flags in ((data, ["--task", "regression"]), (labels, ["--kernel", "rbf:gamma=0.7", "--scale", "standard"]),
                            (labels, ["--kernel", "polynomial:degree=2,coef0=1", "--omega", "logistic"])):
            with self.subTest(flags):
                model = self.trained(what, *flags)
                found = self.run_onnx(to_onnx(model), features=x)
                if what is data:
                    said = np.array([[float(line)] for line in self.good("predict", model, data).split()])
                else:
                    said = self.arrays(model, what)
                np.testing.assert_allclose(found["outputs"], said, **CLOSE)

    def test_orders(self):
        x = self.random.normal(size=(15, 3))
        orders = [">".join(np.array(list("abc"))[np.argsort(-row)]) for row in x]
        model = self.trained(self.svmlight("o.svm", orders, x), "--task", "label-ranking")
        exported = to_onnx(model)
        self.assertIn("no outputs", exported.remarks[0])
        classes = json.loads(self.good("inspect", model, "--json"))["classes"]
        found = self.run_onnx(exported, features=x)
        said = self.good("predict", model, self.folder / "o.svm").split()
        self.assertEqual([">".join(classes[label] for label in row) for row in found["labels"]], said)

    def test_what_has_no_tensor_operations(self):
        x = self.random.normal(size=(10, 2))
        data = self.svmlight("e.svm", ["1,5,9", "2,4,9"] * 5, x)
        model = self.trained(data, "--task", "structured", "--polytope", "birkhoff:n=3", "--omega", "sparsemap")
        with self.assertRaisesRegex(ValueError, "sparsemap.*has no tensor operations, and structured needs it"):
            to_onnx(model)
        self.assertFalse((self.folder / "model.onnx").exists())

    def sentences(self, tags, count=7):
        """Attributes that are written out, with values, and some that the model does not know."""
        lines = []
        for _ in range(count):
            for _ in range(self.random.integers(1, 6)):
                number = int(self.random.integers(0, 8))
                lines.append(f"{tags[number % len(tags)]}\tword={number}\tsize:{self.random.uniform(0, 2):.3f}\todd={number % 2}")
            lines.append("")
        return lines

    def numbers(self, lines, vocabulary, valued=True):
        """Padded numbers and values of attributes, and lengths, as docs/deployment.md says."""
        known = {name: number for number, name in enumerate(vocabulary["attributes"])}
        sentences, tokens = [], []
        for line in lines:
            if line:
                tokens.append([part.rpartition(":") if valued and ":" in part else (part, ":", "1")
                               for part in line.split("\t")[1:]])
            elif tokens:
                sentences.append(tokens)
                tokens = []
        ids = np.full((len(sentences), max(map(len, sentences)), 3), -1)
        values = np.zeros(ids.shape)
        for s, sentence in enumerate(sentences):
            for t, token in enumerate(sentence):
                for a, (name, _, value) in enumerate(token):
                    ids[s, t, a], values[s, t, a] = known.get(name, -1), np.float32(value)
        return {"attributes": ids, "values": values, "lengths": np.array([len(one) for one in sentences])}

    def test_taggers(self):
        data = self.write("t.crfsuite", self.sentences("ABC", 12))
        new = self.write("new.crfsuite", self.sentences("ABC") + ["A\tword=unheard\tsize:1.5", ""])
        for flags in ([], ["--all-states", "--all-transitions", "--lambda", "0.1"]):
            with self.subTest(flags):
                model = self.trained(data, *flags)
                exported = to_onnx(model)
                vocabulary = json.loads(pathlib.Path(exported.vocabulary).read_text(encoding="utf-8"))
                inputs = self.numbers(new.read_text(encoding="utf-8").split("\n"), vocabulary)
                found = self.run_onnx(exported, **inputs)
                replies = self.replies(model, new, "--proba")
                self.assertEqual(len(replies), len(inputs["lengths"]))
                for s, reply in enumerate(replies):
                    n = inputs["lengths"][s]
                    self.assertEqual([vocabulary["labels"][label] for label in found["labels"][s, :n]], reply["tags"])
                    said = [[token.get(name, 0.0) for name in vocabulary["labels"]] for token in reply["outputs"]]
                    np.testing.assert_allclose(found["marginals"][s, :n], said, **CLOSE)
                    self.assertTrue((found["labels"][s, n:] == -1).all() and (found["marginals"][s, n:] == 0).all())
                alone = self.run_onnx(exported, **{name: array[:1] for name, array in inputs.items()})
                np.testing.assert_array_equal(alone["labels"][0], found["labels"][0])

    def test_taggers_with_templates(self):
        """Attributes made here by the templates of the vocabulary."""
        words = [self.random.choice(["the", "cat", "sees", "dogs"], self.random.integers(1, 6)).tolist() for _ in range(15)]
        tagged = [[*(f"{word} {word[0].upper()}" for word in sentence), ""] for sentence in words]
        data = self.write("t.conll", sum(tagged, []))
        template = self.write("template", ["U00:%x[0,0]", "U01:%x[-1,0]/%x[0,0]", "B"])
        exported = to_onnx(self.trained(data, "--template", str(template)))
        vocabulary = json.loads(pathlib.Path(exported.vocabulary).read_text(encoding="utf-8"))
        self.assertEqual(vocabulary["templates"].split(), template.read_text(encoding="utf-8").split())
        lines = []
        for sentence in words:
            before = ["_B-1", *sentence]
            lines += [f"-\tU00:{word}\tU01:{before[t]}/{word}" for t, word in enumerate(sentence)] + [""]
        inputs = self.numbers(lines, vocabulary, valued=False)
        self.assertTrue((inputs["attributes"][inputs["values"] > 0] >= 0).all())
        found = self.run_onnx(exported, **inputs)
        for s, reply in enumerate(self.replies(self.folder / "model.safetensors", data, "--proba")):
            n = len(reply["tags"])
            self.assertEqual([vocabulary["labels"][label] for label in found["labels"][s, :n]], reply["tags"])
            said = [[token.get(name, 0.0) for name in vocabulary["labels"]] for token in reply["outputs"]]
            np.testing.assert_allclose(found["marginals"][s, :n], said, **CLOSE)

    def test_taggers_of_python(self):
        """With weights of the first and the last label, a template, and a temperature."""
        from fenchel.sklearn import SequenceTagger

        drawn = [self.random.integers(0, 6, self.random.integers(1, 6)).tolist() for _ in range(12)]
        X = [[{"word": number, "size": number / 3} for number in numbers] for numbers in drawn]
        y = [["ABC"[token["word"] % 3] for token in sentence] for sentence in X]
        tagger = SequenceTagger(boundary=True, reg_lambda=0.3).fit(X, y)
        tagger.model_.temperature = 1.7
        tagger.save(self.folder / "own.safetensors")
        exported = to_onnx(self.folder / "own.safetensors")
        vocabulary = json.loads(pathlib.Path(exported.vocabulary).read_text(encoding="utf-8"))
        lines = [line for sentence in X for line in
                 [*("-\t" + "\t".join((f"size:{token['size']!r}", "one")) for token in sentence), ""]]
        inputs = self.numbers(lines, vocabulary)
        known = {name: number for number, name in enumerate(vocabulary["attributes"])}
        for s, sentence in enumerate(X):
            for t, token in enumerate(sentence):
                inputs["attributes"][s, t, 1], inputs["values"][s, t, 1] = known["word"], token["word"]
        found = self.run_onnx(exported, **inputs)
        self.assertEqual([[vocabulary["labels"][label] for label in row if label >= 0] for row in found["labels"]],
                         tagger.predict(X))
        for sentence, marginals in zip(tagger.predict_marginals(X), found["marginals"]):
            for token, row in zip(sentence, marginals):
                np.testing.assert_allclose(row, [token[name] for name in vocabulary["labels"]], **CLOSE)

    def test_taggers_of_other_losses(self):
        data = self.write("t.crfsuite", self.sentences("AB", 12))
        model = self.trained(data, "--omega", "hinge")
        exported = to_onnx(model, precision="single")
        self.assertNotIn("marginals", exported.outputs)
        vocabulary = json.loads(pathlib.Path(exported.vocabulary).read_text(encoding="utf-8"))
        inputs = self.numbers(data.read_text(encoding="utf-8").split("\n"), vocabulary)
        inputs["values"] = inputs["values"].astype(np.float32)
        found = self.run_onnx(exported, **inputs)
        for reply, labels in zip(self.replies(model, data), found["labels"]):
            self.assertEqual([vocabulary["labels"][label] for label in labels if label >= 0], reply["tags"])

    def test_from_the_shell(self):
        x = self.random.normal(size=(12, 2))
        model = self.trained(self.svmlight("r.svm", x[:, 0].tolist(), x), "--task", "regression")
        environment = {**os.environ, "FENCHEL_PYTHON": sys.executable}
        out = self.folder / "shell.onnx"
        done = json.loads(self.good("export", model, "--to", "onnx", "--out", out, "--json", env=environment))
        self.assertEqual((done["file"], done["task"], done["precision"]), (str(out), "regression", "double"))
        session = onnxruntime.InferenceSession(str(out))
        said = [float(line) for line in self.good("predict", model, self.folder / "r.svm").split()]
        np.testing.assert_allclose(session.run(["outputs"], {"features": x})[0][:, 0], said, **CLOSE)
        for arguments, message in (([self.folder / "r.svm"], "r.svm: "), ([self.folder / "none"], "No such file"),
                                   ([model, "--out", self.folder / "no" / "m.onnx"], "No such folder")):
            status, _, told = tool("export", *arguments, env=environment)
            self.assertEqual(status, 2, told)
            self.assertRegex(told, message)
            self.assertNotIn("Traceback", told)


if __name__ == "__main__":
    unittest.main()
