#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what follows from the lists of C++: classes of Python, tables of the documentation, counts in the README.

usage: scripts/generate.py FOLDER [--check]   FOLDER has the extension module _core; --check only says what would change

A table of the documentation stands between `<!-- generated: NAME -->` and `<!-- end -->`. Its first columns come from a
list; further ones are written by hand and stay, as do rows that say "your own".
"""
import ast
import difflib
import importlib
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
TYPES = {"number": "float", "size": "int", "truth": "bool", "word": "str", "list": "Any", "matrix": "Any",
         "omega": "Regularizer", "polytope": "Polytope"}
WIDTH = 120


# --- classes of Python

def module(head, imports, classes, names):
    """The text of a module of generated classes."""
    listed = textwrap.fill(", ".join(f'"{name}"' for name in sorted(names)), WIDTH, initial_indent="__all__ = [",
                           subsequent_indent=" " * 11, break_on_hyphens=False) + "]"
    return (f'# SPDX-License-Identifier: Apache-2.0\n"""{head}\n\nWritten by scripts/generate from the list of C++: '
            f'edit that.\n"""\nfrom __future__ import annotations\n\n{imports}\n\n{listed}\n'
            + "".join(f"\n\n{text}" for text in classes))


def docstring(first, further, parameters):
    """What a class is, and its parameters."""
    parts = [first, *further, "\n".join(f"{one['name']}: {one['meaning']}" for one in parameters)]
    lines = []
    for part in filter(None, parts):
        lines += ["", *(line for piece in part.split("\n") for line in
                        textwrap.wrap(piece, WIDTH, initial_indent="    ", subsequent_indent="    "))]
    text = '    """' + "\n".join(lines[1:]).lstrip()
    return f'{text}"""\n' if len(lines) == 2 else f'{text}\n    """\n'


def default(parameter):
    """How a signature writes a default; whole numbers without a point."""
    value = parameter["default"]
    return repr(int(value) if isinstance(value, float) and value.is_integer() else value)


def made_class(entry, base, doc, attributes, common):
    """A class whose constructor takes the parameters of an entry."""
    signature = ["self"]
    for one in entry["parameters"]:
        signature.append(f"{one['name']}: {TYPES[one['type']]}" + ("" if one["required"] else f" = {default(one)}"))
    passed = [f'"{entry["name"]}"', *(f"{one['name']}={one['name']}" for one in entry["parameters"])]
    if common:
        signature.append("**common: Any")
        passed.append("**common")
    return (f"class {entry['class']}({base}):\n{doc}\n{attributes}"
            f"    def __init__({', '.join(signature)}):\n        super().__init__({', '.join(passed)})\n")


def on_domain(entry):
    """The formula of an Ω and where it holds."""
    article = "the " if entry["domain"].isalpha() else ""
    return entry["formula"] if " on " in entry["formula"] else f"{entry['formula']} on {article}{entry['domain']}"


def regularizer_classes(core):
    classes = []
    for entry in core.regularizers():
        prediction = "" if entry["prediction"] == "–" else f": {entry['prediction']}"
        doc = docstring(f"Ω = {on_domain(entry)}{prediction}.",
                        [f"Its loss: {entry['loss']}. Paper: {entry['paper']}."], entry["parameters"])
        classes.append(made_class(entry, "Regularizer", doc, "", common=True))
    return module("Every regularizer Ω, with the parameters it has in C++.",
                  "from typing import Any\n\nfrom ._base import Polytope, Regularizer", classes,
                  [entry["class"] for entry in core.regularizers()])


def polytope_classes(core):
    own = ast.parse((ROOT / "python/fenchel/_polytope_methods.py").read_text(encoding="utf-8"))
    bases = {node.name for node in own.body if isinstance(node, ast.ClassDef)}
    classes, used = [], []
    for entry in core.polytopes():
        base = f"{entry['class']}Methods"
        if base in bases:
            used.append(base)
        structures = entry["structures"][0].upper() + entry["structures"][1:]
        scores = f"Scores{'' if entry['layout'].startswith('[') else ':'} {entry['layout']}. Paper: {entry['paper']}."
        doc = docstring(f"{structures}.", [scores], entry["parameters"])
        lengths = "".join(f'"{name}", ' for name in entry["lengths"])
        lengths = lengths[:-1] if len(entry["lengths"]) == 1 else lengths[:-2]
        attributes = f"    length_parameters = ({lengths})\n\n" if lengths else ""
        classes.append(made_class(entry, base if base in bases else "Polytope", doc, attributes, common=False))
    return module("Every set of structures (paper §7.3), with the parameters it has in C++.",
                  "from typing import Any\n\nfrom ._base import Polytope\n"
                  f"from ._polytope_methods import {', '.join(sorted(used))}", classes,
                  [entry["class"] for entry in core.polytopes()])


# --- tables of the documentation

