# SPDX-License-Identifier: Apache-2.0
"""A text classifier with sparse probabilities: classes that are out of the question get exactly 0.

Texts are made of words of one or two of five topics; scikit-learn counts the words, and the classifier is tuned over Ω
like any other estimator.
"""
from __future__ import annotations

from typing import List, Tuple

import fenchel
import numpy as np
from fenchel.sklearn import FenchelYoungClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

TOPICS = {
    "astronomy": "star planet orbit telescope comet galaxy moon light sky lens",
    "cooking": "salt oven butter recipe knife light pan sugar taste orbit",
    "sailing": "wind boat harbour sail anchor star sky knot deck moon",
    "chess": "knight queen opening clock board mate pawn light knife win",
    "music": "string note key scale bow orchestra beat opening pan deck",
}


def texts(count: int, seed: int) -> Tuple[List[str], List[str]]:
    """Texts of twelve words, eight of them of their own topic."""
    random = np.random.default_rng(seed)
    names = list(TOPICS)
    labels = random.choice(names, count)
    others = random.choice(names, count)
    words = [np.concatenate([random.choice(TOPICS[own].split(), 8), random.choice(TOPICS[other].split(), 4)])
             for own, other in zip(labels, others)]
    return [" ".join(text) for text in words], list(labels)


def main() -> None:
    train, y = texts(400, seed=1)
    test, y_test = texts(400, seed=2)
    pipeline = make_pipeline(TfidfVectorizer(), FenchelYoungClassifier(max_iter=2000))
    omegas = [fenchel.Shannon(), fenchel.Tsallis(1.5), fenchel.Tsallis(2)]
    grid = {"fenchelyoungclassifier__omega": omegas, "fenchelyoungclassifier__reg_lambda": [0.1, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(train, y)
    print(f"chosen: {search.best_params_}, accuracy on new texts {search.score(test, y_test):.3f}")

    for omega in omegas:
        model = pipeline.set_params(fenchelyoungclassifier__omega=omega).fit(train, y)
        probabilities = model.predict_proba(test)
        print(f"{omega!r:<22} accuracy {model.score(test, y_test):.3f}, "
              f"classes that are not ruled out: {(probabilities > 0).sum(1).mean():.2f} of {len(TOPICS)}")
    doubtful = probabilities.max(axis=1).argmin()
    named = {str(name): round(float(p), 3) for name, p in zip(model.classes_, probabilities[doubtful]) if p > 0}
    print(f"the most doubtful text: {test[doubtful]!r}: {named}")


if __name__ == "__main__":
    main()
