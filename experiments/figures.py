# SPDX-License-Identifier: Apache-2.0
"""One look for all figures. Each is saved once: as SVG, or as PNG where it holds an image or very many points."""
import contextlib
import re

IMAGES = {"oracles", "pairwise_hinge", "parsing_marginals"}  # larger or blurred as SVG

STYLE = {
    "figure.dpi": 100, "savefig.dpi": 150, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.alpha": 0.25, "legend.frameon": False, "lines.linewidth": 1.8,
    "svg.hashsalt": "fenchel", "figure.facecolor": "white", "svg.fonttype": "none",
    "path.simplify_threshold": 0.25,  # of a pixel, for smaller files
    "font.sans-serif": ["DejaVu Sans"],  # every text of an SVG has the whole list
}


def file_name(name):
    """The file that holds a figure."""
    return f"{name}.{'png' if name in IMAGES else 'svg'}"


LONG = re.compile(r"-?\d+\.\d{3,}")
IDLE = re.compile(r"<!--.*?-->|(?<=\n)\s+| transform=\"rotate\(-0 [^\"]*\"|(?<=<g) id=\"[a-z]+(2d)?_\d+\"", re.S)


def smaller(svg):
    """A drawing without indentation, rotations by 0 and names of its parts, and with coordinates of two digits."""
    def rounded(coordinates):
        return LONG.sub(lambda number: f"{float(number[0]):.2f}", coordinates[0])

    return re.sub(r'\s(d|x|y)="[^"]*"', rounded, IDLE.sub("", svg))


def save(fig, path):
    """Writes a figure to a small file; images have 256 colors."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".svg":
        fig.savefig(path, metadata={"Date": None})
        path.write_text(smaller(path.read_text(encoding="utf-8")), encoding="utf-8")
        return
    from PIL import Image  # which matplotlib needs as well

    fig.savefig(path, metadata={})
    with Image.open(path) as image:
        reduced = image.convert("RGB").quantize(256)
    reduced.save(path, optimize=True)


@contextlib.contextmanager
def figure(folder, name, rows=1, columns=1, size=(4.6, 3.6), **options):
    """with figure(folder, "name", 1, 3) as (fig, axes): draw; saves file_name("name"). `size` is that of one of the axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(rows, columns, figsize=(size[0] * columns, size[1] * rows), layout="constrained", **options)
        yield fig, axes
        save(fig, folder / file_name(name))
        plt.close(fig)
