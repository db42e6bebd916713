# SPDX-License-Identifier: Apache-2.0
"""The list of public sets, in the order of the table."""
from .public_set import split_lines
from .rows import read_bundled, read_classes, read_label_sets, read_mulan, read_orders, read_queries, read_series
from .sentences import conll_sentences, conllu_sentences, ocr_words, read_sentences


def public_sets(folder, scratch):
    """The name of each set, its files, and how it is read."""
    libsvm, mulan, sparse = folder / "libsvm", folder / "mulan", folder / "sparse_multilabel"
    for name in ("iris", "wine", "breast_cancer", "digits", "diabetes"):
        yield name, [], lambda name=name: read_bundled(name, scratch)
    dna = [libsvm / "dna.scale", libsvm / "dna.scale.t"]
    yield "dna", dna, lambda: read_classes("dna", *dna)
    for name, file in (("letter", "letter.scale.svm.gz"), ("w8a", "w8a.gz")):
        yield name, [libsvm / file], lambda name=name, file=file: read_classes(name, *split_lines(libsvm / file, scratch))
    for name, suffix in (("GunPoint", "txt"), ("ItalyPowerDemand", "ts")):
        pair = [folder / "ucr" / name / f"{name}_{part}.{suffix}" for part in ("TRAIN", "TEST")]
        yield name, pair, lambda name=name, pair=pair: read_series(name, *pair)
    for name in ("emotions", "scene", "yeast", "birds", "tmc2007-500"):
        pair = [mulan / name / f"{name}-{part}.arff" for part in ("train", "test")]
        yield name, [*pair, mulan / name / f"{name}.xml"], lambda name=name, pair=pair: read_mulan(name, *pair)
    for name in ("rcv1sub1", "yahoo_arts", "ng20"):
        pair = [sparse / name / f"{name}-{part}.svm.gz" for part in ("train", "test")]
        yield name, pair, lambda name=name, pair=pair: read_label_sets(name, *pair)
    mq2008 = [folder / "rank" / "mq2008_fold1" / f"{part}.txt.gz" for part in ("train", "test")]
    yield "MQ2008, fold 1", mq2008, lambda: read_queries("MQ2008, fold 1", *mq2008)
    for name in ("iris", "vehicle", "vowel", "authorship"):
        path = folder / "label_ranking" / f"{name}.txt"
        title = f"orders of {name}"
        yield title, [path], lambda title=title, path=path: read_orders(title, path, scratch)
    for title, where, files, reader in (
            ("OCR letters", "ocr", ("ocr-train.txt.gz", "ocr-test.txt.gz"), ocr_words),
            ("CoNLL-2000", "conll2000", ("train.txt.gz", "test.txt.gz"), conll_sentences),
            ("UPOS of vi_vtb", "ud/vi_vtb", ("vi_vtb-ud-train.conllu", "vi_vtb-ud-test.conllu"), conllu_sentences),
            ("UPOS of en_ewt", "ud/en_ewt", ("en_ewt-ud-train.conllu.gz", "en_ewt-ud-test.conllu"), conllu_sentences)):
        pair = [folder / where / file for file in files]
        yield title, pair, lambda title=title, pair=pair, reader=reader: read_sentences(title, *pair, reader)
