# SPDX-License-Identifier: Apache-2.0
"""What a search over settings found: a curve over one parameter, or a heat map over two."""
from __future__ import annotations

import math
from os import PathLike
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _core
from ._common import axes_or_new, result_of
from ._fitted import Names, Numbers
from ._heat import color_bar, ink
from ._layout import keep_inside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BESIDE = ("deviation", "mean_support", "status")  # what a table of the tool has beside settings and metric
_MOST_NUMBERS = 400  # in a heat map
_MOST_TICKS = 12  # at the values themselves


class _Trial(NamedTuple):
    """A setting and how good it was; NaN where it has no value."""

    setting: Dict[str, Any]
    mean: float
    deviation: float


def _number(value: Any, place: str) -> float:
    if value is None:
        return math.nan
    if isinstance(value, (str, bytes)) or not np.isscalar(value):
        raise ValueError(f"{place} is {value!r}; expected a number")
    return float(value)  # type: ignore[arg-type]


def _of_table(rows: Sequence[Mapping[str, Any]], metric: Optional[str]) -> Tuple[List[_Trial], str]:
    """Of the tool's table, or of rows like its."""
    if metric is None:
        raise ValueError("metric is missing; expected the key of the rows that says how good they are")
    trials = []
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping) or metric not in row:
            raise ValueError(f"row {i} of the results is {row!r}; expected a dictionary with the metric {metric!r}")
        setting = {name: value for name, value in row.items() if name != metric and name not in _BESIDE}
        deviation = _number(row.get("deviation", 0.0), f"deviation of row {i}")
        trials.append(_Trial(setting, _number(row[metric], f"{metric} of row {i}"), 0.0 if math.isnan(deviation) else deviation))
    return trials, metric


def _of_search(results: Mapping[str, Any], metric: Optional[str]) -> Tuple[List[_Trial], str]:
    """Of cv_results_ of scikit-learn."""
    known = [key[len("mean_test_"):] for key in results if key.startswith("mean_test_")]
    metric = known[0] if metric is None and len(known) == 1 else metric
    if metric not in known:
        raise ValueError(f"metric is {metric!r}; expected one of {', '.join(known)}")
    deviations = results.get(f"std_test_{metric}", np.zeros(len(results["params"])))
    return [_Trial(dict(setting), float(mean), float(deviation))
            for setting, mean, deviation in zip(results["params"], results[f"mean_test_{metric}"], deviations)], str(metric)


def _trials(results: Any, metric: Optional[str]) -> Tuple[List[_Trial], str, bool]:
    """The trials, the metric, and whether they are scores of scikit-learn, of which the larger are the better."""
    if isinstance(results, (str, PathLike)) or (isinstance(results, Mapping) and "params" not in results):
        found = result_of("tune", results)
        if "table" not in found or "metric" not in found:
            raise ValueError("results has no 'table'; expected what `fenchel tune --json` writes, cv_results_, or a list of rows")
        if metric not in (None, found["metric"]):
            raise ValueError(f"metric is {metric!r}; expected {found['metric']!r}, which was tuned for")
        trials, name = _of_table(found["table"], found["metric"])
        searched = False
    elif isinstance(results, Mapping):
        trials, name = _of_search(results, metric)
        searched = True
    elif isinstance(results, Sequence):
        trials, name = _of_table(results, metric)
        searched = False
    else:
        raise TypeError(f"results is {type(results).__name__}; expected a dictionary, a file or a list of rows")
    if not any(math.isfinite(trial.mean) for trial in trials):
        raise ValueError(f"results has no row with a {name}; expected one or more")
    return trials, name, searched


def _told(results: Any, scales: Sequence[_Scale]) -> Optional[Tuple[int, ...]]:
    """The place of the winner that the tool names: of settings that are as good, it has chosen one."""
    if not isinstance(results, (str, PathLike)) and (not isinstance(results, Mapping) or "params" in results):
        return None
    best = result_of("tune", results).get("best", {})
    places = [scale.keys.get(repr(best.get(scale.name))) for scale in scales]
    return None if None in places else tuple(place for place in places if place is not None)


def _larger_is_better(metric: str, asked: Optional[bool], searched: bool) -> bool:
    if asked is not None:
        return bool(asked)
    known = {entry["name"]: bool(entry["larger_is_better"]) for entry in _core.metrics()}
    if searched:
        return True
    if metric not in known:
        raise ValueError(f"larger_is_better is missing; expected True or False, as {metric!r} is no metric of the tool")
    return known[metric]


