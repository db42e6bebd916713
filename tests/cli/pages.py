# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation: README.md and docs, their commands of the shell, and what is quoted in their lines.

A command is a line of a block that is fenced as `sh`, or indented by four spaces and begins with `$` or with one of PROGRAMS.
In a block with `$`, lines without it are what the command before them prints.
"""
import collections
import os
import pathlib
import re
import subprocess
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAMS = r"(?:fenchel(?:-\w+)?|make|cmake|pip|python|zcat|(?:scripts|build|\.venv)/\S+)"
BLOCK = re.compile(r"^```(\w*)\n((?:(?!```).*\n)*)```$|((?:^    .*\n|^ *\n(?=    ))+)", re.M)

Command = collections.namedtuple("Command", "line text shown")  # shown: what the page says that it prints, or None


def name_of(page):
    return str(page.relative_to(ROOT))


def commands(page):
    """The commands of the page, in its order."""
    text = page.read_text(encoding="utf-8")
    return [command for match in BLOCK.finditer(text) for command in _of_block(match, text[:match.start()].count("\n") + 1)]


def _of_block(match, first):
    lines = (match[2] or match[3]).split("\n")[:-1]
    if match[3]:
        lines = [line[4:] for line in lines]
        if not re.match(rf"\$ |{PROGRAMS} ", next(filter(None, lines), "")):
            return
    elif match[1] != "sh":
        return
    marked = any(line.startswith("$ ") for line in lines)
    command = None
    for number, line in enumerate(lines, first + (0 if match[3] else 1)):
        if command and command.text.endswith("\\"):
            command = command._replace(text=command.text[:-1] + line)
        elif line.startswith("$ ") or not marked and line:
            if command:
                yield command
            command = Command(number, line[2:] if marked else line, None)
        elif line:
            command = command._replace(shown=(command.shown or "") + line + "\n")
    if command:
        yield command


def python_code(page):
    """The blocks of Python of the page that are no sessions with `>>>`, which doctest runs, as pairs (line, code)."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        code = match[2] if match[1] == "python" else textwrap.dedent(match[3] or "") if "python" in page.stem else ""
        if code and ">>>" not in code:
            yield text[:match.start()].count("\n") + 1, code


def quoted(page):
    """What stands between backticks in the lines of the page, outside of its blocks."""
    return re.findall(r"`([^`\n]+)`", BLOCK.sub("", page.read_text(encoding="utf-8")))


def run(command, folder, programs, **variables):
    """The finished process of a command in a folder; `programs` is the folder of those that it names."""
    environment = {**os.environ, **variables, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300, check=False)
