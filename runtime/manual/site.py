"""make manual: one static site and the man pages, by Sphinx with MyST and the theme furo.

    python -m runtime.manual.site OUTPUT        OUTPUT/html, and OUTPUT/man, which is copied to man1

The pages are copied to OUTPUT/source, with tables of reference in their places and with what the tables say
below each word's heading.  Any warning of Sphinx, such as a link that leads nowhere, is an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from runtime.manual.examples import blocks
from runtime.manual.pages import ROOT, Page, entries, pages
from runtime.manual.tables import anchor, facts, known, reference

COMMANDS = ("dtrace", "dc", "difas", "difdis")
MAN_PAGES = (*COMMANDS, "sdt-dtrace", "dtest")
MAN = os.path.join(ROOT, "runtime", "manual", "man1")
_FILE = re.compile(r"(`{3,})(\w+) (\S+\.?\S*)$")

_CONFIGURATION = f'''\
import sys
sys.path.insert(0, {ROOT!r})
from runtime.manual.lexer import DtraceLexer
project = "DTrace suite"
author = ""
copyright = ""
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist", "colon_fence"]
smartquotes = False
html_theme = "furo"
html_title = "DTrace, as a compiler suite"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["narrow.css"]
master_doc = root_doc = "index"
suppress_warnings = ["misc.highlighting_failure"]
man_pages = [{", ".join(f'("runtime/man/{name}", "{name}", "", [], 1)' for name in MAN_PAGES)}]
man_show_urls = False
today = " "
def setup(app):
    app.add_lexer("dtrace", DtraceLexer)
'''


# On a phone a table is scrolled: words of code are not broken.
_STYLE = "td code { white-space: nowrap; }\n"


def expanded(page: Page) -> str:
    """Return the Markdown of a page as Sphinx takes it."""
    lines = page.text.split("\n")
    for block in reversed(list(blocks(page.text))):
        opening = lines[block.start - 1]
        if block.words[:1] == ("{reference}",):
            lines[block.start - 1:block.start + len(block.lines) + 1] = [reference(*block.words[1:])]
        elif named := _FILE.match(opening):
            language = "dtrace" if named[2] == "d" else named[2]
            lines[block.start - 1:block.start] = [f"{named[1]}{{code-block}} {language}",
                                                  f":caption: {named[3]}", "", lines[block.start]]
        elif block.words == ("d",):
            lines[block.start - 1] = opening + "trace"
    text = "\n".join(lines)
    for entry in reversed(entries(page._replace(text=text))):
        below = [facts(word) for word in entry.words if word in known()]
        marks = [f"({anchor(word)})=" for word in entry.words if word in known()]
        rows = text.split("\n")
        rows[entry.line:entry.line + 1] = [*marks, rows[entry.line], "",
                                           *(f"{fact}\n" for fact in below if fact)]
        text = "\n".join(rows)
    return text


def collect(source: str) -> None:
    """Write the pages below a directory, and the configuration."""
    shutil.rmtree(source, ignore_errors=True)
    for page in pages():
        name = "index" if page.name == "runtime/index" else page.name
        path = os.path.join(source, f"{name}.md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(expanded(page))
    with open(os.path.join(source, "conf.py"), "w", encoding="utf-8") as file:
        file.write(_CONFIGURATION)
    os.makedirs(os.path.join(source, "_static"))
    with open(os.path.join(source, "_static", "narrow.css"), "w", encoding="utf-8") as file:
        file.write(_STYLE)


def build(output: str, *builders: str) -> None:
    """Build the manual in a directory.  Raises subprocess.CalledProcessError."""
    source = os.path.join(output, "source")
    collect(source)
    for builder in builders:
        subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", builder,
                        "-d", os.path.join(output, "doctrees"), source, os.path.join(output, builder)],
                       check=True)


def install_man_pages(output: str) -> None:
    """Copy the man pages to their place in the package, from which an installation takes them."""
    os.makedirs(MAN, exist_ok=True)
    for name in MAN_PAGES:
        shutil.copy(os.path.join(output, "man", f"{name}.1"), MAN)


if __name__ == "__main__":
    build(sys.argv[1], "html", "man")
    install_man_pages(sys.argv[1])
