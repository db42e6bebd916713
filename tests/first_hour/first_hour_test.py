# SPDX-License-Identifier: Apache-2.0
"""Files of the kinds that people have are read as they are meant, or the tool says what it is unsure of."""
import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

import tool  # noqa: E402
from folder import Folder  # noqa: E402


def file(name):
    return name if "://" in name else str(HERE / "files" / name)


class Understood(unittest.TestCase):
    """What `fenchel describe` says of each file."""

    def test_every_file(self):
        for case in json.loads((HERE / "expected.json").read_text(encoding="utf-8")):
            flags = case.get("flags", [])
            with self.subTest(file=case["file"], flags=flags):
                done = tool.run("describe", file(case["file"]), "--json", *flags)
                if "error" in case:
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertIn(case["error"], done.stderr)
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                said = json.loads(done.stdout)
                self.assertEqual({key: said.get(key) for key in case["says"]}, case["says"])
                if "warns" in case:
                    self.assertIn(case["warns"], done.stderr)
                if case.get("silent"):
                    self.assertEqual(done.stderr, "")

    def test_every_file_has_an_expectation(self):
        named = {case["file"] for case in json.loads((HERE / "expected.json").read_text(encoding="utf-8"))}
        others = {"songs.xml", "rank.txt.query", "groups.txt.group", "grades.csv.query", "whole_grades.csv.query"}
        for path in (HERE / "files").iterdir():
            used = path.name in Columns.used or path.name in named or path.name in others
            self.assertTrue(used, path.name)