def _axes_of(trials: Sequence[_Trial], parameters: Optional[Sequence[str]]) -> List[str]:
    """The one or two parameters to draw: those that are asked for, or that vary."""
    known = list(dict.fromkeys(name for trial in trials for name in trial.setting))
    if parameters is None:
        varying = [name for name in known if len({repr(trial.setting.get(name)) for trial in trials}) > 1]
        chosen = varying or known[:1]
        if not 1 <= len(chosen) <= 2:
            raise ValueError(f"results has {len(chosen)} parameters with several values ({', '.join(chosen)}); expected one or "
                             "two: choose them by parameters=[…], and the best value over the others is drawn")
        return chosen
    chosen = [parameters] if isinstance(parameters, str) else list(parameters)
    if not 1 <= len(chosen) <= 2 or len(set(chosen)) < len(chosen) or not set(chosen) <= set(known):
        raise ValueError(f"parameters is {parameters!r}; expected one or two of {', '.join(known)}")
    return chosen


class _Scale:
    """The values of a parameter in their order, where each is drawn, and where its field ends."""

    def __init__(self, name: str, values: Sequence[Any]):
        self.name = name
        distinct = list({repr(value): value for value in values}.values())
        self.numeric = all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and math.isfinite(value)
                           for value in distinct)
        self.values = sorted(distinct) if self.numeric else distinct
        self.at = np.array(self.values, dtype=np.float64) if self.numeric else np.arange(float(len(distinct)))
        self.log = self.numeric and _spaced_by_factors(self.at)
        self.keys = {repr(value): i for i, value in enumerate(self.values)}

    def edges(self) -> np.ndarray:
        """Where the fields of a heat map begin and end: between the values, on the scale that is drawn."""
        at = np.log(self.at) if self.log else self.at
        if len(at) == 1:
            ends = np.array([at[0] - 0.5, at[0] + 0.5])
        else:
            between = (at[1:] + at[:-1]) / 2
            ends = np.concatenate([[2 * at[0] - between[0]], between, [2 * at[-1] - between[-1]]])
        return np.exp(ends) if self.log else ends


def _spaced_by_factors(values: np.ndarray) -> bool:
    """Whether quotients of neighbours are more alike than their differences, as those of 0.01, 0.1, 1 are."""
    if len(values) < 3 or values[0] <= 0:
        return False
    steps, factors = np.diff(values), np.diff(np.log(values))
    return bool(factors.std() / factors.mean() < steps.std() / steps.mean() - 1e-9)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def tuning_grid(results: Union[Mapping[str, Any], Sequence[Mapping[str, Any]], PathLike[str]], ax: Optional[Axes] = None, *,
                parameters: Optional[Sequence[str]] = None, metric: Optional[str] = None,
                larger_is_better: Optional[bool] = None) -> Axes:
    """What a search over settings found: a curve over one parameter, a heat map over two, and the best one marked.

    Axes are logarithmic for parameters whose values are spaced by factors. Curves have a band of a standard deviation
    where it is known. Over parameters that are not drawn, the best value counts.

    Parameters
    ----------
    results : dict, path, or list of dict
        What ``fenchel tune --json`` writes, as a dictionary or the file that has it; ``cv_results_`` of scikit-learn's
        GridSearchCV; or rows such as ``{"alpha": 1.5, "accuracy": 0.9, "deviation": 0.01}``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes if it is left out.
    parameters : sequence of str, optional
        The one or two parameters to draw, that of the horizontal axis first; those that vary if they are left out.
    metric : str, optional
        How good a setting is: the key in rows, or one of several scores of ``cv_results_``.
    larger_is_better : bool, optional
        Known for metrics of the tool, and true for scores of scikit-learn.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`, or the new axes.

    Examples
    --------
    >>> import fenchel.plot
    >>> rows = [{"lambda": 10.0**k, "accuracy": accuracy} for k, accuracy in zip(range(-3, 1), [0.91, 0.94, 0.93, 0.8])]
    >>> ax = fenchel.plot.tuning_grid(rows, metric="accuracy")
    >>> ax.get_xscale(), ax.get_title()
    ('log', 'best: lambda = 0.01 (accuracy 0.94)')

    See Also
    --------
    training_log
    """
    trials, metric, searched = _trials(results, metric)
    names = _axes_of(trials, parameters)
    sign = 1 if _larger_is_better(metric, larger_is_better, searched) else -1
    scales = [_Scale(name, [trial.setting.get(name) for trial in trials]) for name in names]
    found: Dict[Tuple[int, ...], _Trial] = {}
    for trial in trials:
        place = tuple(scale.keys[repr(trial.setting.get(scale.name))] for scale in scales)
        if place not in found or not math.isfinite(found[place].mean) or sign * trial.mean > sign * found[place].mean:
            found[place] = trial
    best = _told(results, scales) or max((place for place in found if math.isfinite(found[place].mean)),
                                         key=lambda place: sign * found[place].mean)
    ax = axes_or_new(ax)
    if len(scales) == 1:
        _draw_curve(ax, scales[0], [found[(i,)] for i in range(len(scales[0].values))], best[0], metric)
    else:
        _draw_map(ax, scales, found, best, metric, "viridis" if sign > 0 else "viridis_r")
    chosen = ", ".join(f"{scale.name} = {_text(scale.values[i])}" for scale, i in zip(scales, best))
    ax.set_title(f"best: {chosen} ({metric} {found[best].mean:.4g})", fontsize="medium")
    return ax


