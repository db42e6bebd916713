# SPDX-License-Identifier: Apache-2.0
"""Tables and code blocks as Markdown."""
import statistics

from .figures import file_name


def table(header, rows):
    """A table; the first column to the left, the others to the right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def number(value, digits=3):
    """A number with that many digits after the point, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def spread(values, digits=3):
    """The mean ± standard deviation (of a sample) of several runs."""
    mean = number(statistics.fmean(values), digits)
    return mean if len(values) == 1 else f"{mean} ± {number(statistics.stdev(values), digits)}"


def command(text):
    """A command for the shell."""
    return f"```sh\n{text}\n```\n"


def image(name, text):
    """A figure of this page with its alternative text."""
    return f"![{text}](reproduction/figures/{file_name(name)})\n"
