# SPDX-License-Identifier: Apache-2.0
"""Readers of sentences, and the attributes that CRFsuite gets."""
import re

from .public_set import PublicSet, open_text


def read_sentences(name, train, test, reader):
    """x has the columns of each token without its tag, y the tags."""
    def halves(path):
        sentences = list(reader(path))
        return [[token[:-1] for token in one] for one in sentences], [[token[-1] for token in one] for one in sentences]

    (x, y), (x_test, y_test) = halves(train), halves(test)
    metric = "chunk F1" if any(tag.startswith("B-") for tag in y[0]) else "accuracy"
    attributes = "letters" if reader is ocr_words else "words"
    return PublicSet(name, "tagging", metric, train, test, x, y, x_test, y_test, attributes=attributes)


def conll_sentences(path):
    with open_text(path) as text:
        for block in re.split(r"\n\s*\n", text.read()):
            if block.strip():
                yield [line.split() for line in block.strip().splitlines()]


def conllu_sentences(path):
    """The form and UPOS of each word."""
    with open_text(path) as text:
        for block in text.read().split("\n\n"):
            cells = [line.split("\t") for line in block.splitlines() if line and not line.startswith("#")]
            words = [(cell[1], cell[3]) for cell in cells if cell[0].isdigit()]
            if words:
                yield words


def ocr_words(path):
    """The pixels and the letter of each image; a position that does not grow begins another word."""
    word, last = [], -1
    with open_text(path) as text:
        for line in text:
            _, position, letter, pixels = line.split()
            if int(position) <= last:
                yield word
                word = []
            word.append((pixels, letter))
            last = int(position)
    if word:
        yield word


# ---- attributes

def word_attributes(sentence):
    """Those of the tutorial of sklearn-crfsuite: the word and its neighbours, their forms, their parts of speech if given."""
    return [attributes_of_word(sentence, t) for t in range(len(sentence))]


def attributes_of_word(sentence, t):
    word = sentence[t][0]
    names = ["bias", f"word={word.lower()}", f"suffix3={word[-3:]}", f"suffix2={word[-2:]}", f"digit={word.isdigit()}",
             *forms(sentence, t, "")]
    names += forms(sentence, t - 1, "-1:") + [f"-1:word={sentence[t - 1][0].lower()}"] if t > 0 else ["BOS"]
    names += forms(sentence, t + 1, "+1:") + [f"+1:word={sentence[t + 1][0].lower()}"] if t + 1 < len(sentence) else ["EOS"]
    return names


def forms(sentence, t, where):
    word, *others = sentence[t]
    names = [f"{where}upper={word.isupper()}", f"{where}title={word.istitle()}"]
    return names + [f"{where}{name}" for other in others[:1] for name in (f"pos={other}", f"pos2={other[:2]}")]


def letter_attributes(word):
    """The pixels that are 1, as the tool has them."""
    return [["bias", *(f"p{k}" for k, pixel in enumerate(pixels) if pixel == "1")] for (pixels,) in word]


ATTRIBUTES = {"words": word_attributes, "letters": letter_attributes}
