# SPDX-License-Identifier: Apache-2.0
"""Tables of scores beside the paper's."""
import statistics

from fenchel.parsing.losses import LOSSES

from .. import markdown
from .treebanks import PAPER, SOURCES

LANGUAGES = ["en", "zh", "vi", "ro", "ja"]  # in the paper's order
COMPARED = ["hinge", "crf", "sparsemap"]  # losses of the paper's table


def in_order(study):
    return [loss for loss in LOSSES if loss in study]


def mean_score(study, loss, part="test"):
    return statistics.fmean(run[part] for run in study[loss]["runs"])


def scores(studies):
    """Test scores of the losses on the treebanks that there are results of, each above the paper's."""
    there = [language for language in LANGUAGES if language in studies]
    losses = [loss for loss in COMPARED if loss in studies[there[0]]]
    rows = []
    for loss in losses:
        ours = [markdown.spread([run["test"] for run in studies[language][loss]["runs"]], 2) for language in there]
        rows += [[LOSSES[loss], *ours], [f"{LOSSES[loss]}, the paper", *_printed(loss, there)]]
    rows.append(["UDPipe baseline, as the paper quotes it", *_printed("udpipe", there)])
    notes = [f"- {language}: {SOURCES[language].name}, {SOURCES[language].remark}; {_budget(studies[language], losses)}."
             for language in there]
    header = [f"{language}, not comparable" if SOURCES[language].other else language for language in there]
    return markdown.table(["test UAS", *header], rows) + "\n" + "\n".join(notes) + "\n"


def _printed(row, languages):
    return [markdown.number(PAPER[row][language], 2) for language in languages]


def _budget(study, losses):
    runs = [run for loss in losses for run in study[loss]["runs"]]
    count = len(study[losses[0]]["runs"])
    return (f"{count} run{'s' if count > 1 else ''} per loss, of {max(run['epochs'] for run in runs)} epochs at most, "
            f"{statistics.fmean(run['minutes'] for run in runs):.1f} minutes of training on one core on average")


def grid(study):
    """Development scores by learning rate."""
    return _grid([(LOSSES[loss], study[loss], False) for loss in in_order(study)])


def probes(studies):
    """The same for several treebanks, with the chosen rates in bold."""
    return _grid([(f"{language}, {LOSSES[loss]}", study[loss], True) for language, study in studies.items()
                  for loss in in_order(study)])


def _grid(rows):
    """Rows of (title, study of one loss, whether the chosen rate is in bold)."""
    rates = sorted({rate for _, one, _ in rows for rate, _ in one["grid"]})

    def cell(one, rate, bold):
        text = markdown.number(dict(map(tuple, one["grid"])).get(rate), 2)
        return f"**{text}**" if bold and rate == one["learning_rate"] else text

    return markdown.table(["development UAS, seed 1", *(f"{rate:g}" for rate in rates)],
                          [[title, *(cell(one, rate, bold) for rate in rates)] for title, one, bold in rows])


def runs(study):
    """The runs of each loss with the learning rate chosen."""
    rows = [[LOSSES[loss], f"{study[loss]['learning_rate']:g}",
             *(markdown.spread([run[part] for run in study[loss]["runs"]], 2) for part in ("dev", "test")),
             ", ".join(str(run["epoch"]) for run in study[loss]["runs"]),
             markdown.spread([run["minutes"] for run in study[loss]["runs"]], 1)] for loss in in_order(study)]
    return markdown.table(["loss", "learning rate", "development UAS", "test UAS", "best epochs", "training minutes"], rows)


def profile(studies):
    """The share of the training step that the structured loss and its gradient take."""
    rows = []
    for language, study in studies.items():
        for loss in in_order(study):
            found = study[loss]["runs"]
            rows.append([f"{language}, {LOSSES[loss]}", *(f"{100 * statistics.fmean(run[part] for run in found):.1f} %"
                                                         for part in ("first_loss_share", "loss_share"))])
    return markdown.table(["loss and gradient", "of the first epoch", "of all epochs"], rows)
