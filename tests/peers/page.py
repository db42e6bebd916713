# SPDX-License-Identifier: Apache-2.0
"""docs/peers_suites.md, from the lists of the adapters and the numbers of a run."""
from pathlib import Path

from peers.peer import NAMES, adapter

PATH = Path(__file__).resolve().parents[2] / "docs" / "peers_suites.md"

HEAD = """# The tests of our peers

`make test-peers` runs the tests of other libraries with ours in their place. Their source distributions are fetched from the
package index and checked against pinned hashes; nothing of them is kept in the repository. `tests/peers` has an adapter for each,
which puts our functions behind its names, and the list of the tests that do not apply, with the reason. A run fails if any other
test fails, if a test of the list passes, or if it exists no more. A test that passes without calling ours does not count as
passed. This page is written by `scripts/test_peers --write`.

| peer | version | ours | tests | passed | do not apply |
| --- | --- | --- | --- | --- | --- |
"""

TAIL = """
## Peers without tests to fetch

These publish no tests, or are written in another language. What their tests look at is asserted by tests of ours, which `make
test` runs; nothing is copied.

| peer | why | ours |
| --- | --- | --- |
| pytorch-crf | its source distribution has no tests | `tests/python/torch_crf_test.py`, beside the installed package |
| torchsort | its source distribution has no tests | `tests/python/soft_sort_parity_test.py` |
| fast-soft-sort | is not in the package index | `tests/python/soft_sort_parity_test.py` |
| jaxopt | its source distribution has no tests | `tests/python/inferopt_parity_test.py`, projections and derivatives |
| InferOpt | Julia | `tests/python/inferopt_parity_test.py`, maximizers, losses and learning |
| lp-sparsemap, logic factors | their reference solver does not run with NumPy 2 | `tests/python/lp_sparsemap_parity_test.py` |

The source distributions of tslearn and optax have tests that are not run here. Those of optax need JAX; projections and
Fenchel-Young losses are asserted by `tests/python/projections_test.py` and `tests/python/inferopt_parity_test.py`. Two files of
tslearn are about soft-DTW, mostly about its own array types; values, alignments, masks and barycenters are asserted by
`tests/python/names_test.py` and `tests/python/torch_soft_test.py`. Scores of +∞, for which JAX has NaN or infinite losses, are
errors here: such a row has no prediction. Those of −∞ forbid a class.
"""


def text(counts):
    """The page."""
    parts = [HEAD]
    for name in NAMES:
        peer, found = adapter(name).PEER, counts[name]
        parts.append(f"| {peer.title} | {peer.version} | {peer.ours} | {found['run']} | {found['passed']} | "
                     f"{sum(found['skipped'].values())} |\n")
    total = [sum(counts[name][key] for name in NAMES) for key in ("run", "passed")]
    parts.append(f"| together | | | {total[0]} | {total[1]} | {sum(sum(c['skipped'].values()) for c in counts.values())} |\n")
    parts.append("\n## What does not apply\n")
    for name in NAMES:
        peer, found = adapter(name).PEER, counts[name]
        if not peer.does_not_apply and not peer.left_out:
            continue
        parts.append(f"\n**{peer.title}**\n\n")
        parts += [f"- {found['skipped'][reason]}: {reason}\n" for reason in peer.does_not_apply]
        parts += [f"- not run: {reason} ({', '.join(path.rpartition('/')[2] for path in paths)})\n"
                  for reason, paths in peer.left_out.items()]
    parts.append(TAIL)
    return "".join(parts)


def write(counts):
    PATH.write_text(text(counts), encoding="utf-8")


def is_current(counts):
    return PATH.exists() and PATH.read_text(encoding="utf-8") == text(counts)
