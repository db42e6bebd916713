# SPDX-License-Identifier: Apache-2.0
"""One look for all figures. Each is saved once: as SVG, or as PNG where it holds an image or very many points."""
import contextlib

IMAGES = {"oracles", "pairwise_hinge", "parsing_marginals"}  # larger or blurred as SVG

STYLE = {
    "figure.dpi": 100, "savefig.dpi": 150, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.alpha": 0.25, "legend.frameon": False, "lines.linewidth": 1.8,
    "svg.hashsalt": "fenchel", "figure.facecolor": "white", "svg.fonttype": "none",
}


def file_name(name):
    """The file that holds a figure."""
    return f"{name}.{'png' if name in IMAGES else 'svg'}"


@contextlib.contextmanager
def figure(folder, name, rows=1, columns=1, size=(4.6, 3.6), **options):
    """with figure(folder, "name", 1, 3) as (fig, axes): draw; saves file_name("name"). `size` is that of one of the axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), layout="constrained", **options)
        yield fig, axes
        folder.mkdir(parents=True, exist_ok=True)
        fig.savefig(folder / file_name(name), metadata={} if name in IMAGES else {"Date": None})
        plt.close(fig)
