# SPDX-License-Identifier: Apache-2.0
"""Files of parsers: both formats, and damaged or hostile ones, which are refused with a word about why."""
import json
import struct
import unittest

from torch_tensors import torch  # skips the file where there is no PyTorch

try:
    from safetensors.torch import save_file
except ImportError:
    print("skipped: safetensors is not installed")
    raise SystemExit(0)

from fenchel.parsing import Parser, Settings, train
from fenchel.parsing import model_file as files
from fenchel.parsing.run import Run
from parsing_sentences import Case

torch.set_num_threads(1)
ONCE = Settings(epochs=1, batch=8)
WITHOUT_LABELS = Settings(epochs=1, batch=8, label_loss="none")


def metadata_of(path):
    content = path.read_bytes()
    return json.loads(content[8:8 + struct.unpack("<Q", content[:8])[0]])["__metadata__"]


class Formats(Case):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "parser.safetensors"

    def test_new_files(self):
        for settings, name in ((ONCE, "fenchel.dependency_parser.2"), (WITHOUT_LABELS, "fenchel.dependency_parser.1")):
            train(self.bank, self.bank, self.model, settings, replace=True)
            self.assertEqual(metadata_of(self.model)["format"], name)
            self.assertEqual(Parser.load(self.model).labelled, settings.labelled)

    def test_files_from_before_there_were_labels(self):
        train(self.bank, self.bank, self.model, WITHOUT_LABELS)
        parsed = Parser.load(self.model).predict(self.bank)
        tensors, record = files.read(self.model)
        settings = {"loss": "crf", "learning_rate": 0.002, "seed": 1, "epochs": 1, "patience": 5, "batch": 8,
                    "word_dropout": 0.25, "tags": "xpos"}
        self.assertEqual(record["run"]["settings"], settings)
        self.assertEqual(set(record["vocabulary"]), {"words", "counts", "tags", "column"})
        self.assertEqual(set(record["run"]["history"][0]), {"loss", "dev", "seconds", "loss_seconds"})
        save_file(tensors, self.model, {"format": "fenchel.dependency_parser.1", "record": json.dumps(record)})
        self.assertEqual(Parser.load(self.model).predict(self.bank).text(), parsed.text())
        self.assertEqual(set(parsed.column("deprel")), {"root", "dep"})
        said = []
        train(self.bank, self.bank, self.model, WITHOUT_LABELS, say=said.append)
        self.assertIn("done before: development UAS", said[0])

    def test_a_link_stays(self):
        target = self.folder / "target"
        self.model.symlink_to(target)
        train(self.bank, self.bank, self.model, ONCE)
        self.assertTrue(self.model.is_symlink() and target.is_file())


