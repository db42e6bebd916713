# SPDX-License-Identifier: Apache-2.0
"""What the torture does to the tool: small runs of every task and solver, and of every command that writes a file."""
import os
import pathlib
import random
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = os.environ.get("FENCHEL_TOOL", str(ROOT / "build" / "fenchel"))
SECONDS = 120  # that no run takes: one that does hangs
# One thread: several runs share the cores. Results do not depend on it.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


class Failure(Exception):
    """A promise that does not hold; the text says which, and how to see it again."""


def start(*arguments, **options):
    """A process of the tool; its output is read unless the options say otherwise."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([TOOL, *map(str, arguments)], env=ENVIRONMENT, **pipes)


def finish(process):
    """The exit status and the messages of a process."""
    try:
        _, messages = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failure(f"hangs: {command(process.args)}") from None
    return process.returncode, (messages or b"").decode(errors="replace")


def run(*arguments, **options):
    return finish(start(*arguments, **options))


def good(*arguments, **options):
    status, messages = run(*arguments, **options)
    if status != 0:
        raise Failure(f"status {status} of {command(arguments)}: {messages.strip()[-300:]}")


def command(arguments):
    return " ".join(map(str, arguments))


def output_of(*arguments):
    return subprocess.run([TOOL, *arguments], env=ENVIRONMENT, capture_output=True, check=True).stdout


def rows(draw, target):
    """Rows of svmlight, each with what `target` makes of its numbers in front."""
    for _ in range(60):
        x = [draw.gauss(0, 1) for _ in range(6)]
        yield target(x) + "".join(f" {j + 1}:{value:.6f}" for j, value in enumerate(x)) + "\n"


def write_data(folder):
    """One file for each task: its name by that of the task."""
    draw = random.Random(1)
    files = {
        "classification": output_of("synth", "classification", "--samples", "80", "--features", "8", "--seed", "1"),
        "proportions": output_of("synth", "proportions", "--samples", "60", "--classes", "5", "--seed", "1"),
        "ranking": output_of("synth", "ranking", "--queries", "12", "--documents", "6", "--features", "5", "--seed", "1"),
        "tagging": output_of("synth", "tagging", "--sentences", "30", "--vocabulary", "20", "--tags", "3", "--seed", "1"),
        "multilabel": "".join(rows(draw, lambda x: ",".join(str(j) for j in range(4) if x[j] > 0))).encode(),
        "regression": "".join(rows(draw, lambda x: f"{x[0] - 2 * x[1]:.6f}")).encode(),
        "label-ranking": "".join(
            rows(draw, lambda x: ",".join(sorted("abcd", key=lambda name: -x[ord(name) - ord("a")])))).encode(),
    }
    for task, content in files.items():
        (folder / task).write_bytes(content)
    return {task: folder / task for task in files}


def solvers():
    """The names of all solvers, as the help lists them."""
    text = output_of("train", "--help").decode()
    names = re.search(r"--solver TEXT=auto\s+auto, ([^;]*);", text)[1]
    return re.split(r",\s*", names)


# Flags that take a solver where its defaults do not go.
VARIANTS = {
    "": [],
    "hinge": ["--omega", "hinge", "--intercept", "none"],
    "sparsemax": ["--omega", "sparsemax", "--intercept", "penalised"],
    "kernel": ["--kernel", "rbf:gamma=0.1", "--intercept", "none"],
    "elastic": ["--penalty", "elastic_net", "--rho", "0.1", "--scale", "standard"],
    "single": ["--precision", "single", "--intercept", "none"],
}


def training_runs(data):
    """Flags of `fenchel train` by name: every task, solver and variant that the tool does not refuse."""
    runs = {}
    for task, path in data.items():
        for solver in solvers():
            for variant, flags in VARIANTS.items():
                arguments = ["train", path, "--task", task, "--solver", solver, *flags, "--lambda", "0.3", "--tolerance",
                             "1e-13", "--max-iterations", "15", "--threads", "1", "--quiet", "--seed", "3"]
                if variant == "single" and task == "tagging":
                    continue
                runs[f"{task} {solver} {variant}".strip()] = arguments
    return runs


def refused(arguments):
    """Whether the tool does not make such a run at all."""
    place = arguments.index("--max-iterations") + 1
    status, _ = run(*arguments[:place], "1", *arguments[place + 1 :])
    return status == 2


def writers(data, model):
    """Commands that write a file, by name; each takes the file's path."""
    rows_file, sentences = data["classification"], data["tagging"]
    list_of = {
        "convert cache": lambda out: ["convert", rows_file, "--out", out],
        "convert svmlight": lambda out: ["convert", rows_file, "--to", "svmlight", "--out", out],
        "convert held out": lambda out: ["convert", rows_file, "--out", f"{out}.rest", "--held-out", out, "--to", "svmlight"],
        "train model": lambda out: ["train", rows_file, "--quiet", "--threads", "1", "--max-iterations", "5", "--model", out],
        "train tagger": lambda out: ["train", sentences, "--task", "tagging", "--quiet", "--threads", "1",
                                     "--max-iterations", "5", "--model", out],
        "train checkpoint": lambda out: ["train", rows_file, "--quiet", "--threads", "1", "--max-iterations", "5",
                                         "--every", "0s", "--checkpoint", out],
        "tune model": lambda out: ["tune", rows_file, "--grid", "lambda=0.1,1", "--quiet", "--threads", "1",
                                   "--max-iterations", "5", "--model", out],
    }
    if b"--out" in output_of("predict", "--help"):
        list_of["predict"] = lambda out: ["predict", model, rows_file, "--out", out]
    return list_of


def same(path, expected):
    """Whether a file is there and is what was expected. Checkpoints hold times: those of one run have one size."""
    if not path.exists():
        return False
    content = path.read_bytes()
    return content == expected or all(b"fenchel_checkpoint" in each for each in (content, expected)) and len(content) == len(
        expected)


def state_of(path, expected):
    """In words, for messages."""
    if not path.exists():
        return "is missing"
    return "is right" if same(path, expected) else "differs"


def leftovers(folder, known):
    """Files of a folder that are not known, as names. One writer has a second file, .rest."""
    return sorted(path.name for path in folder.iterdir() if path.name not in known and path.suffix != ".rest")