def _draw_curve(ax: Axes, scale: _Scale, trials: Sequence[_Trial], best: int, metric: str) -> None:
    means, deviations = np.array([trial.mean for trial in trials]), np.array([trial.deviation for trial in trials])
    ax.plot(scale.at, means, "o-", color="C0", markersize=4)
    if (deviations > 0).any():
        ax.fill_between(scale.at, means - deviations, means + deviations, color="C0", alpha=0.2, linewidth=0)
    ax.plot(scale.at[best], means[best], "*", color="C3", markersize=13, zorder=3)
    ax.set(xlabel=scale.name, ylabel=metric)
    _prepare(ax, [scale])


def _draw_map(ax: Axes, scales: Sequence[_Scale], found: Mapping[Tuple[int, ...], _Trial], best: Tuple[int, ...], metric: str,
              colors: str) -> None:
    from matplotlib.patches import Rectangle

    across, up = scales
    means = np.full((len(up.at), len(across.at)), np.nan)
    for (i, j), trial in found.items():
        means[j, i] = trial.mean
    x, y = across.edges(), up.edges()
    ax.grid(False)
    shown = ax.pcolormesh(x, y, np.ma.masked_invalid(means), cmap=colors)
    ax.add_patch(Rectangle((x[best[0]], y[best[1]]), x[best[0] + 1] - x[best[0]], y[best[1] + 1] - y[best[1]], fill=False,
                           edgecolor="C3", linewidth=2.5, zorder=3))
    ax.set(xlabel=across.name, ylabel=up.name)
    _prepare(ax, scales)
    color_bar(ax, shown, metric)
    if means.size > _MOST_NUMBERS:
        return
    places = [(j, i) for j, i in np.argwhere(np.isfinite(means)).tolist()]
    inks = ink(shown, np.array([means[place] for place in places]))
    middle = [np.sqrt(edges[1:] * edges[:-1]) if scale.log else (edges[1:] + edges[:-1]) / 2
              for scale, edges in zip(scales, (x, y))]
    texts = [ax.text(middle[0][i], middle[1][j], f"{means[j, i]:.3g}", ha="center", va="center", color=color, fontsize="medium")
             for (j, i), color in zip(places, inks)]
    keep_inside(ax, Numbers(ax, texts, [(x[i], y[j], x[i + 1], y[j + 1]) for j, i in places]))


def _prepare(ax: Axes, scales: Sequence[_Scale]) -> None:
    """Scales and names of the axes."""
    for scale, prefix in zip(scales, "xy"):
        if not scale.numeric:
            keep_inside(ax, Names(ax, **{prefix: [_text(value) for value in scale.values]}))
            continue
        if scale.log:
            ax.set(**{f"{prefix}scale": "log"})
        if len(scale.at) <= _MOST_TICKS and not (scale.log and scale.at[-1] >= 100 * scale.at[0]):  # powers of ten will do
            axis = ax.xaxis if prefix == "x" else ax.yaxis
            axis.set_ticks(scale.at, [_text(value) for value in scale.values])
            axis.set_ticks([], minor=True)
