# SPDX-License-Identifier: Apache-2.0
"""Source distributions from the package index that pip uses, checked against pinned hashes.

`pip download` runs the build scripts of what it downloads, and many of them need a compiler or packages that are long gone: the
files are read from the index here, and nothing in them is run but tests.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from html.parser import HTMLParser
from pathlib import Path


class Links(HTMLParser):
    """The addresses of a page of the index."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.addresses.append(dict(attributes).get("href", ""))


def index():
    """The address of the index: that of pip's settings, or pip's own."""
    asked = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    found = os.environ.get("PIP_INDEX_URL") or asked.stdout.strip()
    if not found:
        from pip._internal.models.index import PyPI
        found = PyPI.simple_url
    return found.rstrip("/")


def fetch(package, version, sha256, folder):
    """The folder with a source distribution, downloaded unless it is there."""
    names = {f"{name}-{version}.tar.gz" for name in (package, package.lower(), package.lower().replace("-", "_"))}
    folder.mkdir(parents=True, exist_ok=True)
    archive = next((folder / name for name in names if (folder / name).exists()), None)
    if archive is None:
        page = f"{index()}/{package.lower()}/"
        links = Links()
        with urllib.request.urlopen(page) as answer:
            links.feed(answer.read().decode())
        wanted = [urllib.parse.urljoin(page, address) for address in links.addresses]
        address = next((a for a in wanted if a.partition("#")[0].rpartition("/")[2] in names), None)
        if address is None:
            sys.exit(f"error: the package index has no {' or '.join(sorted(names))}")
        archive = folder / address.partition("#")[0].rpartition("/")[2]
        with urllib.request.urlopen(address) as answer:
            archive.write_bytes(answer.read())
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != sha256:
        archive.unlink()
        sys.exit(f"error: {archive.name} has sha256 {found}; expected {sha256}")
    unpacked = folder / archive.name[:-len(".tar.gz")]
    if not unpacked.exists():
        with tarfile.open(archive) as files:
            files.extractall(folder, filter="data")
    return unpacked


def copy(source, target):
    """A file or a folder."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if Path(source).is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)