def cells(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


def row(values):
    return re.sub(r" +\|", " |", "| " + " | ".join(value.replace("|", "\\|") for value in values) + " |")


def merged(table, rows):
    """The table with these rows; columns beyond theirs, and rows that say "your own", stay as they are."""
    head, rule, *body = table.strip("\n").split("\n")
    width, kept = len(cells(head)), {cells(line)[0]: cells(line) for line in body}
    lines = [head, rule]
    for values in rows:
        further = kept.get(values[0], [])[len(values):]
        lines.append(row([*values, *further, *[""] * (width - len(values) - len(further))]))
    named = {values[0] for values in rows}
    lines += [line for line in body if cells(line)[0] not in named and "your own" in line]
    return "\n".join(lines) + "\n"


def code(name):
    return f"`{name}`"


def regularizer_rows(core):
    for entry in core.regularizers():
        parameters = "; ".join(code(one["name"]) + (f": {one['meaning']}" if one["type"] not in ("omega", "polytope") else "")
                               for one in entry["parameters"])
        yield [code(entry["name"]), parameters, entry["formula"], entry["domain"]]


def structured_rows(core):
    for entry in core.regularizers():
        if any(one["type"] == "polytope" for one in entry["parameters"]):
            yield [code(entry["class"]), entry["formula"], entry["prediction"], entry["loss"]]


def polytope_rows(core):
    for entry in core.polytopes():
        yield [code(entry["class"]), ", ".join(one["name"] for one in entry["parameters"]), entry["structures"]]


def alias_rows(core):
    return ([code(name), code(meaning)] for name, meaning in core.aliases())


def metric_rows(core):
    for entry in core.metrics():
        yield [code(entry["name"]), "larger" if entry["larger_is_better"] else "smaller", entry["meaning"]]


def task_rows(core):
    """The metrics of each task, in the order of the list."""
    entries = core.metrics()
    for task in core.tasks():
        names = [f"**{code(entry['name'])}**" if task in entry["tuned_for"] else code(entry["name"]) for entry in entries
                 if task in entry["tasks"]]
        yield [task, ", ".join(names)]


def domain_rows(core):
    """The Ω of each domain, in the order of the list."""
    entries = core.regularizers()
    for domain in dict.fromkeys(entry["domain"] for entry in entries):
        yield [domain, ", ".join(code(entry["class"]) for entry in entries if entry["domain"] == domain)]


def solver_rows(core):
    """When a solver stops is written by hand."""
    for entry in core.solvers():
        parameters = "; ".join(f"`{one['name']}={default(one).strip(chr(39))}`: {one['meaning']}" for one in entry["parameters"])
        yield [code(entry["name"]), entry["about"], parameters]


TABLES = {
    "docs/concepts.md": {"regularizers": regularizer_rows, "aliases": alias_rows},
    "docs/regularizers.md": {"domains": domain_rows, "structured regularizers": structured_rows},
    "docs/polytopes.md": {"polytopes": polytope_rows},
    "docs/metrics.md": {"tasks": task_rows, "metrics": metric_rows},
    "docs/training.md": {"solvers": solver_rows},
}


def with_tables(text, tables, core):
    for name, rows in tables.items():
        pattern = re.compile(rf"(<!-- generated: {name} -->\n)(.*?)(<!-- end -->)", re.S)
        if not pattern.search(text):
            raise SystemExit(f"error: there is no table <!-- generated: {name} --> … <!-- end -->")
        text = pattern.sub(lambda found: found[1] + merged(found[2], list(rows(core))) + found[3], text)
    return text


def with_counts(text, core):
    """The README says how many there are."""
    for name in ("regularizers", "polytopes"):
        text = re.sub(rf"(?<=<!-- count:{name} -->)\w+(?=<!-- /count -->)", str(len(getattr(core, name)())), text)
    return text


def generated(core):
    """The text of every file that follows from the lists."""
    texts = {"python/fenchel/regularizers.py": regularizer_classes(core),
             "python/fenchel/polytopes.py": polytope_classes(core),
             "README.md": with_counts((ROOT / "README.md").read_text(encoding="utf-8"), core)}
    for name, tables in TABLES.items():
        texts[name] = with_tables((ROOT / name).read_text(encoding="utf-8"), tables, core)
    return texts


def main(folder, check):
    sys.path.insert(0, folder)
    core = importlib.import_module("_core")
    changed = 0
    for name, text in generated(core).items():
        kept = (ROOT / name).read_text(encoding="utf-8")
        if text == kept:
            continue
        changed += 1
        if check:
            sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), text.splitlines(True), name, "generated"))
        else:
            print(f"wrote {name}")
            (ROOT / name).write_text(text, encoding="utf-8")
    if check and changed:
        print(f"{changed} files do not follow the lists of C++; `make generate` writes them")
    return int(check and changed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--check" in sys.argv[2:]))
