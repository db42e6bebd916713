# SPDX-License-Identifier: Apache-2.0
"""Docstrings of public functions and classes: from them alone one can use the thing, and they say what the signature says.

Their examples are run by docs_test.py, as those of all modules are, and here for what is public.
"""
import doctest
import functools
import importlib
import inspect
import re
import subprocess
import sys
import unittest

OPTIONAL = {"jax", "matplotlib", "pyarrow", "safetensors", "scipy", "sklearn", "torch"}
MODULES = ("fenchel", "fenchel.parsing", "fenchel.plot", "fenchel.projections", "fenchel.sklearn", "fenchel.tables",
           "fenchel.torch", "fenchel.torch.projections")
LATER = {"fenchel.tables": ("pyarrow",), "fenchel.parsing": ("torch", "safetensors")}  # what they import when first used
SECTIONS = ("Parameters", "Attributes", "Returns", "Raises", "Examples", "See Also")
SHARED = {"fenchel": ("axis", "out", "n_threads"), "fenchel.projections": ("n_threads",),
          "fenchel.sklearn": ("penalty", "reg_lambda", "rho", "fit_intercept", "scale", "kernel", "solver", "tol", "max_iter",
                              "warm_start", "n_jobs", "random_state", "verbose", "certificate", "class_weight"),
          "fenchel.torch": ("mask", "ignore_index", "weight", "k", "n_iter")}
ATTRIBUTES = (property, functools.cached_property)
OF_ARRAYS = "The axis of the scores"  # soft ranks have values instead


def module(name):
    try:
        for needed in LATER.get(name, ()):
            importlib.import_module(needed)
        return importlib.import_module(name)
    except ImportError as error:
        if OPTIONAL & {(error.name or "").partition(".")[0]}:
            raise unittest.SkipTest(f"{error.name} is not installed") from None
        raise


def public(name):
    """The public names of a module and what they stand for."""
    of = module(name)
    return {f"{name}.{one}": getattr(of, one) for one in of.__all__ if one != "__version__"}


def sections(thing):
    """The sections of a docstring as lists of lines, with what comes before them under ""."""
    found, current = {"": []}, ""
    lines = inspect.cleandoc(thing.__doc__ or "").split("\n")
    for i, line in enumerate(lines):
        if i + 1 < len(lines) and lines[i + 1] == "-" * len(line) and line:
            current = line
            found[current] = []
        elif not (current and set(line) == {"-"}):
            found[current].append(line)
    return found


def entries(lines):
    """The names of a section and what is said of each."""
    found = {}
    for line in lines:
        if line and not line.startswith(" "):
            for name in re.split(r", ", line.partition(" : ")[0]):
                found[name] = [line.partition(" : ")[2]]
                said = found[name]
        elif line:
            said.append(line.strip())
    return {name: " ".join(text) for name, text in found.items()}


def arguments(thing):
    """The arguments of a function or a constructor, with the stars of those that stand for many."""
    if inspect.isclass(thing) and thing.__init__ is object.__init__:
        return []
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [stars.get(one.kind, "") + name for name, one in inspect.signature(thing).parameters.items()]


def methods(thing):
    """The public methods of a class that are written in the package."""
    return {f".{name}": method for base in reversed(thing.__mro__) if base.__module__.startswith("fenchel")
            for name, method in vars(base).items() if not name.startswith("_")
            and (inspect.isroutine(inspect.unwrap(method)) or isinstance(method, (*ATTRIBUTES, classmethod)))}