class Columns(Folder):
    """Columns are those of training, whatever their order."""

    used = {"flowers_other_order.csv", "flowers_no_target.csv", "flowers_no_header_no_target.csv", "flowers_renamed.csv",
            "flowers_extra.csv"}

    def setUp(self):
        super().setUp()
        self.model, _ = self.trained(file("flowers.csv"), "--quiet")
        self.wanted = self.good("predict", self.model, file("flowers.csv"))

    def test_another_order_and_another_separator(self):
        for name in ("flowers_other_order.csv", "flowers.tsv", "flowers_decimal_commas.csv", "flowers_no_target.csv",
                     "flowers_no_header_no_target.csv", "flowers_no_header.csv"):
            self.assertEqual(self.good("predict", self.model, file(name)), self.wanted, name)
        accuracy = json.loads(self.good("evaluate", self.model, file("flowers.csv"), "--json"))["accuracy"]
        moved = json.loads(self.good("evaluate", self.model, file("flowers_other_order.csv"), "--json"))["accuracy"]
        self.assertEqual(accuracy, moved)

    def test_columns_that_differ_are_named(self):
        problem = self.bad("predict", self.model, file("flowers_renamed.csv"))
        self.assertIn("'sepal_width' is missing", problem)
        self.assertIn("'sepal_breadth'", problem)
        done = tool.run("predict", self.model, file("flowers_extra.csv"))
        self.assertEqual(done.stdout, self.wanted)
        self.assertIn("left out: id", done.stderr)

    def test_attributes_are_known_by_name(self):
        def arff(names, rows):
            return "@relation r\n" + "".join(f"@attribute {name} numeric\n" for name in names) + \
                "@attribute class {yes,no}\n@data\n" + rows
        model, _ = self.trained(self.write("n1.arff", arff("ab", "1,10,yes\n2,20,yes\n8,-9,no\n9,-8,no\n")), "--quiet")
        moved = self.write("n2.arff", arff("ba", "10,1,yes\n-9,8,no\n"))
        self.assertEqual(self.good("predict", model, moved).split(), ["yes", "no"])
        sparse = self.write("n3.arff", arff("ba", "{0 10, 1 1}\n{0 -9, 1 8, 2 no}\n"))
        self.assertEqual(self.good("predict", model, sparse).split(), ["yes", "no"])
        more = tool.run("predict", model, self.write("n4.arff", arff("bca", "10,0,1,yes\n")))
        self.assertIn("left out: c", more.stderr)
        self.assertIn("'b' is missing; training had it, but not 'c'",
                      self.bad("predict", model, self.write("n5.arff", arff("ac", "1,2,yes\n"))))

    def test_columns_by_position_are_said(self):
        self.assertIn("by position: the first line is a row; give --header yes",
                      tool.run("predict", self.model, file("flowers_no_header.csv")).stderr)
        model, _ = self.trained(file("flowers_no_header.csv"), "--quiet")
        self.assertIn("by position: the model was trained without names",
                      tool.run("predict", model, file("flowers.csv")).stderr)
        self.assertNotIn("by position", tool.run("predict", model, file("flowers_no_header.csv")).stderr)
        model, _ = self.trained(self.write("words.csv", "red,1,yes\nblue,2,no\nred,3,yes\nblue,1,no\n"), "--quiet")
        problem = self.bad("predict", model, self.write("other.csv", "size,colour,answer\n1,red,yes\n2,blue,no\n"))
        self.assertIn("the model was trained without names", problem)

    def test_words_by_position(self):
        table = "len,colour,kind\n1,red,a\n2,blue,b\n3,red,a\n4,blue,b\n"
        model, _ = self.trained(self.write("named.csv", table), "--quiet")
        rows = table.split("\n", 1)[1]
        bare = self.write("bare.csv", rows)
        self.assertEqual(self.good("predict", model, bare).split(), list("abab"))
        self.assertEqual(self.good("predict", model, bare, "--header", "no").split(), list("abab"))
        unlabelled = self.write("unlabelled.csv", "".join(row.rsplit(",", 1)[0] + "\n" for row in rows.split()))
        self.assertEqual(self.good("predict", model, unlabelled).split(), list("abab"))

    def test_a_feature_taken_for_the_target(self):
        lines = pathlib.Path(file("flowers_no_header_no_target.csv")).read_text(encoding="utf-8").split()
        numbered = self.write("numbered.csv", "".join(f"{i},{line}\n" for i, line in enumerate(lines)))
        done = tool.run("predict", self.model, numbered)
        self.assertIn("column '4' is taken for the target, but no value in it is a label of the model", done.stderr)
        self.assertEqual(self.good("predict", self.model, numbered, "--ignore", "1"), self.wanted)
        for name in ("flowers_no_header.csv", "flowers_no_header_no_target.csv", "flowers.csv"):
            self.assertNotIn("taken for the target", tool.run("predict", self.model, file(name)).stderr)

    def test_features_without_names(self):
        rows = self.write("rows.svm", "1 1:5.03 2:3.25 3:0.81\n")
        done = tool.run("predict", self.model, rows)
        self.assertIn("features are taken by position: svmlight has no names", done.stderr)
        self.assertEqual(done.stdout.split(), ["setosa"])

    def test_files_of_one_data_set(self):
        first = self.write("f1.csv", "a,b,y\n1,2,u\n2,3,v\n")
        moved = self.write("f2.csv", "b,a,y\n1,2,u\n2,3,v\n")
        other = self.write("f3.csv", "a,c,y\n1,2,u\n2,3,v\n")
        self.assertIn("column 1 is 'b' here, and 'a' there", self.bad("describe", first, moved))
        self.assertIn("'b' is missing, 'c' is not in it", self.bad("describe", first, other))

    def test_data_without_targets_cannot_be_judged(self):
        self.assertIn("expected column 'species'", self.bad("evaluate", self.model, file("flowers_no_target.csv")))

    def test_model_and_data_swapped(self):
        problem = self.bad("predict", file("flowers.csv"), self.model)
        self.assertIn("is a model, and", problem)
        self.assertIn("expected them in the other order", problem)

    def test_data_in_place_of_a_model(self):
        problem = self.bad("predict", file("flowers.csv"), file("flowers.csv"))
        self.assertIn("flowers.csv is not a model; expected a file that 'fenchel train --model' has written", problem)

    def test_columns_beside_the_predictions(self):
        lines = self.good("predict", self.model, file("flowers_extra.csv"), "--format", "csv", "--keep", "id,petal_length",
                          "--proba").splitlines()
        self.assertEqual(lines[0], "id,petal_length,species,setosa,versicolor,virginica")
        self.assertEqual([line.split(",")[2] for line in lines[1:]], self.wanted.split())
        first = json.loads(self.good("predict", self.model, file("flowers_extra.csv"), "--format", "jsonl", "--keep", "*")
                           .splitlines()[0])
        self.assertEqual(list(first["kept"]), ["id", "sepal_length", "sepal_width", "petal_length", "species"])
        self.assertIn("--keep", self.bad("predict", self.model, file("flowers.csv"), "--keep", "species", "--format", "npy"))


