# SPDX-License-Identifier: Apache-2.0
"""The documentation names files and things that exist, and shows lines of C++ that an example runs."""
import fnmatch
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
OWN_NAMES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]  # the others name things of other projects
BASES = ["", "include/", "include/fenchel/", "src/", "tests/", "python/", "python/fenchel/"]  # what paths are relative to
SOURCES = (".hpp", ".cpp", ".h", ".py", ".txt", ".in")
FILE = re.compile(r"[\w./*-]+\.(?:hpp|cpp|h|py)(?!\w)")
FOLDER = re.compile(r"(?:include|src|cli|python|tests|benchmarks|experiments|examples|scripts|docs)(?:/[\w.-]+)+/?")


def files():
    """Every file that belongs to the project."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=False,
                            capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]
    return [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]


FILES = files()
NAMES = {pathlib.PurePath(name).name for name in FILES}
LAYERS = {path.name for path in (ROOT / "src").iterdir()}
OTHERS = re.compile(r"omp\.h|conlleval|.*arcsinh.*")  # of others; the last is what docs/adding_an_omega.md makes up


def exists(path, page):
    """Whether a page may name this file: from the root, or from where headers, bodies or the page's folder begin."""
    bases = [*BASES, f"include/fenchel/{page.stem}/", f"src/{page.stem}/"]
    if OTHERS.fullmatch(path):
        return True
    if "/" not in path and path.endswith(".hpp") and page.stem in LAYERS:
        return any(re.fullmatch(rf"(include/fenchel|src)/{page.stem}/(.*/)?{re.escape(path)}", name) for name in FILES)
    if "/" not in path and "*" not in path:
        return path in NAMES
    return any(fnmatch.fnmatch(name, base + path) for base in bases for name in FILES)


def code_of(text):
    """What stands between backticks, or is indented or fenced as code."""
    fenced = re.findall(r"^```.*?\n(.*?)^```", text, re.M | re.S)
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return fenced + re.findall(r"^    .*$", text, re.M), re.findall(r"`([^`\n]+)`", text)


class NamesTest(unittest.TestCase):
    def test_files_and_folders_exist(self):
        for page in PAGES:
            _, quoted = code_of(page.read_text(encoding="utf-8"))
            for text in quoted:
                if text.startswith("<"):  # a header of another library
                    continue
                missing = [path for path in FILE.findall(text) if not exists(path, page)]
                if not missing and FOLDER.fullmatch(text) and not OTHERS.fullmatch(text):
                    missing += [] if (ROOT / text).exists() or exists(text + "*", page) else [text]
                with self.subTest(page=str(page.relative_to(ROOT)), text=text):
                    self.assertEqual(missing, [])

    def test_links_lead_somewhere(self):
        for page in PAGES:
            text = re.sub(r"^```.*?^```|^    .*?$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                if "://" not in target:
                    with self.subTest(page=str(page.relative_to(ROOT)), target=target):
                        self.assertTrue((page.parent / target).exists())

    def test_names_of_code_exist(self):
        words = set()
        for name in FILES:
            if name.endswith(SOURCES) and not name.startswith("docs/"):
                words.update(re.findall(r"\w+", (ROOT / name).read_text(encoding="utf-8", errors="replace")))
        for page in OWN_NAMES:
            blocks, quoted = code_of(page.read_text(encoding="utf-8"))
            named = [name for text in [*blocks, *quoted] for name in re.findall(r"\bfenchel(?:::\w+)+", text)]
            named += [text for text in quoted if re.fullmatch(r"(?:\w+::)*[A-Za-z]\w*(?:\(.*\)|\{.*\}|<.*>)?", text)]
            for text in named:
                names = re.findall(r"\w+", re.split(r"[({<]", text)[0])
                with self.subTest(page=str(page.relative_to(ROOT)), text=text):
                    self.assertEqual([name for name in names if name not in words and not OTHERS.fullmatch(name)], [])

    def test_the_example_of_the_readme_is_run(self):
        def plain(text):
            return re.sub(r"\s+", " ", re.sub(r"//.*", "", text)).strip()

        program = plain((ROOT / "examples/cpp/train.cpp").read_text(encoding="utf-8"))
        for name in ("README.md", "docs/architecture.md"):
            blocks, _ = code_of((ROOT / name).read_text(encoding="utf-8"))
            shown = [line for block in blocks if "fenchel::fit(" in block for line in block.splitlines()]
            self.assertGreater(len(shown), 3, name)
            for line in filter(None, map(plain, shown)):
                if not line.startswith("#include"):
                    self.assertIn(line, program, name)

    def test_the_map_of_the_paper_has_each_equation_once(self):
        text = (ROOT / "docs/paper_map.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| ((?:(?!\|).)*)\|", text.partition("## Slips")[0], re.M)
        numbers = []
        for first, last in re.findall(r"eq\. (\d+)(?: to (\d+))?", "\n".join(rows)):
            numbers += range(int(first), int(last or first) + 1)
        self.assertEqual(numbers, list(range(1, 35)))  # those of the main text and of A.2; the others are in proofs
        self.assertNotRegex(text, r"\b[Ll]ater\b|\bTODO\b|\.tex\b|\.\./\.\.")


if __name__ == "__main__":
    unittest.main()
