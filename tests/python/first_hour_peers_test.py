# SPDX-License-Identifier: Apache-2.0
"""benchmarks/peers/python/first_hour.py on made-up sets of a few rows, with the peers that are installed; and its measures."""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benchmarks" / "peers" / "python"
sys.path.insert(0, str(FOLDER))

try:
    import numpy
    import scipy.stats  # noqa: F401
    import sklearn  # noqa: F401
except ImportError as error:
    raise unittest.SkipTest(f"what the measures need is missing: {error}")

from public_sets import table  # noqa: E402
from public_sets.all import public_sets  # noqa: E402
from public_sets.quality import KEYS, MEASURES, quality  # noqa: E402
from public_sets.rows import read_mulan, read_orders  # noqa: E402
from public_sets.sentences import conllu_sentences, letter_attributes, ocr_words, word_attributes  # noqa: E402

TOOL = pathlib.Path(os.environ.get("FENCHEL_TOOL", ROOT / "build" / "fenchel"))
SETS = ["dna", "emotions", "MQ2008, fold 1", "orders of iris", "CoNLL-2000", "iris"]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def made_up(folder):
    """Sets that are easy to learn, under the names of public ones."""
    draw = random.Random(1)
    for part, rows in (("dna.scale", 90), ("dna.scale.t", 45)):
        lines = [f"{i % 3 + 1} {i % 3 + 1}:1 {draw.randint(4, 6)}:1 7:1" for i in range(rows)]
        write(folder / "libsvm" / part, "\n".join(lines) + "\n")
    for part in ("train", "test"):
        head = "@relation r\n@attribute a numeric\n@attribute 'b b' numeric\n@attribute y1 {0,1}\n@attribute y2 {0,1}\n@data\n"
        rows = [(draw.uniform(-3, 3), draw.uniform(-3, 3)) for _ in range(60)]
        body = "".join(f"{a:.4f},{b:.4f},{int(a > 0)},{int(a + b > 0)}\n" for a, b in rows)
        write(folder / f"mulan/emotions/emotions-{part}.arff", head + body)
        queries = [(q, draw.random()) for q in range(12) for _ in range(6)]
        documents = [f"{int(3 * v)} qid:{q} 1:{v:.4f} 2:0.5\n" for q, v in queries]
        write(folder / f"rank/mq2008_fold1/{part}.txt.gz", "".join(documents))
        words = [f"the DT B-NP\n{draw.choice(('dog', 'cat'))} NN I-NP\nsleeps VB B-VP\n\n" for _ in range(20)]
        write(folder / f"conll2000/{part}.txt.gz", "".join(words))
    labels = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="y2"></label><label name="y1"></label></labels>'
    write(folder / "mulan/emotions/emotions.xml", labels)
    values = [draw.uniform(-1, 1) for _ in range(60)]
    orders = [f"{v:.4f},{'a>b>c' if v > 0 else 'c>b>a'}\r\n" for v in values]
    write(folder / "label_ranking/iris.txt", "A,ranking\r\n" + "".join(orders))


