# SPDX-License-Identifier: Apache-2.0
"""Small versions of the experiments: findings hold, runs resume where they stopped, the report is what the results say."""
import json
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError:
    print("skipped: matplotlib is not installed")
    raise SystemExit(0)

from experiments import data, page  # noqa: E402
from experiments.all import EXPERIMENTS  # noqa: E402
from experiments.experiment import Experiment, Step, run  # noqa: E402

IMAGE = r"!\[.*?\]\((.*?\.(?:svg|png))\)"


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.said = []

    def run_quick(self, experiment):
        return run(experiment, self.folder, True, self.said.append)


class Findings(Folder):
    """One test for each experiment is added below."""

    def check(self, experiment):
        results, seconds = self.run_quick(experiment)
        if not results:
            self.skipTest(self.said[-1])
        findings = experiment.findings(results)
        self.assertTrue(findings)
        for finding in findings:
            if not finding.timed:
                self.assertTrue(finding.held, str(finding))
        page.keep(experiment, results, seconds, self.folder)
        report = page.text([experiment], self.folder)
        for image in re.findall(IMAGE, report):
            self.assertTrue((self.folder / image).exists(), image)
        self.said.clear()
        again, _ = self.run_quick(experiment)
        self.assertEqual(again, json.loads(json.dumps(results)))
        for text in self.said:
            self.assertRegex(text, "done before|skipped: ")


for each in EXPERIMENTS:
    setattr(Findings, f"test_{each.name}", lambda self, experiment=each: self.check(experiment))


class Runs(Folder):
    def experiment(self, value, needs=()):
        self.calls = getattr(self, "calls", 0)

        def work(number):
            self.calls += 1
            return number

        steps = [Step("first", work, {"number": 1}, needs), Step("second", work, {"number": value})]
        return Experiment("small", lambda quick: steps, lambda results: "## Small\n")

    def test_what_is_done_is_not_done_again(self):
        self.assertEqual(self.run_quick(self.experiment(2))[0], {"first": 1, "second": 2})
        self.run_quick(self.experiment(2))
        self.assertEqual(self.calls, 2)
        self.assertEqual(self.run_quick(self.experiment(3))[0]["second"], 3)  # other parameters
        self.assertEqual(self.calls, 3)
        (self.folder / "small" / "first.json").write_text('{"parameters": {"num')  # cut off
        self.assertEqual(self.run_quick(self.experiment(3))[0]["first"], 1)
        self.assertEqual(self.calls, 4)

    def test_missing_data_are_named_and_the_rest_goes_on(self):
        with mock.patch.object(data, "FOLDER", self.folder / "nowhere"):
            results, _ = self.run_quick(self.experiment(2, ["mulan/yeast/yeast-train.arff"]))
        self.assertEqual(results, {"second": 2})
        self.assertRegex(self.said[0], r"skipped: .*nowhere.mulan.yeast.yeast-train\.arff is not there; it comes from the Mulan")

    def test_every_file_that_is_needed_has_an_origin(self):
        with mock.patch.object(data, "FOLDER", self.folder):
            for experiment in EXPERIMENTS:
                for step in (*experiment.steps(False), *experiment.steps(True)):
                    for name in step.needs:
                        self.assertIn("comes from", data.missing(name))


class Report(unittest.TestCase):
    def test_is_what_the_results_say(self):
        written = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
        self.assertEqual(written, page.text(EXPERIMENTS, ROOT / "docs"), "run `make reproduce`")
        for image in re.findall(IMAGE, written):
            self.assertTrue((ROOT / "docs" / image).exists(), image)

    def test_no_figure_is_kept_twice(self):
        files = [path.stem for path in (ROOT / "docs" / "reproduction" / "figures").iterdir()]
        self.assertCountEqual(files, set(files))

    def test_has_every_experiment(self):
        for experiment in EXPERIMENTS:
            self.assertTrue(page.results_path(experiment, ROOT / "docs").exists(), experiment.name)


if __name__ == "__main__":
    unittest.main()
