# SPDX-License-Identifier: Apache-2.0
"""The runs behind the table: learning rates chosen on the development part, then several seeds; one process per core."""
import concurrent.futures
import contextlib
import multiprocessing
import os
import signal
from typing import Any, Dict, List

from fenchel.parsing import Settings, train

from ..data import ROOT
from .treebanks import SOURCES

MODELS = ROOT / "build" / "parsing"


def model_path(language: str, settings: Settings):
    return MODELS / (f"{language}-{settings.tags}-{settings.loss}-{settings.learning_rate:g}-{settings.epochs}-{settings.seed}"
                     ".safetensors")


def one(language: str, settings: Settings) -> Dict[str, Any]:
    """One run on one core, or what a former one gave."""
    import torch

    torch.set_num_threads(1)
    name = f"{language} {settings.tags} {settings.loss} {settings.learning_rate:g} seed {settings.seed}"
    banks = SOURCES[language].read()
    MODELS.mkdir(parents=True, exist_ok=True)
    return train(banks[0], banks[1], model_path(language, settings), settings, test=banks[2],
                 say=lambda text: print(f"  {name}: {text}", flush=True), replace=True)


def study(language: str, losses: List[str], learning_rates, seeds: int, epochs: int, patience: int,
          tags: str = "xpos", probe_epochs: int = 0) -> Dict[str, Any]:
    """For each loss the best of the learning rates on the development part, with seed 1, and runs with all the seeds.

    The rates are those of a grid, which grows by a factor of two while its best is at an end; or one per loss, fixed.
    With `probe_epochs` the runs over the grid are that short, and it stays as it is: short runs favour high rates.
    """
    def settings(loss, rate, seed, epochs=epochs):
        return Settings(loss=loss, label_loss="none", learning_rate=rate, seed=seed, epochs=epochs, patience=patience, tags=tags)

    with _processes() as pool:
        def run_all(chosen):
            return dict(zip(chosen, pool.map(one, [language] * len(chosen), chosen)))

        if isinstance(learning_rates, dict):
            grids, best = {loss: [] for loss in losses}, learning_rates
        else:
            grids, best = _choose(losses, learning_rates, lambda loss, rate: settings(loss, rate, 1, probe_epochs or epochs),
                                  run_all, grows=not probe_epochs)
        final = run_all([settings(loss, best[loss], seed) for loss in losses for seed in range(1, seeds + 1)])
    return {loss: {"grid": grids[loss], "learning_rate": best[loss],
                   "runs": [_summary(run) for chosen, run in final.items() if chosen.loss == loss]} for loss in losses}


@contextlib.contextmanager
def _processes():
    """One process per core. They stop at once if this one is interrupted or one of them fails: runs go on where they stopped."""
    spawn = multiprocessing.get_context("spawn")
    pool = concurrent.futures.ProcessPoolExecutor(os.cpu_count(), spawn, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    pool.shutdown()


def _choose(losses, rates, settings, run_all, grows=True):
    """Learning rates with their development scores, and the best one, of each loss."""
    scores: Dict[str, Dict[float, float]] = {loss: {} for loss in losses}
    best: Dict[str, float] = {}
    wanted = [(loss, rate) for loss in losses for rate in rates]
    while wanted:
        for chosen, run in run_all([settings(*pair) for pair in wanted]).items():
            scores[chosen.loss][chosen.learning_rate] = run["dev"]
        wanted = []
        for loss, by_rate in scores.items():
            best[loss] = max(by_rate, key=by_rate.get)
            wanted += [(loss, rate) for end, rate in ((min(by_rate), best[loss] / 2), (max(by_rate), best[loss] * 2))
                       if grows and best[loss] == end]
    return {loss: [[rate, round(by_rate[rate], 2)] for rate in sorted(by_rate)] for loss, by_rate in scores.items()}, best


def _summary(run: Dict[str, Any]) -> Dict[str, Any]:
    """What the report needs of a run."""
    history = run["history"]
    return {"seed": run["settings"]["seed"], "dev": round(run["dev"], 2), "test": round(run["test"], 2), "epoch": run["epoch"],
            "epochs": len(history), "minutes": round(sum(epoch["seconds"] for epoch in history) / 60, 2),
            "loss_share": round(sum(epoch["loss_seconds"] for epoch in history) /
                                sum(epoch["seconds"] for epoch in history), 4),
            "first_loss_share": round(history[0]["loss_seconds"] / history[0]["seconds"], 4)}
