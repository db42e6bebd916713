# SPDX-License-Identifier: Apache-2.0
"""Label proportions of made-up documents, against their length (paper §9.1, Figure 10)."""
import pathlib
import tempfile
from statistics import fmean

from . import tool
from .experiment import Experiment, Finding, Step
from .figures import figure
from .markdown import command, image, number, spread, table
from .proportions import COLUMNS, Choice, choose_and_judge

TRAIN, VALID, TEST = 1200, 200, 1000
LAMBDAS = [10.0 ** k for k in range(-6, 1)]
NAMES = {"1": "softmax (α = 1)", "1.5": "α = 1.5", "2": "sparsemax (α = 2)", "tuned": "tuned α"}
METRICS = {"js": "Jensen-Shannon divergence", "squared_error": "squared error"}
CLOSE = 0.05  # of the divergence: what counts as almost the same


def steps(quick):
    lengths, seeds = ([500], 1) if quick else ([200, 500, 1000, 2000], 3)
    alphas = [1, 1.5, 2] if quick else [1 + k / 10 for k in range(11)]
    return [Step(f"{classes}-classes-{length}-words", run,
                 {"classes": classes, "length": length, "seeds": seeds, "alphas": alphas,
                  "lambdas": [1e-4, 1e-3, 1e-2] if quick else LAMBDAS, "features": "frequencies"})
            for classes in (10, 50) for length in lengths]


def share(part, whole):
    """A share that gives exactly that many rows, though it is rounded up."""
    return (part - 0.5) / whole


def synth_command(classes, length, seed, features):
    return ["synth", "proportions", "--classes", classes, "--length", length, "--samples", TRAIN + VALID + TEST, "--seed", seed,
            *(["--frequencies"] if features == "frequencies" else [])]


def run(classes, length, seeds, alphas, lambdas, features):
    """For each seed, what each column does on the test documents. Features are counts of words or frequencies."""
    choice = Choice(alphas, lambdas, share(VALID, TRAIN + VALID),
                    ["--intercept", "none", "--tolerance", "1e-4", "--max-iterations", "1000"])
    splits = []
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            documents, train, test = (pathlib.Path(folder) / name for name in ("all.svm", "train.cache", "test.cache"))
            documents.write_text(tool.run(*synth_command(classes, length, seed, features)), encoding="utf-8")
            tool.run("convert", documents, "--out", train, "--held-out", test, "--share", share(TEST, TRAIN + VALID + TEST),
                     "--seed", seed)
            splits.append(choose_and_judge(choice, train, test, seed))
    return splits


def panels(results):
    """{classes: [(length, splits)]} of the steps that have results."""
    found = {}
    for name, splits in results.items():
        classes, _, length, _ = name.split("-")
        found.setdefault(int(classes), []).append((int(length), splits))
    return {classes: sorted(found[classes]) for classes in sorted(found)}


def choices_inside(points):
    """How many λ were chosen inside the grid, not at one of its ends, and of how many."""
    chosen = [split[column]["lambda"] for _, splits in points for split in splits for column in COLUMNS]
    return sum(min(LAMBDAS) < each < max(LAMBDAS) for each in chosen), len(chosen)


def mean(splits, column, metric="js"):
    return fmean(split[column][metric] for split in splits)


def draw(results, folder):
    with figure(folder, "synthetic_proportions", 2, 2, size=(4.6, 3.2), sharex=True) as (_, axes):
        for (classes, points), column_axes in zip(panels(results).items(), axes.T):
            for (metric, title), ax in zip(METRICS.items(), column_axes):
                for column, marker in zip(COLUMNS, "os^D"):
                    lengths = [length for length, _ in points]
                    values = [[split[column][metric] for split in splits] for _, splits in points]
                    middle = list(map(fmean, values))
                    line, = ax.plot(lengths, middle, marker=marker, markersize=4, label=NAMES[column],
                                    linestyle="--" if column == "tuned" else "-")
                    ax.fill_between(lengths, [min(each) for each in values], [max(each) for each in values],
                                    color=line.get_color(), alpha=0.2, linewidth=0)
                ax.set(ylabel=title, ylim=(0, None))
            column_axes[0].set(title=f"{classes} classes")
            column_axes[-1].set(xlabel="mean number of words")
        axes[0, 0].legend(fontsize="small")


def report(results):
    sections = ["## Label proportions of made-up documents (paper §9.1, Figure 10)", f"""
Documents are mixtures of multinomials (Martins & Astudillo 2016): each class has a distribution over the words, the number of
labels and the number of words of a document are Poisson. {TRAIN} documents for training, {VALID} for validation, {TEST} for the
test; there is no intercept, λ ∈ {{1e-6, …, 1}} and α ∈ {{1, 1.1, …, 2}} are chosen by Jensen-Shannon divergence. Bands span
the seeds.

The paper leaves open whether features are counts or frequencies of words, the number of words in the vocabulary, the
proportions of a document's labels, and when training ends. Here features are frequencies (counts divided by the length of the
document), because the grid of λ fits them: with counts, λ = 1, its upper end, was chosen in half of the cells, and divergences
were higher. With frequencies it never is; the 100 weights of 10 classes need next to no penalty, and 1e-6 is as good as any. The
vocabulary has as many words as there are classes, as in Martins & Astudillo; proportions are random; training ends at a relative
duality gap of 1e-4.
""", image("synthetic_proportions", "divergence and squared error against document length, for 10 and for 50 classes")]
    for metric, title in METRICS.items():
        rows = [[classes, length, *(spread([split[column][metric] for split in splits], 4) for column in COLUMNS),
                 number(mean(splits, "tuned", "alpha"), 2)]
                for classes, points in panels(results).items() for length, splits in points]
        header = ["Classes", "Words", *(NAMES[column] for column in COLUMNS), "mean tuned α"]
        sections += [f"\nTest {title}:\n", table(header, rows)]
    example = tool.shown(*synth_command(10, 500, 0, "frequencies")) + " > documents.svm"
    return "\n".join([*sections, "The documents of one cell:\n", command(example)])


def findings(results):
    """The paper's two, over all lengths."""
    found = []
    for classes, points in panels(results).items():
        softmax, sparsemax, tuned = (fmean(mean(splits, column) for _, splits in points) for column in ("1", "2", "tuned"))
        detail = f"mean divergence: softmax {softmax:.4f}, sparsemax {sparsemax:.4f}, tuned {tuned:.4f}"
        if classes == 10:
            found.append(Finding(f"10 classes: tuned α and sparsemax are within {CLOSE:.0%}, and both beat softmax",
                                 abs(tuned - sparsemax) <= CLOSE * sparsemax and max(tuned, sparsemax) < softmax, detail))
        else:
            found.append(Finding("50 classes: tuned α beats softmax, and is no worse than sparsemax (by at most 1%)",
                                 tuned < softmax and tuned <= 1.01 * sparsemax, detail))
            if len(points) > 1:  # one length does not tell
                inside, of = choices_inside(points)
                found.append(Finding("50 classes: λ is chosen inside the paper's grid, not at its ends", inside == of,
                                     f"{inside} of {of}"))
                found.append(Finding("50 classes: tuned α beats sparsemax by more than 1%, as in the paper's figure",
                                     tuned < 0.99 * sparsemax, detail))
    return found


synthetic_proportions = Experiment("synthetic_proportions", steps, report, findings, draw)
