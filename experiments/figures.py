# SPDX-License-Identifier: Apache-2.0
"""One look for all figures, each saved as PNG and as SVG."""
import contextlib

STYLE = {
    "figure.dpi": 100, "savefig.dpi": 150, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.alpha": 0.25, "legend.frameon": False, "lines.linewidth": 1.8,
    "svg.hashsalt": "fenchel", "figure.facecolor": "white", "svg.fonttype": "none",
}


@contextlib.contextmanager
def figure(folder, name, rows=1, columns=1, size=(4.6, 3.6), **options):
    """with figure(folder, "name", 1, 3) as (fig, axes): draw; saves name.png and name.svg. `size` is that of one of the axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), layout="constrained", **options)
        yield fig, axes
        folder.mkdir(parents=True, exist_ok=True)
        fig.savefig(folder / f"{name}.png")
        fig.savefig(folder / f"{name}.svg", metadata={"Date": None})
        plt.close(fig)
