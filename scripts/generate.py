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
import json
import pathlib
import re
import sys
import textwrap

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
TYPES = {"number": "float", "size": "int", "truth": "bool", "word": "str", "list": "ArrayLike", "matrix": "ArrayLike",
         "omega": "OmegaLike", "polytope": "PolytopeLike"}
SAID = {"list": "array_like", "matrix": "array_like [d, d]", "omega": "Regularizer, str or dict",
        "polytope": "Polytope, str or dict"}
WIDTH = 120  # of code; DOC is that of docstrings
DOC = 110

# What every Ω takes besides its own parameters.
COMMON = [("temperature", "Optional[float]", "float, optional", "t > 0: the Ω is tΩ, whose prediction is ŷ_Ω(θ/t)."),
          ("constant", "Optional[float]", "float, optional", "c: the Ω is Ω + c."),
          ("cost", "Optional[ArrayLike]", "array_like, optional", "c: the Ω is Ω − ⟨c, ·⟩, whose prediction is ŷ_Ω(θ + c).")]
SCORES = [1.6, 1.1, 0.4, -0.3, 0.9, 2.0, 0.1]  # of the examples


# --- classes of Python

def module(head, imports, classes, names):
    """The text of a module of generated classes."""
    listed = textwrap.fill(", ".join(f'"{name}"' for name in sorted(names)), WIDTH, initial_indent="__all__ = [",
                           subsequent_indent=" " * 11, break_on_hyphens=False) + "]"
    return (f'# SPDX-License-Identifier: Apache-2.0\n"""{head}\n\nWritten by scripts/generate from the list of C++: '
            f'edit that.\n"""\nfrom __future__ import annotations\n\n{imports}\n\n{listed}\n'
            + "".join(f"\n\n{text}" for text in classes))