class WholeScript(unittest.TestCase):
    def setUp(self):
        if not TOOL.exists():
            self.skipTest("the tool is not compiled")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_script(self, *arguments):
        command = [sys.executable, FOLDER / "first_hour.py", "--tool", TOOL, "--data", self.folder, "--rounds", "1",
                   "--results", self.folder / "results.json", *arguments]
        return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)

    def test_table_of_every_task(self):
        made_up(self.folder)
        page = self.folder / "page.md"
        page.write_text(f"before\n{table.BEGIN}old\n{table.END}\nafter\n", encoding="utf-8")
        only = [word for name in (*SETS, "letter") for word in ("--only", name)]
        done = self.run_script(*only, "--write", "--page", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("letter: skipped, libsvm/letter.scale.svm.gz", done.stdout)
        self.assertNotIn("evaluate says", done.stdout)
        results = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        self.assertCountEqual(results, SETS)
        for name, result in results.items():
            for program, entry in result["programs"].items():
                with self.subTest(name, program=program):
                    self.assertGreater(entry["quality"], 0.8)
                    self.assertGreater(entry["seconds"], 0)
            self.assertEqual("CRFsuite" in result["programs"], name == "CoNLL-2000" and installed("pycrfsuite"))
            self.assertEqual("LightGBM" in result["programs"], name != "CoNLL-2000" and installed("lightgbm"))
        text = page.read_text(encoding="utf-8")
        self.assertRegex(text, rf"(?s)^before\n{table.BEGIN}\| set .*\n{table.END}\nafter\n$")
        self.assertEqual(text.count("\n| "), len(SETS) + 1)

    def test_wrong_words_are_errors(self):
        done = self.run_script("--only", "irsi")
        self.assertIn("--only irsi is not a set; expected one of: iris", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        done = self.run_script("--tool", self.folder / "none")
        self.assertIn("is not there", done.stderr)

    def test_what_takes_too_long_is_said(self):
        sleeper = self.folder / "sleeper"
        write(sleeper, "#!/bin/sh\nwhile :; do :; done\n")
        sleeper.chmod(0o755)
        done = self.run_script("--tool", sleeper, "--only", "iris", "--limit", "1")
        self.assertIn("more than 1 s", done.stdout, done.stderr)


def installed(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


class Measures(unittest.TestCase):
    def measure(self, metric, truth, answers, **facts):
        return quality(types.SimpleNamespace(metric=metric, y_test=truth, **{"task": "", **facts}), answers)

    def test_by_hand(self):
        self.assertEqual(self.measure("accuracy", numpy.array(["a", "b"]), ["a", "c"]), 0.5)
        self.assertEqual(self.measure("accuracy", [["N", "V"], ["N"]], [["N", "N"], ["N"]], task="tagging"), 2 / 3)
        self.assertAlmostEqual(self.measure("micro F1", numpy.array([[1, 0], [1, 1]]), numpy.array([[1, 1], [0, 1]])), 2 / 3)
        self.assertEqual(self.measure("R²", numpy.array([1.0, 3.0]), [2.0, 2.0]), 0)
        self.assertAlmostEqual(self.measure("Kendall's τ", [[0, 1, 2], [0, 1, 2]], [[0, 1, 2], [0, 2, 1]]), (1 + 1 / 3) / 2)
        self.assertEqual(self.measure("chunk F1", [["B-NP", "I-NP", "B-VP"]], [["B-NP", "O", "B-VP"]]), 0.5)

    def test_queries_without_relevant_documents_are_left_out(self):
        counts, truth = [2, 2, 1], numpy.array([2, 0, 0, 0, 1])
        self.assertEqual(self.measure("NDCG@10", truth, [1.0, 0.0, 1.0, 0.0, 5.0], test_queries=counts), 1)
        # The relevant document comes second in the first query: 1/log2(3) of what could be; the last one is alone.
        self.assertAlmostEqual(self.measure("NDCG@10", truth, [0.0, 1.0, 1.0, 0.0, 5.0], test_queries=counts),
                               (1 / numpy.log2(3) + 1) / 2)

    def test_every_measure_has_the_name_of_the_tool(self):
        self.assertCountEqual(MEASURES, KEYS)


class Readers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        made_up(self.folder)

    def test_labels_by_name_and_values_of_words(self):
        path = self.folder / "x-train.arff"
        head = "@relation r\n@attribute c {u,v,w}\n@attribute y1 {0,1}\n@attribute y2 {0,1}\n@data\n"
        write(path, head + "{0 w,2 1}\n{1 1,0 u}\n")
        write(self.folder / "x.xml", '<labels><label name="y2"/><label name="y1"/></labels>')
        one = read_mulan("x", path, path)
        numpy.testing.assert_array_equal(one.x.toarray(), [[0, 0, 1], [1, 0, 0]])
        numpy.testing.assert_array_equal(one.y, [[1, 0], [0, 1]])

    def test_orders_are_split_by_rows(self):
        one = read_orders("iris", self.folder / "label_ranking" / "iris.txt", self.folder)
        self.assertEqual((len(one.y), len(one.y_test)), (45, 15))
        self.assertEqual({tuple(row) for row in (*one.y, *one.y_test)}, {(0, 1, 2), (2, 1, 0)})

    def test_sentences(self):
        path = self.folder / "s.conllu"
        write(path, "# id\n1-2\tdont\t_\t_\n1\tdo\tdo\tAUX\n2\tn't\tnot\tPART\n2.1\tx\tx\tX\n\n1\ta b\tab\tNOUN\n\n")
        self.assertEqual(list(conllu_sentences(path)), [[("do", "AUX"), ("n't", "PART")], [("a b", "NOUN")]])
        path = self.folder / "o.txt"
        write(path, "0\t0\to\t010\n0\t1\tm\t000\n1\t0\ta\t111\n")
        words = list(ocr_words(path))
        self.assertEqual([len(word) for word in words], [2, 1])
        self.assertEqual(letter_attributes([pair[:1] for pair in words[0]]), [["bias", "p1"], ["bias"]])
        names = word_attributes([["The", "DT"], ["B52", "NN"]])
        self.assertIn("title=True", names[0])
        self.assertIn("BOS", names[0])
        self.assertIn("-1:word=the", names[1])
        self.assertIn("+1:pos=NN", names[0])


class Page(unittest.TestCase):
    def test_the_committed_table_is_of_these_sets_and_programs(self):
        text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
        lines = text.partition(table.BEGIN)[2].partition(table.END)[0].splitlines()
        self.assertEqual(lines[:2], table.markdown([]).splitlines())
        names = [line.split("|")[1].strip() for line in lines[2:]]
        known = [name for name, _, _ in public_sets(ROOT, ROOT)]
        self.assertGreater(len(names), 10)
        self.assertEqual(names, [name for name in known if name in names])


if __name__ == "__main__":
    unittest.main()