class Tokens(Folder):
    """Words are words, and labels are labels, wherever they stand."""

    def test_numbers_of_tokens_are_left_out(self):
        model, _ = self.trained(file("numbered.conll"), "--quiet")
        self.assertNotIn("U01:1", self.good("inspect", model, "--json"))
        words = self.write("words.conll", "1\tAnna\tNNP\n2\truns\tVBZ\n\n")
        self.assertEqual(self.good("predict", model, words).split(), ["B-PER", "O"])
        plain = self.write("plain.conll", "Anna\tNNP\nruns\tVBZ\n\n")
        self.assertEqual(self.good("predict", model, plain).split(), ["B-PER", "O"])

    def test_attributes_without_labels(self):
        model, _ = self.trained(self.write("a.crfsuite", "B\tw=Anna\tc\nO\tw=runs\tc\n\nB\tw=Bob\tc\nO\tw=sits\tc\n\n"),
                                "--quiet")
        self.assertEqual(self.good("predict", model, self.write("b.crfsuite", "w=Anna\nw=sits\n\n")).split(), ["B", "O"])
        strange = tool.run("predict", model, self.write("c.crfsuite", "B\tx\nO\ty\n\n"))
        self.assertIn("the tagger knows none of the attributes", strange.stderr)

    def test_nothing_to_learn_from(self):
        labels = self.write("labels.crfsuite", "B\nO\n\nB\nO\n\n")
        self.assertIn("there are no attributes", self.bad("train", labels))
        self.assertIn("--min-count is 1000", self.bad("train", file("numbered.conll"), "--min-count", "1000"))

    def test_columns_that_differ(self):
        two = self.write("two.conll", "Anna B-PER\nruns O\n\n")
        self.assertIn("tokens have 2 columns; those of", self.bad("train", file("numbered.conll"), "--valid", two))
        model, _ = self.trained(file("numbered.conll"), "--quiet")
        self.assertIn("no labels (2 columns; 3 in training)", tool.run("predict", model, two).stderr)
        blank = self.write("blank.conllu", "1\tthe\tthe\t_\t_\t_\t_\t_\t_\t_\n\n")
        model, _ = self.trained(file("universal.conll"), "--quiet")
        self.assertIn("no labels", tool.run("predict", model, blank).stderr)
        self.assertIn("no labels", self.bad("evaluate", model, blank))

    def test_chunks_without_types(self):
        model, said = self.trained(file("untyped.conll"), "--json")
        self.assertIn("chunk_f1", said["train"])

    def test_files_that_are_not_there(self):
        for name in ("no.conll", "no.conllu", "no.crfsuite"):
            self.assertIn("cannot open", self.bad("train", name))


class Unlabelled(Folder):
    """Data to predict need no targets, or have gaps where they would be."""

    def test_gaps_in_place_of_targets(self):
        model, _ = self.trained(file("flowers.csv"), "--quiet")
        rows = "sepal_length,sepal_width,petal_length,species\n5.03,3.25,0.81,\n7.57,2.63,4.19,NA\n"
        gaps = self.write("gaps.csv", rows)
        self.assertEqual(self.good("predict", model, gaps).split(), ["setosa", "virginica"])
        self.assertIn("the target is missing", self.bad("evaluate", model, gaps))
        arff = "@relation r\n@attribute x numeric\n@attribute class {p,n}\n@data\n1,p\n2,n\n"
        model, _ = self.trained(self.write("a.arff", arff), "--quiet")
        asked = self.write("b.arff", arff.replace(",p", ",?").replace(",n", ",?"))
        self.assertEqual(len(self.good("predict", model, asked).split()), 2)

    def test_rows_without_targets_can_be_left_out(self):
        gaps = self.write("gaps.csv", "x,y\n1,1.5\n2,\n3,2.5\n4,7\n")
        problem = self.bad("train", gaps)
        self.assertIn("gaps.csv:3:3: the target is missing (column 'y'); give --target", problem)
        self.assertIn("fenchel convert --labelled", problem)
        cache = self.path("gaps.cache")
        self.good("convert", gaps, "--labelled", "--out", cache)
        said = json.loads(self.good("describe", cache, "--json"))
        self.assertEqual((said["rows"], said["numeric_targets"]), (3, 1))
        words = self.write("words.csv", "x,y\n1,a\n2,\n3,b\n4,nan\n")
        self.good("convert", words, "--labelled", "--out", cache)
        said = json.loads(self.good("describe", cache, "--json"))
        self.assertEqual((said["rows"], said["classes"]), (2, 2))

    def test_zeros_and_ones_are_no_labels(self):
        vectors = self.write("vectors.svm", "1,0,1 1:1\n0,1,1 1:2\n1,1,0 1:4\n")
        self.assertIn("row 0 has a label twice, and all labels are 0 or 1", self.bad("train", vectors))

    def test_names_of_rows_are_no_features(self):
        model, _ = self.trained(file("index.csv"), "--quiet")
        rows = "len,wid\n5.5,3.4\n5.9,2.3\n5.1,3.1\n"
        self.assertEqual(self.good("predict", model, self.write("new.csv", rows)),
                         self.good("predict", model, file("index.csv")))


