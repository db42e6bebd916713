# SPDX-License-Identifier: Apache-2.0
"""Where a set begins that is known by a test alone: lines through points of its border that are found by bisection.

Marching squares on a grid says which of its edges the border crosses. A line through the middles of these edges would be a
staircase; here each crossing is searched for along its edge, so that the line is as smooth as the border.
"""
from __future__ import annotations

from typing import Callable, Dict, List, Tuple

import numpy as np

_HALVINGS = 24  # of an edge of the grid: less than any picture shows

Inside = Callable[[np.ndarray], np.ndarray]
Edge = Tuple[int, int, int]  # 0 (to the right) or 1 (upwards), and the row and column of the node that it starts from


def _crossings(inside: Inside, flags: np.ndarray, x: np.ndarray, y: np.ndarray) -> Dict[Edge, np.ndarray]:
    """The point at which each edge of the grid with different ends leaves or enters the set."""
    edges: List[Edge] = []
    for direction, differ in enumerate((flags[:, 1:] != flags[:, :-1], flags[1:] != flags[:-1])):
        edges += [(direction, int(i), int(j)) for i, j in np.argwhere(differ)]
    if not edges:
        return {}
    upwards, i, j = np.array(edges).T
    first = np.stack([x[j], y[i]], axis=1)
    last = np.stack([x[j + (1 - upwards)], y[i + upwards]], axis=1)
    begins = flags[i, j]
    for _ in range(_HALVINGS):
        middle = (first + last) / 2
        same = (inside(middle) == begins)[:, None]
        first, last = np.where(same, middle, first), np.where(same, last, middle)
    return dict(zip(edges, (first + last) / 2))


def _links(inside: Inside, flags: np.ndarray, x: np.ndarray, y: np.ndarray) -> List[Tuple[Edge, Edge]]:
    """Pairs of crossed edges that the border joins within a field of the grid."""
    links = []
    corners = flags[:-1, :-1].astype(int) + flags[:-1, 1:] + flags[1:, :-1] + flags[1:, 1:]
    for i, j in np.argwhere((corners > 0) & (corners < 4)).tolist():
        sides: List[Edge] = [(0, i, j), (1, i, j + 1), (0, i + 1, j), (1, i, j)]  # around the field
        differ = [flags[i, j] != flags[i, j + 1], flags[i, j + 1] != flags[i + 1, j + 1],
                  flags[i + 1, j] != flags[i + 1, j + 1], flags[i, j] != flags[i + 1, j]]
        crossed = [side for side, crosses in zip(sides, differ) if crosses]
        if len(crossed) == 4:  # two borders: the middle tells which corners belong together
            middle = np.array([[x[j:j + 2].mean(), y[i:i + 2].mean()]])
            if inside(middle)[0] != flags[i, j]:
                crossed = crossed[-1:] + crossed[:-1]
        links += list(zip(crossed[::2], crossed[1::2]))
    return links


def _chains(links: List[Tuple[Edge, Edge]]) -> List[List[Edge]]:
    """Edges in the order in which the border crosses them: from end to end, or around."""
    neighbours: Dict[Edge, List[Edge]] = {}
    for one, other in links:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    chains: List[List[Edge]] = []
    seen = set()
    for start in sorted(neighbours, key=lambda edge: len(neighbours[edge])):  # ends of lines first
        if start in seen:
            continue
        chain = [start]
        seen.add(start)
        while True:
            following = [edge for edge in neighbours[chain[-1]] if edge not in seen]
            if not following:
                break
            chain.append(following[0])
            seen.add(following[0])
        if len(chain) > 2 and start in neighbours[chain[-1]]:
            chain.append(start)
        chains.append(chain)
    return chains


def borders(inside: Inside, flags: np.ndarray, x: np.ndarray, y: np.ndarray) -> List[np.ndarray]:
    """Lines [n, 2] along the border of a set. `flags` are `inside` of the grid's points, row i with the height y[i]."""
    crossings = _crossings(inside, flags, x, y)
    return [np.array([crossings[edge] for edge in chain]) for chain in _chains(_links(inside, flags, x, y))]
