# SPDX-License-Identifier: Apache-2.0
"""The table of results, and its place in a page."""
import re

from .programs import PEERS, Outcome

BEGIN, END = "<!-- generated: public sets -->\n", "<!-- end -->"
PROGRAMS = ["Fenchel", *PEERS]
STAR = "\\*"  # said that it did not converge


def too_long(limit):
    return Outcome(seconds=float(limit), quality=None)


def failed(error):
    return Outcome(seconds=0, quality=None, said=str(error))


def seconds_text(seconds):
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.2f}"


def cell(entry, best=False):
    """Quality and seconds; a star where it said that it did not converge."""
    if entry is None:
        return ""
    if entry["quality"] is None:
        return f"more than {entry['seconds']:.0f} s" if entry["seconds"] else "failed"
    number = f"{entry['quality']:.3f}"
    if best:
        number = f"**{number}**"
    star = "" if entry["converged"] else STAR
    return f"{number}{star}, {seconds_text(entry['seconds'])} s"


def row(name, result):
    """The best quality is bold."""
    found = result["programs"]
    rounded = {program: round(entry["quality"], 3) for program, entry in found.items() if entry["quality"] is not None}
    best = max(rounded.values(), default=None)
    cells = [cell(found.get(program), rounded.get(program, "none") == best) for program in PROGRAMS]
    return [name, result["task"], result["size"], result["metric"], *cells]


def markdown(results):
    """The lines of the table for (name, result of the set)."""
    rows = [["set", "task", "train + test × features", "measure", *PROGRAMS], *(row(*one) for one in results)]
    lines = ["".join(f"| {text} " if text else "| " for text in cells) + "|" for cells in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]) + "\n"


def write(page, text):
    """Puts the table between its marks."""
    old = page.read_text(encoding="utf-8")
    place = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if not place.search(old):
        raise SystemExit(f"error: there is no {BEGIN.strip()} … {END} in {page}")
    page.write_text(place.sub(lambda _: BEGIN + text + END, old), encoding="utf-8")