class Wrong(Case):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "parser.safetensors"
        train(self.bank, self.bank, self.model, ONCE)
        self.tensors, self.record = files.read(self.model)

    def refused(self, text):
        with self.assertRaisesRegex(ValueError, f"parser.safetensors.*{text}"):
            Parser.load(self.model)
        status, out, err = self.run_main("predict", self.model, self.text)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("error: ", err)

    def test_damaged_bytes(self):
        content = self.model.read_bytes()
        middle = len(content) // 2
        for wrong, text in ((b"", "not a safetensors file"), (content[:-1], "not a safetensors file"),
                            (content[:9], "not a safetensors file"), (b"\xff" * 8 + content[8:], "not a safetensors file"),
                            (content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:], "checksum is wrong")):
            self.model.write_bytes(wrong)
            self.refused(text)

    def test_other_files(self):
        for metadata, text in (({"format": "else"}, "has format 'else'"), ({}, "has format None"),
                               ({"format": files.LABELLED_FORMAT, "record": "{}"}, "checksum is wrong"),
                               ({"format": files.FORMAT}, "no record of its training"),
                               ({"format": files.FORMAT, "record": "[" * 100000}, "no record of its training"),
                               ({"format": files.FORMAT, "record": "[1]"}, "no record of its training")):
            save_file(self.tensors, self.model, metadata)
            self.refused(text)

    def test_records(self):
        vocabulary = self.record["vocabulary"]
        relations = vocabulary["relations"]
        for wrong, text in (({}, "unfinished training run"), ({"vocabulary": {"words": []}}, "other entries"),
                            ({"vocabulary": 7}, "other entries"), ({"vocabulary": {**vocabulary, "more": 1}}, "other entries"),
                            ({"vocabulary": {**vocabulary, "words": ["a", "a"]}}, "words are not a list of different texts"),
                            ({"vocabulary": {**vocabulary, "words": ["a"]}}, "counts for 1 words"),
                            ({"vocabulary": {**vocabulary, "words": ["a"], "counts": [1]}}, "tensor 'words.weight' has shape"),
                            ({"vocabulary": {**vocabulary, "counts": [-1]}}, "counts are not"),
                            ({"vocabulary": {**vocabulary, "counts": [1e400]}}, "counts are not"),
                            ({"vocabulary": {**vocabulary, "tags": "abc"}}, "tags are not"),
                            ({"vocabulary": {**vocabulary, "column": "form"}}, "column 'form'"),
                            ({"vocabulary": {**vocabulary, "relations": relations[1:]}}, "tensor 'labels.output.* has shape"),
                            ({"vocabulary": {**vocabulary, "relations": ["a\tb", *relations[1:]]}}, "not the name of a relation"),
                            ({"vocabulary": {**vocabulary, "relations": ["\ud800", *relations[1:]]}}, "not the name of a rel"),
                            ({"vocabulary": {**vocabulary, "relations": ["root", *relations[1:]]}}, "not the name of a relation"),
                            ({"vocabulary": {**vocabulary, "relations": []}}, "or it has none"),
                            ({"vocabulary": {**vocabulary, "relations": None}}, "tensor 'labels.* is not expected")):
            files.write(self.model, self.tensors, wrong, True)
            self.refused(text)

    def test_tensors(self):
        name = "labels.output.bias"
        bias = self.tensors[name]
        for wrong, text in (({name: torch.zeros(2)}, "has shape"), ({name: (0 * bias).log()}, "not finite"),
                            ({name: bias.double()}, "other types than float32"),
                            ({name: bias.bfloat16()}, "other types than float32"), ({"x": torch.zeros(1)}, "not expected")):
            tensors = {**self.tensors, **wrong}
            same = {key: tensor.float() for key, tensor in tensors.items()}
            metadata = {"format": files.LABELLED_FORMAT, "record": json.dumps(self.record),
                        "checksum": files._checksum(same, json.dumps(self.record))}
            save_file(tensors, self.model, metadata)
            self.refused(text)
        files.write(self.model, {key: tensor for key, tensor in self.tensors.items() if key != name}, self.record, True)
        self.refused("missing")

    def test_a_forged_result_does_not_count_as_done(self):
        for wrong in ({"dev": "high"}, {"dev_uas": None}, {"history": 3}, {"epoch": None}):
            files.write(self.model, self.tensors, {**self.record, "run": {**self.record["run"], **wrong}}, True)
            with self.assertRaisesRegex(ValueError, "is there, and"):
                train(self.bank, self.bank, self.model, ONCE)

    def test_unfinished_runs_that_do_not_fit_are_begun_anew(self):
        run = Run(self.bank, self.bank, ONCE)
        run.epoch()
        path = self.folder / "unfinished"
        run.keep(path, {})
        tensors, record = files.read(path)
        fresh = Run(self.bank, self.bank, ONCE)
        before = {name: tensor.clone() for name, tensor in fresh.network.state_dict().items()}
        without = {name: tensor for name, tensor in tensors.items() if name != "adam.0.exp_avg"}
        for wrong in ({"history": []}, {"history": 1}, {"history": [{}]}, {"history": [{**record["history"][0], "dev": None}]},
                      {"tensors": without}, {"tensors": {**tensors, "other": torch.zeros(1)}},
                      {"tensors": {**tensors, "adam.0.step": torch.zeros(2)}},
                      {"tensors": {**tensors, "adam.999.step": torch.zeros(())}},
                      {"tensors": {**tensors, "best.output.weight": torch.zeros(1)}}):
            files.write(path, wrong.pop("tensors", tensors), {**record, **wrong}, True)
            self.assertFalse(fresh.go_on(path, {}))
            self.assertTrue(all(torch.equal(tensor, fresh.network.state_dict()[name]) for name, tensor in before.items()))
        files.write(path, tensors, record, True)
        self.assertTrue(fresh.go_on(path, {}))


if __name__ == "__main__":
    unittest.main()