class Docstrings(unittest.TestCase):
    def every(self):
        for name in MODULES:
            try:
                yield name, public(name)
            except unittest.SkipTest:
                continue

    def test_parameters_are_those_of_the_signature(self):
        for _, things in self.every():
            for name, thing in things.items():
                with self.subTest(name):
                    said = sections(thing)
                    self.assertEqual(list(entries(said.get("Parameters", []))), arguments(thing))
                    self.assertTrue(all(len(text) > 3 for text in entries(said.get("Parameters", [])).values()))

    def test_sections(self):
        for _, things in self.every():
            for name, thing in things.items():
                with self.subTest(name):
                    said = sections(thing)
                    first, *more = said[""]
                    self.assertTrue(first and (not more or more[0] == "" or first.count("(") != first.count(")")
                                               or not first.endswith(".")), "no first line")
                    if not inspect.isclass(thing):
                        self.assertIn("Returns", said)
                        self.assertTrue(any(line.startswith(" ") for line in said["Returns"]), "Returns says nothing")
                    self.assertIn("Examples", said)
                    self.assertIn("See Also", said)
                    self.assertEqual([one for one in SECTIONS if one in said], [one for one in said if one])

    def test_related_names_exist(self):
        for of, things in self.every():
            for name, thing in things.items():
                for text in re.split(r",\s+", " ".join(sections(thing).get("See Also", []))):
                    path = text if text.startswith("fenchel") else f"{of}.{text}"
                    with self.subTest(name, see=text):
                        try:
                            self.resolve(path)
                        except unittest.SkipTest:
                            continue

    def resolve(self, path):
        parts = path.split(".")
        for count in range(len(parts), 0, -1):
            try:
                found = module(".".join(parts[:count]))
            except ModuleNotFoundError:
                continue
            for part in parts[count:]:
                found = getattr(found, part)
            return found
        raise AssertionError(f"{path} does not exist")

    def test_methods(self):
        for _, things in self.every():
            for name, thing in things.items():
                for method, function in methods(thing).items() if inspect.isclass(thing) else ():
                    if method in (".core", ".forward", ".extra_repr"):  # C++; what calling an object does; torch's
                        continue
                    with self.subTest(name + method):
                        self.assertTrue((function.__doc__ or "").strip())
                        unwrapped = inspect.unwrap(getattr(function, "__func__", function))
                        if isinstance(function, ATTRIBUTES) or "request" in method:
                            continue
                        given = [one for one in arguments(unwrapped) if one not in ("self", "cls")]
                        if given and given != ["*_", "**__"]:
                            self.assertEqual(list(entries(sections(function).get("Parameters", []))), given)
                            if inspect.signature(unwrapped).return_annotation not in ("None", None):
                                self.assertIn("Returns", sections(function))

    def test_what_is_shared_has_the_same_words(self):
        for of, things in self.every():
            for parameter in SHARED.get(of, ()):
                said = {}
                for name, thing in things.items():
                    text = entries(sections(thing).get("Parameters", [])).get(parameter)
                    if text is not None and parameter in arguments(thing) and "k_subsets" not in name:
                        said.setdefault(text, []).append(name)
                if parameter == "axis":
                    self.assertEqual(len(said), 2, said)
                    self.assertEqual(sum(OF_ARRAYS in text for text in said), 1)
                elif parameter == "k":
                    self.assertLessEqual(len(said), 1, said)
                else:
                    self.assertEqual(len(said), 1, f"{of}: {parameter}: {said}")

    def test_omega_has_the_same_words(self):
        said = {entries(sections(thing)["Parameters"])["omega"] for of, things in self.every()
                for thing in things.values() if of not in ("fenchel.sklearn", "fenchel.plot") and "omega" in arguments(thing)
                and not {"structure", "num_tags"} & set(arguments(thing))}  # whose Ω are texts, over structures
        self.assertEqual(len(said), 1, said)

    def test_examples(self):
        finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
        for _, things in self.every():
            for name, thing in things.items():
                with self.subTest(name):
                    tests = finder.find(thing, name, globs={})  # an example imports what it uses
                    self.assertGreater(sum(len(test.examples) for test in tests), 0)
                    for test in tests:
                        self.assertEqual(runner.run(test).failed, 0)

    def test_types_are_for_checkers_alone(self):
        code = "import fenchel, sys; print('fenchel._types' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "False")


if __name__ == "__main__":
    unittest.main()
