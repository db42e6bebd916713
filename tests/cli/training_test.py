# SPDX-License-Identifier: Apache-2.0
"""train, predict, evaluate, inspect, synth and convert, as a user runs them."""
import gzip
import json
import os
import pathlib
import signal
import struct
import subprocess
import time
import unittest

import tool
from folder import Folder


class Classification(Folder):
    def setUp(self):
        super().setUp()
        self.data = self.synth("train.svm", "classification", "--classes", "4", "--samples", "300", "--seed", "1")

    def test_round_trip(self):
        model, summary = self.trained(self.data, "--valid", "0.25")
        self.assertEqual(summary["status"], "converged")
        self.assertGreater(summary["train"]["accuracy"], 0.9)
        for key in ("accuracy", "auc", "f1_macro", "log_loss", "brier", "mean_support"):
            self.assertIn(key, summary["valid"])
        labels = self.good("predict", model, self.data).split()
        self.assertEqual(len(labels), 300)
        truth = [line.split()[0] for line in pathlib.Path(self.data).read_text().splitlines()]
        accuracy = sum(a == b for a, b in zip(labels, truth)) / 300
        evaluated = json.loads(self.good("evaluate", model, self.data, "--json"))
        self.assertAlmostEqual(evaluated["accuracy"], accuracy, 12)

    def test_same_bits_for_any_number_of_threads(self):
        files = []
        for threads in ("1", "2"):
            out = self.path(f"m{threads}.safetensors")
            self.good("train", self.data, "--model", out, "--threads", threads)
            files.append(pathlib.Path(out).read_bytes())
        self.assertEqual(files[0], files[1])

    def test_solvers_agree(self):
        objectives = {}
        for solver in ("lbfgs", "fista", "saga", "dual_ascent"):
            _, summary = self.trained(self.data, "--solver", solver, "--intercept", "penalised", "--tolerance", "1e-9",
                                      "--max-iterations", "5000")
            self.assertEqual(summary["status"], "converged", solver)
            objectives[solver] = summary["objective"]
        for solver, value in objectives.items():
            self.assertAlmostEqual(value / objectives["lbfgs"], 1, delta=1e-8, msg=solver)

    def test_every_loss_trains(self):
        for omega in ("logistic", "sparsemax", "tsallis:alpha=1.5", "hinge", "perceptron", "softmax-margin", "svm",
                      "modified-huber", "norm:q=2", "renyi:beta=0.5", "pairwise_hinge"):
            with self.subTest(omega):
                _, summary = self.trained(self.data, "--omega", omega, "--max-iterations", "300")
                self.assertGreater(summary["train"]["accuracy"], 0.85)

    def test_kernel(self):
        model, summary = self.trained(self.data, "--kernel", "rbf:gamma=0.02", "--omega", "sparsemax")
        self.assertGreater(summary["train"]["accuracy"], 0.95)
        self.assertEqual(len(self.good("predict", model, self.data).split()), 300)
        self.assertEqual(json.loads(self.good("inspect", model, "--json"))["kind"], "kernel")

    def test_class_weights_and_config(self):
        config = self.write("flags.toml", 'omega = "sparsemax"\nlambda = 0.5\nclass-weight = "balanced"\n')
        model, _ = self.trained(self.data, "--config", config)
        inspected = json.loads(self.good("inspect", model, "--json"))
        self.assertEqual(inspected["provenance"]["lambda"], "0.5")
        self.assertEqual(inspected["provenance"]["class_weight"], "balanced")
        self.assertEqual(inspected["omega"]["name"], "tsallis")

    def test_wrong_options_are_named_as_flags(self):
        for flags, message in ((["--scale", "foo"], "--scale is 'foo'; expected standard"),
                               (["--lambda", "-1"], "--lambda is -1; expected a number >= 0"),
                               (["--lambda", "inf"], "--lambda is inf; expected a finite number"),
                               (["--penalty", "elastic_net", "--rho", "-2"], "--rho is -2; expected a number >= 0"),
                               (["--tolerance", "-1"], "--tolerance is -1; expected a number >= 0"),
                               (["--max-iterations", "-1"], "--max-iterations is -1; expected a number >= 0"),
                               (["--threads", "-1"], "--threads is -1; expected a number >= 0"),
                               (["--threads", "999999999"], "--threads is 999999999; expected at most 4096"),
                               (["--penalty", "l3"], "--penalty is 'l3'; expected none, l2, l1, elastic_net, group_lasso"),
                               (["--class-weight", "foo"], "--class-weight is 'foo'; expected balanced"),
                               (["--class-weight", "0=-1"], "--class-weight: the weight of class '0' is -1"),
                               (["--class-weight", "x=1"], "--class-weight: unknown class 'x'"),
                               (["--omega", "sparsmax"], "unknown --omega 'sparsmax'; did you mean 'sparsemax'"),
                               (["--kernel", "foo"], "--kernel is 'foo'; expected linear"),
                               (["--task", "clasification"], "unknown --task 'clasification'"),
                               (["--temperature", "0"], "--temperature is 0; expected a number > 0\n"),
                               (["--min-count", "x"], "--min-count is x; expected a number > 0\n"),
                               (["--patience", "-1"], "--patience is -1; expected a number >= 0\n"),
                               (["--format", "foo"], "--data-format is 'foo'; expected one of auto, svmlight")):
            with self.subTest(flags):
                self.assertIn(message, self.bad("train", self.data, *flags))

    def test_indices_from_zero_are_remembered(self):
        model, _ = self.trained(self.write("zero.svm", "a 0:1\nb 1:1\n" * 4))
        self.assertEqual(json.loads(self.good("inspect", model, "--json"))["provenance"]["indices"], "0")
        self.assertEqual(self.good("predict", model, self.write("x.svm", "1:1\n")).split(), ["b"])

    def test_predictions_line_by_line(self):
        model, _ = self.trained(self.data, "--omega", "sparsemax")
        with subprocess.Popen([tool.TOOL, "predict", model, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as process:
            for line in ("1:2 3:-1", "0 2:1", ""):
                if not line:
                    continue
                process.stdin.write(line + "\n")
                process.stdin.flush()
                self.assertRegex(process.stdout.readline(), r"^\S+\n$")  # before the input ends
            process.stdin.close()
            self.assertEqual(process.wait(timeout=20), 0)

    def test_shapes_of_predictions(self):
        model, _ = self.trained(self.data, "--omega", "sparsemax")
        for line in self.good("predict", model, self.data, "--proba").splitlines():
            shares = [float(pair.rsplit(":", 1)[1]) for pair in line.split("\t")]
            self.assertAlmostEqual(sum(shares), 1, 4)
            self.assertEqual(shares, sorted(shares, reverse=True))
        top = self.good("predict", model, self.data, "--top", "1").splitlines()
        self.assertTrue(all(line.count(":") == 1 for line in top))
        rows = [json.loads(line) for line in self.good("predict", model, self.data, "--format", "jsonl").splitlines()]
        self.assertEqual([row["label"] for row in rows], self.good("predict", model, self.data).split())
        done = tool.run("predict", model, self.data, "--format", "npy", stdin=b"")
        self.assertEqual(done.stdout[:6], b"\x93NUMPY")
        length = struct.unpack("<H", done.stdout[8:10])[0]
        self.assertEqual(len(done.stdout) - 10 - length, 300 * 4 * 8)

    def test_unseen_labels_and_features_out_of_range(self):
        model, _ = self.trained(self.data)
        test = self.write("test.svm", "9 1:1 999:3\n1 1:1\n")
        done = tool.run("evaluate", model, test, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 rows have labels that training did not see; they count as errors", done.stderr)
        said = "an entry of features that the model does not have is ignored"
        self.assertIn(f"test.svm: {said}", done.stderr)
        self.assertIn(said, tool.run("predict", model, test).stderr)
        self.assertIn(f"stdin: {said}", tool.run("predict", model, "-", stdin="1 1:1 999:3\n1 1:1\n").stderr)
        self.assertLessEqual(json.loads(done.stdout)["accuracy"], 0.5)

    def test_rows_without_features(self):
        data = self.write("gaps.svm", "1 1:1\n2\n1 1:2\n2 2:1\n")
        _, summary = self.trained(data)
        self.assertEqual(summary["train"]["examples"], 4)

    def test_data_from_stdin(self):
        rows = pathlib.Path(self.data).read_text()
        piped = json.loads(self.good("train", "-", "--json", stdin=rows))
        self.assertEqual(piped["objective"], self.trained(self.data)[1]["objective"])
        self.write("-", "1,2\n")  # a file of that name is not meant
        done = subprocess.run([tool.TOOL, "train", "-", "--json"], input=rows, capture_output=True, text=True, timeout=120,
                              check=False, cwd=self.folder)
        self.assertEqual(json.loads(done.stdout)["objective"], piped["objective"])
        sentences = self.good("synth", "tagging", "--sentences", "30")
        tagged = json.loads(self.good("train", "-", "--task", "tagging", "--json", stdin=sentences))
        self.assertGreater(tagged["train"]["accuracy"], 0.9)
        self.assertIn("taggers have none", self.bad("train", "-", "--task", "tagging", "--kernel", "rbf", stdin=sentences))

    def test_gzip_and_cache(self):
        zipped = self.write("train.svm.gz", gzip.compress(pathlib.Path(self.data).read_bytes()))
        cache = self.path("train.cache")
        self.good("convert", zipped, "--out", cache)
        models = []
        for data in (self.data, zipped, cache):
            model, _ = self.trained(data)
            models.append(json.loads(self.good("inspect", model, "--json"))["intercept"])
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])

    def test_two_parts(self):
        text = "a 1:1\n 1:2\nb 1:3\na,b 1:4\nb 1:5\n"
        data, train, test = self.write("some.svm", text), self.path("train.svm"), self.path("test.svm")
        self.good("convert", data, "--to", "svmlight", "--labelled", "--out", train, "--held-out", test, "--share", "0.5",
                  "--seed", "3")
        parts = [pathlib.Path(path).read_text().splitlines() for path in (train, test)]
        self.assertEqual([len(part) for part in parts], [2, 2])
        self.assertEqual(sorted(line.split(":")[-1] for part in parts for line in part), ["1", "3", "4", "5"])
        self.assertIn("share", self.bad("convert", data, "--out", train, "--held-out", test, "--share", "1.5"))

    def test_describe(self):
        data = self.write("some.svm", "a 1:1\n 3:2\nb 1:3\na,b 1:4\n")
        found = json.loads(self.good("describe", data, "--json"))
        self.assertEqual({key: found[key] for key in ("rows", "features", "classes", "rows_without_label", "storage")},
                         {"rows": 4, "features": 3, "classes": 2, "rows_without_label": 1, "storage": "sparse"})
        self.assertAlmostEqual(found["labels_per_labelled_row"], 4 / 3)
        self.assertAlmostEqual(found["density"], 4 / 12)
        self.assertIn("labels_per_labelled_row", self.good("describe", data))
        self.assertIn("cannot open", self.bad("describe", self.path("nothing.svm")))
        with open(data, encoding="utf-8") as file:  # a pipe can be read only once
            self.assertIn("rows                     4", self.good("describe", "/dev/stdin", stdin=file.read()))

    def test_describe_treebanks(self):
        def word(number, form, head):
            return f"{number}\t{form}\t_\tNOUN\t_\t_\t{head}\tdep\t_\t_\n"

        text = ("# c\n1-2\tab" + "\t_" * 8 + "\n" + word(1, "a", 3) + word(2, "b", 0) + word(3, "c", 2) + word(4, "a", 1)
                + "4.1\tx" + "\t_" * 8 + "\n\n" + word(1, "a", "_") + "\n" + word(1, "d", 0))
        data = self.write("some.conllu", text)
        found = json.loads(self.good("describe", data, "--json"))
        self.assertEqual(found, {
            "source": data, "format": "conllu", "sentences": 3, "words": 6, "longest_sentence": 4, "multiword_tokens": 1,
            "empty_nodes": 1, "trees": 2, "words_with_tree": 5, "words_without_tree": 1, "non_projective_trees": 1,
            "distinct_form": 4, "distinct_upos": 1, "distinct_xpos": 1, "distinct_deprel": 1, "words_without_upos": 0,
            "task": "tagging (the target is UPOS, unless --target names another column)", "label_counts": {"NOUN": 6}})
        self.assertIn("non_projective_trees     1", self.good("describe", data))
        self.assertIn("sentences                3", self.good("describe", "-", "--format", "conllu", stdin=text))
        self.assertIn("some.conllu:1:16: word 1 is its own head",
                      self.bad("describe", self.write("some.conllu", word(1, "a", 1))))


class Indices(Folder):
    def test_a_few_bytes_do_not_ask_for_gigabytes(self):
        rows = "1 2:1 999999996:3\n0 1:1\n1 2:2\n"
        for flags in ((), ("--task", "regression"), ("--omega", "hinge")):
            self.assertIn("999999996 features", self.bad("train", self.write("big.svm", rows), *flags))
        queries = self.write("queries.svm", "2 qid:1 2:1 999999996:3\n0 qid:1 1:1\n")
        self.assertIn("999999996 features", self.bad("train", queries))
        self.trained(self.write("some.svm", rows.replace("999999996", "999996")), "--max-iterations", "3")


class Tasks(Folder):
    def test_proportions(self):
        data = self.synth("p.svm", "proportions", "--classes", "5", "--samples", "300", "--seed", "3")
        model, summary = self.trained(data, "--omega", "tsallis:alpha=1.5", "--lambda", "1e-2", "--valid", "0.25")
        self.assertLess(summary["valid"]["js"], 0.2)
        self.assertIn("half_squared_error", summary["valid"])
        self.assertEqual(json.loads(self.good("inspect", model, "--json"))["task"], "proportions")
        self.assertIn(":", self.good("predict", model, data).splitlines()[0])

    def test_multilabel(self):
        rows = "".join(f"{'1,2' if i % 3 == 0 else '2' if i % 3 == 1 else '1'} {1 + i % 3}:1\n" for i in range(60))
        model, summary = self.trained(self.write("m.svm", rows), "--lambda", "0.01")
        self.assertEqual(summary["train"]["subset_accuracy"], 1)
        self.assertEqual(self.good("predict", model, self.write("x.svm", "1:1\n2:1\n3:1\n")).split(), ["1,2", "2", "1"])

    def test_regression(self):
        rows = "".join(f"{2.5 * i + 0.125} 1:{i}\n" for i in range(40))
        model, _ = self.trained(self.write("r.svm", rows), "--lambda", "0", "--task", "regression", "--tolerance", "1e-12")
        self.assertAlmostEqual(float(self.good("predict", model, self.write("x.svm", "1:100\n"))), 250.125, 4)

    def test_structures(self):
        # Matchings of two and two, by their entries that are 1; with a soft one.
        rows = "".join(f"{'1,4' if i % 2 else '2,3'} {1 + i % 2}:1\n" for i in range(20)) + "1:0.5,2:0.5,3:0.5,4:0.5 1:1 2:1\n"
        data, new = self.write("s.svm", rows), self.write("x.svm", "1:1\n2:1\n")
        for omega, extra in (("sparsemap", ()), ("hinge", ()), ("perceptron+margin", ()), ("sparsemap", ("--kernel", "linear")),
                             ("entropic", ("--solver", "lbfgs")), ("sparsemap", ("--solver", "frank_wolfe")),
                             ("bregman:alpha=1.5", ()), ("bregman:generator=fermi_dirac", ("--solver", "lbfgs"))):
            model, summary = self.trained(data, "--task", "structured", "--omega", omega, "--polytope", "birkhoff:n=2",
                                          "--lambda", "0.1", *extra)
            self.assertGreater(summary["train"]["subset_accuracy"], 0.9, omega)
            self.assertEqual(self.good("predict", model, new).splitlines(), ["0\t1\t1\t0", "1\t0\t0\t1"], omega)
            proba = [float(entry) for entry in self.good("predict", model, new, "--proba").splitlines()[0].split("\t")]
            self.assertAlmostEqual(sum(proba), 2, places=6)
            line = json.loads(self.good("predict", model, new, "--format", "jsonl").splitlines()[0])
            self.assertEqual(line["structure"], [0, 1, 1, 0])
        self.assertIn("--polytope", self.bad("train", data, "--task", "structured"))
        self.assertIn("--task structured", self.bad("train", data, "--task", "multilabel", "--polytope", "birkhoff:n=2"))
        self.assertIn("structures have the entries 1 to 1", self.bad("train", data, "--task", "structured", "--polytope",
                                                                      "birkhoff:n=1"))
        self.assertIn("--top", self.bad("predict", model, new, "--top", "2"))

    def test_costs_from_a_file(self):
        data = self.write("c.svm", "".join(f"{'abc'[i % 3]} {1 + i % 3}:1 4:{i % 7 / 7}\n" for i in range(60)))
        costs = self.write("costs.csv", "c,a,b\n0,1,1\n9,0,1\n1,1,0\n")
        _, plain = self.trained(data, "--omega", "argmax", "--lambda", "1", "--penalty", "l2")
        _, ours = self.trained(data, "--omega", "argmax", "--lambda", "1", "--penalty", "l2", "--cost", costs)
        self.assertGreater(ours["objective"], plain["objective"])
        zero_one = self.write("01.csv", "0 1 1\n1 0 1\n1 1 0\n")
        _, hinge = self.trained(data, "--omega", "hinge", "--lambda", "1")
        _, same = self.trained(data, "--omega", "argmax", "--lambda", "1", "--cost", zero_one)
        self.assertAlmostEqual(hinge["objective"], same["objective"], places=9)
        _, margin = self.trained(data, "--omega", "sparsemax+margin", "--lambda", "1")
        _, same = self.trained(data, "--omega", "sparsemax", "--lambda", "1", "--cost", zero_one)
        self.assertAlmostEqual(margin["objective"], same["objective"], places=6)
        self.assertIn("has a cost already", self.bad("train", data, "--omega", "hinge", "--cost", zero_one))
        other = self.write("x.csv", "a,b,d\n0,1,1\n1,0,1\n1,1,0\n")
        self.assertIn("not one of the classes", self.bad("train", data, "--cost", other))
        self.assertIn("--cost", self.bad("train", data, "--task", "multilabel", "--cost", zero_one))

    def test_shares_as_numbers(self):
        rows = "".join(f"{(i % 5) / 4} 1:{i % 5 - 2}\n" for i in range(40))
        model, _ = self.trained(self.write("r.svm", rows), "--lambda", "0.01", "--task", "regression", "--omega", "sigmoid")
        values = [float(value) for value in self.good("predict", model, self.write("x.svm", "1:-9\n1:9\n")).split()]
        self.assertTrue(0 <= values[0] < 0.1 and 0.9 < values[1] <= 1)
        self.assertIn("row", self.bad("train", self.write("w.svm", "1.5 1:1\n0.5 1:2\n"), "--task", "regression", "--omega",
                                      "sigmoid"))

    def test_ranking(self):
        data = self.synth("q.svm", "ranking", "--queries", "40", "--documents", "8", "--seed", "2")
        for omega in ("sparsemap", "hinge:w=full", "sparsemap:w=top1"):
            _, summary = self.trained(data, "--omega", omega)
            self.assertGreater(summary["train"]["ndcg_10"], 0.8, omega)

    def test_label_ranking(self):
        rows = "x,ranking\n" + "".join(f"{i},{'a>b>c' if i % 2 else 'c>b>a'}\n" for i in (1, 2) * 30)
        model, summary = self.trained(self.write("l.csv", rows), "--lambda", "0.01")
        self.assertAlmostEqual(summary["train"]["kendall_tau"], 1)
        self.assertEqual(self.good("predict", model, self.write("x.csv", "x,ranking\n1,a>b>c\n")).split(), ["a>b>c"])

    def test_tags_get_what_their_omega_gives_them(self):
        data = self.synth("t.conll", "tagging", "--sentences", "20", "--seed", "5")
        for omega in ("hinge", "sparsemap"):
            model, _ = self.trained(data, "--task", "tagging", "--omega", omega, "--max-iterations", "20")
            rows = [line.split("\t") for line in self.good("predict", model, data, "--proba").splitlines() if line]
            if omega == "hinge":  # predictions are vertices
                tags = self.good("predict", model, data).split()
                self.assertEqual(rows, [[f"{tag}:1"] for tag in tags])
            else:  # some exact zeros, which no random field has
                self.assertGreater(len({len(row) for row in rows}), 1)

    def test_tagging(self):
        data = self.synth("t.conll", "tagging", "--sentences", "150", "--seed", "5")
        for omega in ("crf", "sparsemap", "hinge", "perceptron"):
            with self.subTest(omega):
                model, summary = self.trained(data, "--task", "tagging", "--omega", omega, "--max-iterations", "60")
                self.assertGreater(summary["train"]["accuracy"], 0.8)
        lines = self.good("predict", model, data).splitlines()
        self.assertEqual(len(lines), len(pathlib.Path(data).read_text().splitlines()))
        self.assertEqual(json.loads(self.good("inspect", model, "--json"))["provenance"]["columns"], "2")

    def test_images_of_words(self):
        shapes = {"a": "0110100111111001", "b": "1110111010011110", "c": "0111100010000111"}
        letters = [f"{word}\t{t}\t{letter}\t{shapes[letter] * 2}\n"
                   for word, text in enumerate(["abc", "cab", "ba", "c"] * 5) for t, letter in enumerate(text)]
        data = self.write("words.txt", "".join(letters))
        model, summary = self.trained(data, "--task", "tagging", "--format", "ocr", "--omega", "crf", "--lambda", "0.1")
        self.assertEqual(summary["train"]["accuracy"], 1)
        self.assertEqual(json.loads(self.good("evaluate", model, data, "--json"))["accuracy"], 1)
        self.assertEqual(self.good("predict", model, data).split()[:3], ["a", "b", "c"])
        tuned = json.loads(self.good("tune", data, "--grid", "lambda=0.1,1", "--valid", "0.25", "--json"))
        self.assertEqual((tuned["task"], tuned["best"]["accuracy"]), ("tagging", 1))
        short = self.write("short.txt", "".join(letters[:4]).replace("1\n", "\n", 1))
        self.assertIn("short.txt:2:", self.bad("evaluate", model, short, "--data-format", "ocr"))
        self.assertIn("sentences, which are for tagging", self.bad("train", data, "--task", "regression"))

    def test_tagging_of_treebanks(self):
        """Words of CoNLL-U are tokens in columns; comments and multi-word tokens are left out."""
        sentence = "# c\n1-2\tab\t_\n1\ta\tX\n2\tb\tY\n\n"
        data = self.write("t.conllu", 3 * sentence)
        remark = "3 sentences, 6 tokens"
        for flags in ([], ["--format", "conll"], ["--format", "conllu"]):
            done = tool.run("train", data, "--task", "tagging", *flags)
            self.assertIn(remark, done.stdout + done.stderr)
        done = tool.run("train", "-", "--task", "tagging", "--format", "conllu", stdin=3 * sentence)
        self.assertIn(remark, done.stdout + done.stderr)


class Interruption(Folder):
    def setUp(self):
        super().setUp()
        self.data = self.synth("train.svm", "classification", "--classes", "10", "--samples", "4000", "--features", "60",
                               "--separation", "0.3", "--seed", "4")
        # Hard enough to take seconds on any machine: a weak penalty and a tolerance near the last bit.
        self.flags = ["train", self.data, "--lambda", "1e-4", "--tolerance", "1e-13", "--solver", "saga",
                      "--max-iterations", "150", "--intercept", "penalised", "--threads", "1", "--quiet"]

    def start(self, *flags):
        return subprocess.Popen([tool.TOOL, *self.flags, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_for(self, path):
        for _ in range(600):
            if os.path.exists(path):
                return
            time.sleep(0.05)
        self.fail(f"{path} did not appear")

    def test_signals_end_training_with_a_model_and_a_checkpoint(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            model, checkpoint = self.path(f"m{status}.safetensors"), self.path(f"c{status}")
            with self.start("--model", model, "--checkpoint", checkpoint, "--every", "0s") as process:
                self.wait_for(checkpoint)
                process.send_signal(number)
                process.communicate(timeout=60)
            self.assertEqual(process.returncode, status)
            self.assertEqual(json.loads(self.good("inspect", model, "--json"))["kind"], "linear")

    def test_a_killed_run_resumes_to_the_same_bits(self):
        whole, resumed, checkpoint = self.path("whole"), self.path("resumed"), self.path("checkpoint")
        self.good(*self.flags, "--model", whole)
        with self.start("--model", resumed, "--checkpoint", checkpoint, "--every", "0s") as process:
            self.wait_for(checkpoint)
            process.kill()
            process.communicate(timeout=60)
        self.assertFalse(os.path.exists(resumed))
        self.good(*self.flags, "--model", resumed, "--resume", checkpoint)
        self.assertEqual(pathlib.Path(whole).read_bytes(), pathlib.Path(resumed).read_bytes())

    def test_a_finished_run_goes_on_with_a_smaller_tolerance(self):
        whole, resumed, checkpoint = self.path("whole"), self.path("resumed"), self.path("checkpoint")
        flags = ["train", self.data, "--solver", "lbfgs", "--quiet"]
        self.good(*flags, "--tolerance", "1e-2", "--checkpoint", checkpoint)
        self.good(*flags, "--tolerance", "1e-5", "--model", whole)
        self.good(*flags, "--tolerance", "1e-5", "--model", resumed, "--resume", checkpoint)
        self.assertEqual(pathlib.Path(whole).read_bytes(), pathlib.Path(resumed).read_bytes())

    def test_a_damaged_checkpoint_does_not_resume(self):
        checkpoint = self.path("checkpoint")
        flags = ["train", self.data, "--solver", "lbfgs", "--max-iterations", "2"]
        self.good(*flags, "--checkpoint", checkpoint)
        content = bytearray(pathlib.Path(checkpoint).read_bytes())
        content[-9] ^= 1
        pathlib.Path(checkpoint).write_bytes(content)
        self.assertRegex(self.bad(*flags, "--resume", checkpoint), "checkpoint: damaged: the bytes of tensor")

    def test_other_flags_or_data_do_not_resume(self):
        checkpoint = self.path("checkpoint")
        small = ["train", self.data, "--max-iterations", "2", "--checkpoint", checkpoint]
        self.good(*small)
        self.assertIn("made with lambda '1'; this run has '2'",
                      self.bad("train", self.data, "--lambda", "2", "--resume", checkpoint))
        other = self.synth("other.svm", "classification", "--classes", "10", "--samples", "4000", "--features", "60")
        self.assertIn("data", self.bad("train", other, "--resume", checkpoint))
        self.assertIn("not", self.bad("train", self.data, "--resume", self.data))


class Proportions(Folder):
    def test_sums_that_are_too_large(self):
        data = self.write("p.svm", "1:0.5,2:0.5 1:2\n1:1e308,2:1e308 1:1\n")
        self.assertIn("p.svm: row 1 has proportions whose sum is not finite", self.bad("train", data))


class Divergence(Folder):
    def test_too_large_for_lambda(self):
        data, model = self.path("large.svm"), self.path("model")
        for rows, *flags in ((("1 1:1e154", "2 1:-1e154", "3 1:1e154"), "--omega", "hinge"),
                             (("1 1:10", "2 1:-20", "3 1:30"), "--omega", "hinge", "--lambda", "1e-305"),
                             (("1e200 1:1", "2e200 1:2", "15e199 1:3"), "--task", "regression"),
                             (("1 1:1", "2 1:2", "1 1:3"), "--solver", "saga:step=1e308")):
            pathlib.Path(data).write_text("\n".join(rows) + "\n")
            done = tool.run("train", data, "--model", model, *flags)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("training diverged: the objective is not finite; features or targets are too large for --lambda, "
                          "or the step that --solver was given is: scale them (--scale standard scales features)", done.stderr)
            self.assertFalse(os.path.exists(model))


class Mistakes(Folder):
    def test_positions_of_errors(self):
        for content, where in (("1 1:1\n2 7:1 3:1\n", ":2:7: index 3 after 7; indices must increase"),
                               ("1 1:x\n", ":1:5:"), ("1 1:nan\n", ":1:5:"), ("1 1:1\n1 1:1 \0\n", ":2:")):
            data = self.write("bad.svm", content)
            self.assertIn(data + where, self.bad("train", data), content)

    def test_files_that_are_no_data(self):
        for content in (b"", bytes(range(256)) * 10, gzip.compress(b"1 1:1\n" * 100)[:-20]):
            data = self.write("strange.svm", content)
            self.assertIn("strange.svm", self.bad("train", data))
        self.assertIn("missing.svm", self.bad("train", self.path("missing.svm")))
        self.assertIn(str(self.folder), self.bad("train", str(self.folder)))

    def test_wrong_flags_name_what_was_expected(self):
        data = self.write("d.svm", "1 1:1\n2 2:1\n")
        for flags, text in ((["--task", "clasification"], "classification"), (["--omega", "tsalis"], "tsallis"),
                            (["--solver", "lbfg"], "lbfgs"), (["--penalty", "l3"], "penalty"),
                            (["--lambda", "-1"], "lambda"), (["--intercept", "yes"], "penalised"),
                            (["--valid", "2"], "--valid"), (["--scale", "unit"], "standard"),
                            (["--solver", "dual_ascent", "--intercept", "free"], "--intercept none or --solver lbfgs"),
                            (["--class-weight", "7=2"], "7"), (["--kernel", "rfb"], "rbf")):
            self.assertIn(text, self.bad("train", data, *flags), flags)

    def test_a_model_that_cannot_be_written(self):
        data = self.write("d.svm", "1 1:1\n2 2:1\n")
        self.assertIn("nowhere", self.bad("train", data, "--model", self.path("nowhere/m.safetensors")))

    def test_damaged_models(self):
        data = self.write("d.svm", "1 1:1\n2 2:1\n")
        model = self.path("m.safetensors")
        self.good("train", data, "--model", model)
        whole = pathlib.Path(model).read_bytes()
        for damaged in (b"", whole[:20], whole[:-1], whole + b"x", b"\xff" * 8 + whole[8:], b"{}" * 50):
            broken = self.write("broken.safetensors", damaged)
            self.assertIn("broken.safetensors", self.bad("predict", broken, data))

    def test_not_converged_is_said(self):
        data = self.synth("train.svm", "classification", "--samples", "200")
        done = tool.run("train", data, "--max-iterations", "2", "--lambda", "1e-6")
        self.assertEqual(done.returncode, 0)
        self.assertIn("not converged", done.stderr)


if __name__ == "__main__":
    unittest.main()
