#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Linear-chain CRF on CoNLL-2000 beside CRFsuite: the same templates, c2 = 1 (lambda = 2), L-BFGS.

usage: crf.py PATH_TO_fenchel_bench_crf FOLDER_OF_CONLL2000 [--rounds N] [--threads N] [--fit] [--only l1|l2] [--iterations N]

Rounds alternate between the two, so that a busy machine slows both alike. Printed: processor seconds of an
iteration and of tagging the test set from strings (wall-clock seconds too, with several threads), and ratios
beside their goals; with --fit both train to the end, and chunk F1 is printed. Then c1 = c2 = 0.1, as nearly everyone has
them: CRFsuite trains until it stops by itself, and we until the objective is no larger than its last one. That takes minutes;
--iterations stops it earlier. --only l2 and --only l1 leave out the other part.
"""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import time

SPARSE = 0.1  # c1 and c2
FIRST, LAST = 3, 13  # iterations of the two runs whose difference is timed: preparations cancel

TEMPLATES = (
    [[("w", i)] for i in range(-2, 3)]
    + [[("w", -1), ("w", 0)], [("w", 0), ("w", 1)]]
    + [[("pos", i)] for i in range(-2, 3)]
    + [[("pos", i), ("pos", i + 1)] for i in range(-2, 2)]
    + [[("pos", i), ("pos", i + 1), ("pos", i + 2)] for i in range(-2, 1)]
)
COLUMN = {"w": 0, "pos": 1}


def read(path):
    sentences, current = [], []
    with gzip.open(path, "rt") as lines:
        for line in lines:
            cells = line.split()
            if cells:
                current.append(cells)
            elif current:
                sentences.append(current)
                current = []
    return sentences + ([current] if current else [])


def attributes(sentence):
    rows = []
    for t in range(len(sentence)):
        row = []
        for template in TEMPLATES:
            if all(0 <= t + offset < len(sentence) for _, offset in template):
                name = "|".join(f"{field}[{offset}]" for field, offset in template)
                value = "|".join(sentence[t + offset][COLUMN[field]] for field, offset in template)
                row.append(f"{name}={value}")
        rows.append(row)
    rows[0].append("__BOS__")
    rows[-1].append("__EOS__")
    return rows


class Crfsuite:
    def __init__(self, folder):
        import pycrfsuite

        self.library = pycrfsuite
        self.trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        for sentence in read(folder / "train.txt.gz"):
            self.trainer.append(attributes(sentence), [cells[2] for cells in sentence])
        self.test = read(folder / "test.txt.gz")
        self.items = [pycrfsuite.ItemSequence(attributes(sentence)) for sentence in self.test]
        self.model = os.path.join(tempfile.mkdtemp(), "model.crfsuite")

    def train(self, iterations=None):
        """Processor and wall-clock seconds."""
        self.trainer.set_params({"c2": 1.0} | ({"max_iterations": iterations} if iterations else {}))
        start = time.process_time(), time.perf_counter()
        self.trainer.train(self.model)
        return time.process_time() - start[0], time.perf_counter() - start[1]

    def train_sparse(self, c1, c2, most_iterations):
        """Processor seconds until it stops, its last objective and its iterations."""
        self.trainer.set_params({"c1": c1, "c2": c2, "max_iterations": most_iterations})
        start = time.process_time()
        self.trainer.train(self.model)
        seconds = time.process_time() - start
        self.trainer.set_params({"c1": 0.0})
        last = self.trainer.logparser.last_iteration
        return seconds, last["loss"], last["num"]

    def iteration(self):
        few, many = self.train(FIRST), self.train(LAST)
        return tuple((b - a) / (LAST - FIRST) for a, b in zip(few, many))

    def tag(self):
        tagger = self.library.Tagger()
        tagger.open(self.model)
        start = time.process_time()
        tags = [tagger.tag(items) for items in self.items]
        return time.process_time() - start, tags


def chunks(labels):
    """(type, first, last) of every chunk of IOB2 labels, as the shared task's script reads them."""
    found, start = set(), None
    for t, label in enumerate(labels + ["O"]):
        prefix, _, kind = label.partition("-")
        before = labels[t - 1].partition("-")[2] if t else ""
        if start is not None and (prefix in "OB" or kind != before):
            found.add((before, start, t - 1))
            start = None
        if prefix != "O" and start is None:
            start = t
    return found


def chunk_f1(test, tags):
    right = made = wanted = 0
    for sentence, predicted in zip(test, tags):
        truth, mine = chunks([cells[2] for cells in sentence]), chunks(list(predicted))
        right, made, wanted = right + len(truth & mine), made + len(mine), wanted + len(truth)
    return 100 * 2 * right / (made + wanted)


def line(name, ours, other, goal):
    ratio = other / ours
    print(f"{name:44} {ours:9.4f} {other:9.4f} {ratio:7.2f} {goal:5g}  {'ok' if ratio >= goal else 'MISSED'}",
          flush=True)


def compare_smooth(peer, ours, options):
    """c2 = 1: an iteration of L-BFGS, and tagging."""
    best = {}

    def keep(name, seconds):
        best[name] = min(best.get(name, seconds), seconds)

    for _ in range(options.rounds):
        processor, wall = peer.iteration()
        keep("peer", processor)
        keep("peer_wall", wall)
        keep("peer_tag", peer.tag()[0])
        keep("one", ours("iteration", 1)["mean"])
        keep("several_wall", ours("iteration", options.threads)["wall_mean"])
        keep("tag", ours("tag", 1)["best"])
    line("L-BFGS iteration, 1 thread (processor)", best["one"], best["peer"], 3)
    line(f"L-BFGS iteration, {options.threads} threads (wall clock)", best["several_wall"], best["peer_wall"], 5)
    line("tagging 2012 sentences from strings", best["tag"], best["peer_tag"], 3)


def compare_sparse(peer, ours, most_iterations):
    """c1 = c2 = 0.1, one thread, to the objective at which CRFsuite stops: once, since that takes it minutes."""
    seconds, objective, iterations = peer.train_sparse(SPARSE, SPARSE, most_iterations)
    result = ours("until", 1, SPARSE, SPARSE, repr(objective))
    line(f"c1 = c2 = {SPARSE} to its objective, 1 thread", result["seconds"], seconds, 2)
    print(f"  CRFsuite: {iterations} iterations, objective {objective:.3f}; ours: {result['steps']} of {result['solver']}, "
          f"objective {result['objective']:.3f}, {result['nonzero']} of {result['weights']} weights not 0")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--only", default="", choices=["", "l1", "l2"])
    parser.add_argument("--iterations", type=int, default=2**31 - 1)
    options = parser.parse_args()

    def ours(*arguments):
        command = [options.binary, str(options.folder), *map(str, arguments)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    peer = Crfsuite(options.folder)
    print(f"{'seconds':44} {'ours':>9} {'CRFsuite':>9} {'ratio':>7} {'goal':>5}")
    if options.only != "l1":
        compare_smooth(peer, ours, options)
    if options.only != "l2":
        compare_sparse(peer, ours, options.iterations)
    if options.fit:
        seconds, _ = peer.train()
        print(f"CRFsuite: {seconds:.1f} s, chunk F1 {chunk_f1(peer.test, peer.tag()[1]):.2f}")
        result = ours("fit", options.threads)
        print(f"ours: {result['seconds']:.1f} s ({result['wall_seconds']:.1f} s wall clock), {result['steps']} steps, "
              f"objective {result['objective']:.2f}, chunk F1 {result['chunk_f1']:.2f}")


if __name__ == "__main__":
    main()