def wrapped(text, indent):
    return textwrap.wrap(text, DOC, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def docstring(first, further, parameters, example, also):
    """What a class is, its parameters as (name, type, meaning), an example and related names, in numpydoc's form."""
    lines = [*wrapped(f'"""{first}', "    ")]
    for text in further:
        lines += ["", *wrapped(text, "    ")]
    if parameters:
        lines += ["", "    Parameters", "    ----------"]
    for name, kind, meaning in parameters:
        lines += [f"    {name} : {kind}", *wrapped(meaning, "        ")]
    lines += ["", "    Examples", "    --------", *(f"    {line}" for line in example)]
    lines += ["", "    See Also", "    --------", f"    {', '.join(also)}"]
    return "\n".join([*lines, '    """\n'])


def sentence(text):
    first = text[0].upper() if text[0].isascii() else text[0]  # φ stays what it is
    return first + text[1:] + ("" if text.endswith(".") else ".")


def documented(entry):
    """The parameters of an entry as its docstring has them."""
    return [(one["name"], SAID.get(one["type"], TYPES[one["type"]]) + ("" if one["required"] else f", default {default(one)}"),
             sentence(one["meaning"])) for one in entry["parameters"]]


def default(parameter):
    """How a signature writes a default; whole numbers without a point."""
    value = parameter["default"]
    return repr(int(value) if isinstance(value, float) and value.is_integer() else value)


def made_class(entry, base, doc, attributes, common):
    """A class whose constructor takes the parameters of an entry."""
    signature = ["self"]
    for one in entry["parameters"]:
        kind = TYPES[one["type"]]
        if not one["required"] and one["default"] is None:
            kind = f"Optional[{kind}]"
        signature.append(f"{one['name']}: {kind}" + ("" if one["required"] else f" = {default(one)}"))
    passed = [f'"{entry["name"]}"', *(f"{one['name']}={one['name']}" for one in entry["parameters"])]
    if common:
        signature += ["*", *(f"{name}: {kind} = None" for name, kind, _, _ in COMMON)]
        passed += [f"{name}={name}" for name, _, _, _ in COMMON]
    return (f"class {entry['class']}({base}):\n{doc}\n{attributes}"
            + call("    def __init__(", signature, "):") + call("        super().__init__(", passed, ")"))


def call(head, arguments, tail):
    """A call or its definition, in lines of WIDTH."""
    return textwrap.fill(", ".join(arguments).replace(" = ", "\0=\0").replace(": ", ":\0"), WIDTH, initial_indent=head,
                         subsequent_indent=" " * len(head), break_on_hyphens=False).replace("\0", " ") + tail + "\n"


# --- examples

def spec_of(core, entry, nested):
    """A small spec with what an entry requires."""
    sizes = iter((3, 2, 2))
    made = {"size": lambda: next(sizes), "list": lambda: [3, 2, 1], "omega": lambda: {"name": "shannon"},
            "polytope": lambda: nested}
    return {"name": entry["name"], **{one["name"]: made[one["type"]]() for one in entry["parameters"] if one["required"]}}


def expression(core, spec):
    """The call that makes an object of a spec."""
    classes = {entry["name"]: entry["class"] for entry in core.regularizers() + core.polytopes()}
    said = (expression(core, value) if isinstance(value, dict) else repr(value) for name, value in spec.items() if name != "name")
    return f"fenchel.{classes[spec['name']]}({', '.join(said)})"


def scores_for(dimension):
    """As many scores as an Ω asks for."""
    return np.resize(SCORES, dimension or 3)


def rounded(values):
    return (np.round(values, 3) + 0.0).tolist()  # no -0.0


def regularizer_example(core, entry):
    """The prediction of some scores, over the first small set that the Ω is for; the simplex, first in the list, comes last."""
    first, *others = (spec_of(core, one, None) for one in core.polytopes())
    for nested in [None, *others, first]:
        try:
            spec = spec_of(core, entry, nested)
            omega = core.Omega(json.dumps(spec))
        except ValueError:
            continue
        theta = scores_for(omega.dimension)
        shape = omega.shape or theta.shape
        found = omega.predict(theta, None, 1).reshape(shape)
        given = theta.reshape(shape).tolist()
        lines = [">>> import fenchel", *statement(f"omega = {expression(core, spec)}"), *statement(f"theta = {given}"),
                 ">>> fenchel.predict(theta, omega).round(3).tolist()", *textwrap.wrap(str(rounded(found)), DOC - 4)]
        return lines
    raise SystemExit(f"error: no set of structures is one for {entry['name']}")


def statement(text):
    """A statement of an interactive session."""
    first, *rest = textwrap.wrap(text, DOC - 8)
    return [f">>> {first}", *(f"...     {line}" for line in rest)]


def polytope_example(core, entry):
    """The best structure of some scores, in short form."""
    spec = spec_of(core, entry, None)
    made = core.Polytope(json.dumps(spec))
    theta = scores_for(made.dimension)
    best = core.Omega(json.dumps({"name": "map", "polytope": spec})).predict(theta, None, 1)
    lines = [">>> import fenchel", f">>> structures = {expression(core, spec)}", ">>> structures.shape", str(tuple(made.shape)),
             *statement(f"theta = {theta.reshape(made.shape).tolist()}"),
             ">>> best = fenchel.predict(theta, fenchel.Map(structures))"]
    if not entry["short_form"]:
        return [*lines, ">>> best.tolist()", *textwrap.wrap(str(best.reshape(made.shape).tolist()), DOC - 4)]
    labels, _ = core.decode(made, best[np.newaxis])
    short = labels.reshape(-1, *map(int, made.short_axes[1:])) if made.short_varies else labels if made.short_axes else labels[0]
    return [*lines, f">>> structures.decode(best).tolist()  # {entry['short_form']}", str(short.tolist())]


def on_domain(entry):
    """The formula of an Ω and where it holds."""
    article = "the " if entry["domain"].isalpha() else ""
    return entry["formula"] if " on " in entry["formula"] else f"{entry['formula']} on {article}{entry['domain']}"


def regularizer_classes(core):
    classes = []
    for entry in core.regularizers():
        prediction = "" if entry["prediction"] == "–" else f": {entry['prediction']}"
        doc = docstring(f"Ω = {on_domain(entry)}{prediction}.", [f"Its loss: {entry['loss']}. Paper: {entry['paper']}."],
                        [*documented(entry), *((name, kind, meaning) for name, _, kind, meaning in COMMON)],
                        regularizer_example(core, entry), ["fenchel.predict", "fenchel.loss", "fenchel.explain"])
        classes.append(made_class(entry, "Regularizer", doc, "", common=True))
    return module("Every regularizer Ω, with the parameters it has in C++.",
                  "from typing import TYPE_CHECKING, Optional\n\nfrom ._base import Regularizer\n\nif TYPE_CHECKING:\n"
                  "    from ._types import ArrayLike, OmegaLike, PolytopeLike", classes,
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
        doc = docstring(f"{structures}.", [scores], documented(entry), polytope_example(core, entry),
                        ["fenchel.SparseMap", "fenchel.Marginal", "fenchel.Distribution", "fenchel.explain"])
        lengths = "".join(f'"{name}", ' for name in entry["lengths"])
        lengths = lengths[:-1] if len(entry["lengths"]) == 1 else lengths[:-2]
        attributes = f"    length_parameters = ({lengths})\n\n" if lengths else ""
        classes.append(made_class(entry, base if base in bases else "Polytope", doc, attributes, common=False))
    return module("Every set of structures (paper §7.3), with the parameters it has in C++.",
                  "from typing import TYPE_CHECKING\n\nfrom ._base import Polytope\n"
                  f"from ._polytope_methods import {', '.join(sorted(used))}\n\nif TYPE_CHECKING:\n"
                  "    from ._types import ArrayLike", classes,
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
