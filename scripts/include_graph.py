#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/architecture.svg: the layers in the order of the data, with an arrow from each layer to those that include it.

usage: scripts/include_graph.py [--check]   (--check only fails if the committed figure is not what the includes say)
"""
import collections
import sys
from pathlib import Path

from check_layers import INCLUDE, LAYERS, SUFFIXES, layer_of

ROOT = Path(__file__).resolve().parent.parent
FIGURE = ROOT / "docs" / "architecture.svg"
HOLDS = {
    "core": "views, matrices, Dataset, checks, threads",
    "data": "file → Dataset; splits",
    "kernels": "SIMD over rows of scores",
    "solvers": "numerical methods that know no Ω",
    "polytopes": "sets of structures and their oracles",
    "regularizers": "Ω: value, prediction ŷ(θ)",
    "losses": "FenchelYoungLoss: value, gradient",
    "metrics": "predictions, truth → numbers",
    "models": "features x → scores θ; files",
    "training": "problem, algorithm → model",
}
BOX_WIDTH, BOX_HEIGHT, GAP, MARGIN = 286, 44, 18, 12
REACH = 40  # how much farther right an arrow bends for each layer that it passes
ENDS = 2.1  # between two arrows at the same box


def counts():
    """How many #include lines in the layer second name a file of the layer first."""
    edges = collections.Counter()
    for tree in ("include/fenchel", "src"):
        for path in (ROOT / tree).rglob("*.*"):
            folder = path.relative_to(ROOT / tree).parts[0]
            if path.suffix in SUFFIXES and folder in LAYERS:
                for line in path.read_text(encoding="utf-8").splitlines():
                    included = (match := INCLUDE.match(line)) and layer_of(match[1])
                    if included and included != folder:
                        edges[included, folder] += 1
    return edges


def arrow(first, second, count):
    """A curve from the right side of one box to that of a later one, and its label at the farthest point."""
    span = second - first
    right = MARGIN + BOX_WIDTH
    start = MARGIN + first * (BOX_HEIGHT + GAP) + BOX_HEIGHT - 3 - ENDS * (span - 1)  # short ones lowest: no crossing
    end = MARGIN + second * (BOX_HEIGHT + GAP) + 3 + ENDS * (span - 1)
    reach = right + 12 + REACH * span
    width = 0.6 + count**0.5 / 5
    control = right + (reach - right) * 4 / 3  # a cubic reaches 3/4 of the way to its control points
    curve = (f'<path d="M{right} {start:.1f} C{control:.1f} {start:.1f} {control:.1f} {end:.1f} {right + 5} {end:.1f}" '
             f'stroke-width="{width:.2f}" marker-end="url(#head)"/>')
    place = f'x="{reach:.1f}" y="{(start + end) / 2 + 4:.1f}"'
    label = f'<text class="halo" {place}>{count}</text><text {place}>{count}</text>'
    return curve, label


def box(i, name):
    top = MARGIN + i * (BOX_HEIGHT + GAP)
    return (f'<rect x="{MARGIN}" y="{top}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5"/>'
            f'<text class="name" x="{MARGIN + 10}" y="{top + 18}">{name}/</text>'
            f'<text class="holds" x="{MARGIN + 10}" y="{top + 35}">{HOLDS[name]}</text>')


def drawing():
    edges = sorted((LAYERS.index(first), LAYERS.index(second), count) for (first, second), count in counts().items())
    arrows = [arrow(*edge) for edge in sorted(edges, key=lambda edge: edge[2])]
    width = MARGIN + BOX_WIDTH + 12 + REACH * max(second - first for first, second, _ in edges) + 30
    height = 2 * MARGIN + len(LAYERS) * (BOX_HEIGHT + GAP) - GAP
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        '<style>text { font: 12px sans-serif; fill: #333 } .name { font-weight: bold; font-size: 14px } rect { fill: #eef3fa; '
        'stroke: #4a76a8 } .arrows path { fill: none; stroke: #4a76a8; stroke-opacity: 0.55 } '
        '.labels text { text-anchor: middle } text.halo { stroke: white; stroke-width: 4px }</style>',
        '<defs><marker id="head" viewBox="0 0 6 6" refX="3" refY="3" markerWidth="6" markerHeight="6" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L6 3 L0 6 z" fill="#4a76a8"/></marker></defs>',
        f'<rect x="0" y="0" width="{width}" height="{height}" style="fill: white; stroke: none"/>',
        '<g class="arrows">', *(curve for curve, _ in arrows), "</g>",
        *(box(i, name) for i, name in enumerate(LAYERS)),
        '<g class="labels">', *(label for _, label in arrows), "</g>",
        "</svg>", ""])


def main():
    text = drawing()
    if sys.argv[1:] == ["--check"]:
        if not FIGURE.exists() or FIGURE.read_text(encoding="utf-8") != text:
            print(f"{FIGURE.relative_to(ROOT)} is not what the includes say: run scripts/include_graph.py")
            return 1
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        FIGURE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