class Orders(Folder):
    """What a target means for a task, or for a model."""

    def classes(self, data, *flags):
        model, _ = self.trained(data, "--quiet", *flags)
        return model, json.loads(self.good("inspect", model, "--json"))["classes"]

    def test_a_class_may_have_any_sign(self):
        model, classes = self.classes(file("mutations.csv"), "--task", "classification")
        self.assertEqual(classes, ["A>G", "C>T", "none"])
        self.assertEqual(json.loads(self.good("evaluate", model, file("mutations.csv"), "--json"))["examples"], 4)
        self.assertEqual(self.classes(file("doses.csv"), "--task", "classification")[1], ["dose<=5", "dose>5", "none"])

    def test_ties_alone_are_orders_where_orders_are_asked_for(self):
        self.assertEqual(self.classes(file("ties_alone.csv"), "--task", "label-ranking")[1], ["a", "b", "c"])
        model, _ = self.classes(file("all_tied.csv"))
        for ties in ('"{b;c;a}"', "b=c=a"):
            done = tool.run("evaluate", model, self.write("ties.csv", f"x,z,order\n1,2,{ties}\n2,1,{ties}\n"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("training did not see", done.stderr)

    def test_names_keep_their_brackets(self):
        self.assertEqual(self.classes(file("names_with_brackets.csv"))[1], ["cod [raw]", "eel", "tuna (sea water)"])


class Labels(Folder):
    """Labels that nothing but the model names."""

    def test_attributes_that_are_labels_of_the_model(self):
        model, _ = self.trained(file("songs-train-sparse.arff"), "--quiet")
        text = pathlib.Path(file("songs-train-sparse.arff")).read_text(encoding="utf-8")
        alone = self.write("alone.arff", text)  # no XML beside it
        of = [json.loads(self.good("evaluate", model, data, "--json")) for data in (file("songs-train-sparse.arff"), alone)]
        self.assertEqual(of[0], of[1])
        self.assertEqual(len(of[0]["classes"]), 4)

    def test_a_target_beside_labels(self):
        done = tool.run("describe", file("songs-train-sparse.arff"), "--target", "1")
        self.assertIn("songs.xml names are not used, as --target is '1'", done.stderr)


class Series(Folder):
    def test_messages_name_the_flag_and_the_place(self):
        self.assertIn("gaps.ts:7:3: a value of the series is missing; --missing impute", self.bad("train", file("gaps.ts")))
        problem = self.bad("train", file("series.ts"))
        self.assertIn("series.ts: series 2 has", problem)
        self.assertIn("series of one length", problem)


class Taggers(Folder):
    def test_the_column_to_learn(self):
        model, _ = self.trained(file("words.conllu"), "--quiet")
        tags = self.good("predict", model, file("words.conllu")).split()
        self.assertEqual(set(tags), {"DET", "NOUN", "VERB", "PUNCT"})
        model, _ = self.trained(file("chunks.txt"), "--target", "2", "--quiet")
        self.assertEqual(self.good("predict", model, file("chunks.txt")).split()[:2], ["DT", "NN"])

    def test_tokens_without_labels(self):
        model, _ = self.trained(file("chunks.txt"), "--quiet")
        lines = pathlib.Path(file("chunks.txt")).read_text(encoding="utf-8").splitlines()
        bare = self.write("bare.conll", "".join(" ".join(line.split()[:-1]) + "\n" for line in lines))
        self.assertEqual(self.good("predict", model, bare), self.good("predict", model, file("chunks.txt")))
        self.assertIn("no labels to judge by", self.bad("evaluate", model, bare))

    def test_a_flag_that_nothing_uses(self):
        self.assertIn("--target", self.bad("train", file("rank.txt"), "--target", "2"))


class Described(Folder):
    def test_numbers_for_programs(self):
        said = json.loads(self.good("describe", file("prices.csv"), "--target", "price", "--ignore", "name", "--json"))
        self.assertLess(said["target_smallest"], said["target_mean"])
        self.assertLess(said["target_mean"], said["target_largest"])
        self.assertNotIn("classes", said)
        said = json.loads(self.good("describe", file("doors.data"), "--json"))
        self.assertEqual(said["values_of_words"], {"1": 4, "2": 3})
        self.assertNotIn("values_of_words", self.good("describe", file("doors.data")))


class Said(Folder):
    """What a command understood, on stderr."""

    def test_training_names_target_features_and_task(self):
        done = tool.run("train", file("flowers_decimal_commas.csv"))
        for part in ("the target is column 'species'", "3 features", "separated by semicolons", "with decimal commas",
                     "with a header", "classification"):
            self.assertIn(part, done.stderr)

    def test_warnings_survive_quiet(self):
        done = tool.run("train", file("flowers.csv"), "--quiet", "--max-iterations", "2", "--solver", "lbfgs")
        self.assertIn("not converged", done.stderr)

    def test_slips_of_the_pen(self):
        self.assertIn("did you mean 'train'", self.bad("trian", "x.csv"))
        problem = self.bad("train", file("flowers.csv"), "--lamda", "0.1")
        self.assertIn("did you mean '--lambda'", problem)
        self.assertIn("Try 'fenchel train --help'", problem)

    def test_missing_values_name_the_flag(self):
        gaps = self.write("gaps.csv", "x,z,y\n1,,a\n2,3,b\n")
        self.assertIn("--missing impute", self.bad("train", gaps))


class Judged(Folder):
    def test_classes_confusion_and_calibration(self):
        model, _ = self.trained(file("flowers.csv"))
        report = json.loads(self.good("evaluate", model, file("flowers.csv"), "--json"))
        self.assertEqual([one["name"] for one in report["classes"]], ["setosa", "versicolor", "virginica"])
        self.assertEqual(sum(sum(row) for row in report["confusion"]), 30)
        self.assertEqual(sum(bin["rows"] for bin in report["calibration"]), 30)
        self.assertGreater(report["auc"], 0.9)
        self.assertNotIn("f1_micro", report)
        text = self.good("evaluate", model, file("flowers.csv"), "--confusion")
        for part in ("precision", "support", "confusion", "calibration"):
            self.assertIn(part, text)

    def test_the_edge_of_a_grid(self):
        done = tool.run("tune", file("flowers.csv"), "--grid", "lambda=1e3,1e4", "--metric", "log_loss", "--quiet")
        self.assertIn("at the edge of the grid; try --grid lambda=", done.stderr)
        done = tool.run("tune", file("flowers.csv"), "--grid", "lambda=1e2,1e6", "--metric", "log_loss", "--quiet")
        self.assertIn("try --grid lambda=0.01,0.1,1,10,100", done.stderr)
        valid = tool.run("tune", file("flowers.csv"), "--grid", "lambda=0.1,1,10", "--valid", file("flowers_other_order.csv"))
        self.assertEqual(valid.returncode, 0, valid.stderr)


class Shells(Folder):
    def test_completion_and_manual(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.good("completion", shell)
            for word in ("train", "--lambda", "completion"):
                self.assertIn(word.removeprefix("--") if shell == "fish" else word, script)
        page = self.good("manual")
        self.assertIn(".SS \"fenchel train\"", page)
        self.assertIn("EXIT STATUS", page)


if __name__ == "__main__":
    unittest.main()
