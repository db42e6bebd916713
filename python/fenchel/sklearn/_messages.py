# SPDX-License-Identifier: Apache-2.0
"""Errors of C++, which speaks of flags of the tool, in words of the estimators."""
from __future__ import annotations

import difflib
import re
from contextlib import contextmanager
from typing import Iterator, Sequence

_WORDS = (
    (r"--intercept penalised or none", "fit_intercept='penalised' or False"),
    (r"--intercept (\w+)", r"fit_intercept='\1'"),
    (r"--(solver|penalty|scale) (\w+)", r"\1='\2'"),
    (r"^intercept(:| is)", r"fit_intercept\1"),
    (r"^unknown omega '(\w+)'; did you mean '\1'\?$", r"omega is '\1', a loss for another kind of target"),
)


@contextmanager
def in_words_of_python() -> Iterator[None]:
    """Rewords the ValueError of a call."""
    try:
        yield
    except ValueError as error:
        text = said = str(error)
        for flags, words in _WORDS:
            said = re.sub(flags, words, said)
        if said == "omega is 'crf', a loss for another kind of target":
            said += "; SequenceTagger has it"
        if said == text:
            raise
        raise ValueError(said) from None


def unknown(name: str, value: str, choices: Sequence[str]) -> ValueError:
    """An error with all choices and, if there is one, the nearest."""
    near = difflib.get_close_matches(value, choices, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return ValueError(f"{name} is {value!r}; expected one of {', '.join(choices)}{hint}")
