# SPDX-License-Identifier: Apache-2.0
"""What the commands of each page of the documentation need: small files of the names that it has, made up for the purpose.

A page with commands and without an entry in FILES is one that nobody has thought of: docs_test.py fails then.
"""
import gzip
import random

COLUMNS = 5
LABELS = ("warm", "calm", "loud")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def numbers(draw, count=COLUMNS):
    return [round(draw.gauss(0, 1), 3) for _ in range(count)]


def svmlight(rows=60, classes=3, seed=0):
    """Rows whose class is that of their largest feature, mostly."""
    draw = random.Random(seed)
    return "".join(row(largest(x[:classes]) + 1, x) for x in (numbers(draw) for _ in range(rows)))


def row(label, x):
    return f"{label} " + " ".join(f"{j + 1}:{value}" for j, value in enumerate(x)) + "\n"


def largest(values):
    return max(range(len(values)), key=values.__getitem__)


def queries(seed):
    draw = random.Random(seed)
    rows = ((i // 6, numbers(draw)) for i in range(36))
    return "".join(row(f"{int(x[0] > 0) + int(x[0] > 1)} qid:{query}", x) for query, x in rows)


def mulan(folder, name, parts=("train",)):
    """ARFF with the header of labels beside it, as Mulan's data sets are."""
    draw = random.Random(len(name))
    write(folder / f"{name}.xml", '<labels xmlns="http://mulan.sourceforge.net/labels">'
          + "".join(f'<label name="{label}"></label>' for label in LABELS) + "</labels>\n")
    head = f"@relation {name}\n" + "".join(f"@attribute a{j} numeric\n" for j in range(COLUMNS)) \
        + "".join(f"@attribute {label} {{0,1}}\n" for label in LABELS) + "@data\n"
    for part in parts:
        rows = [numbers(draw) for _ in range(40)]
        lines = (",".join(map(str, [*x, *(int(value > 0) for value in x[:len(LABELS)])])) for x in rows)
        write(folder / f"{name}-{part}.arff", head + "\n".join(lines) + "\n")


def orders(seed):
    """CSV with orders: of three things by the first three columns."""
    draw = random.Random(seed)
    rows = [numbers(draw, 4) for _ in range(30)]
    lines = (",".join(map(str, x)) + "," + ">".join("abc"[j] for j in sorted(range(3), key=lambda j: -x[j])) for x in rows)
    return "A1,A2,A3,A4,ranking\n" + "\n".join(lines) + "\n"


def chunks(sentences=30, seed=0):
    """Sentences of CoNLL-2000: words, tags and chunks."""
    draw = random.Random(seed)
    phrases = ("the DT B-NP\ndog NN I-NP\n", "sees VBZ B-VP\n", "a DT B-NP\ncat NN I-NP\n", "in IN B-PP\n", ". . O\n")
    return "".join("".join(draw.choices(phrases, k=3)) + phrases[-1] + "\n" for _ in range(sentences))


def attributes(sentences=30):
    """The same as attributes of CRFsuite."""
    tokens = (line.split() for line in chunks(sentences).split("\n"))
    return "".join(f"{token[2]}\tw={token[0]}\tpos={token[1]}\n" if token else "\n" for token in tokens)


def letters(words=25, seed=0):
    """Words of the OCR set: letters as images of 24 pixels."""
    draw = random.Random(seed)
    images = {letter: [draw.randrange(2) for _ in range(24)] for letter in "abc"}

    def image(letter):
        return "".join(str(pixel ^ (draw.random() < 0.1)) for pixel in images[letter])

    return "".join(f"{word}\t{place}\t{letter}\t{image(letter)}\n"
                   for word in range(words) for place, letter in enumerate(draw.choices("abc", k=4)))


def for_cli(folder):
    draw = random.Random(1)
    pairs = [(x, [3 * i + j + 1 for i, j in enumerate(draw.sample(range(3), 3))]) for x in (numbers(draw) for _ in range(30))]
    write(folder / "pairs.svm", "".join(row(",".join(map(str, y)), x) for x, y in pairs))
    write(folder / "costs.csv", "".join(",".join(str(abs(i - j)) for j in range(10)) + "\n" for i in range(10)))
    write(folder / "train.conll", chunks())


def for_crfsuite(folder):
    for name in ("train", "test"):
        write(folder / f"{name}.crfsuite", attributes())


def three_columns():
    """CSV of three numbers and a class."""
    draw = random.Random(2)
    rows = [numbers(draw, 3) for _ in range(30)]
    return "a,b,c,y\n" + "".join(",".join(map(str, [*x, "abc"[largest(x)]])) + "\n" for x in rows)


def for_data(folder):
    draw = random.Random(2)
    write(folder / "train.csv", "a,b,y\n" + "".join(f"{a},{b},{a + b > 0}\n" for a, b in (numbers(draw, 2) for _ in range(30))))


def for_gallery(folder):
    for name in ("dna.scale", "dna.scale.t"):
        write(folder / name, svmlight())


def for_liblinear(folder):
    draw = random.Random(3)
    write(folder / "data", "".join(row("name" if x[0] > 0 else "other", x) for x in (numbers(draw) for _ in range(60))))


def for_reproduction(folder):
    mulan(folder / "mulan" / "emotions", "emotions", ("train", "test"))
    write(folder / "libsvm" / "letter.scale.svm.gz", svmlight())
    for number, name in enumerate(("train", "vali", "test")):
        write(folder / "rank" / "mq2008_fold1" / f"{name}.txt.gz", queries(number))
        write(folder / "conll2000" / f"{name}.txt.gz", chunks(seed=number))
        write(folder / "ocr" / f"ocr-{name}.txt.gz", letters(seed=number))
        write(folder / f"{name}-1.csv", orders(number))


FILES = {
    "README.md": lambda folder: None,
    "docs/cli.md": for_cli,
    "docs/coming_from/crfsuite.md": for_crfsuite,
    "docs/coming_from/liblinear.md": for_liblinear,
    "docs/data.md": for_data,
    "docs/deployment.md": lambda folder: write(folder / "train.csv", three_columns()),
    "docs/gallery.md": for_gallery,
    "docs/reliability.md": lambda folder: write(folder / "train.svm", svmlight()),
    "docs/reproduction.md": for_reproduction,
    "docs/training.md": lambda folder: mulan(folder, "yeast"),
}
