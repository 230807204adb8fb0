"""Sphinx: how the documentation is built. `python3 dev.py docs` runs it; no step needs a network."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

_PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
project = _PROJECT["name"]
author = copyright = _PROJECT["authors"][0]["name"]
version = release = _PROJECT["version"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "api",  # from here on under _ext, a screenful each
    "bibtex",
    "dependencies",
    "ledger",
    "mathml",
    "measured",
    "messages",
    "phone",
    "worked",
]
exclude_patterns = ["_*"]
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4
smartquotes_action = "qe"  # quotes and dots, no dashes: `--nodes` in a help text stays an option
numfig = True  # equations are numbered within the parts of the theory, so no two have one number

nitpicky = True
nitpick_ignore_regex = [  # names outside of this project: there is no network to look their pages up
    (r"py:.*", r"(click|collections|concurrent|enum|fractions|pathlib|typing|os|random|re|importlib)(\..*)?"),
    (r"py:.*", r"(matplotlib|networkx|numpy|sympy|z3)(\..*)?"),
    (r"py:.*", r"(Any|Axes|Callable|Figure|Fraction|IO|Iterable|Iterator|Mapping|Path|Sequence|TextIO|optional)"),
    (r"py:.*", r"compass\.[a-z_.]+\.[A-Z]|'.*'"),  # type variables, literal values
    (r"py:.*", r"(bool|bytes|dict|float|frozenset|int|list|object|set|str|tuple|type|None)"),
]

autosummary_generate = True
templates_path = ["_templates"]
autosummary_ignore_module_all = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": True, "ignore-module-all": True}
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
python_display_short_literal_types = True

doctest_test_doctest_blocks = ""  # docstrings are run by pytest; pages use the directives `doctest` and `testcode`
doctest_global_setup = "import os; os.environ.setdefault('COLUMNS', '100')"

html_theme = "furo"
html_title = f"{project} {release}"
html_static_path = ["_static"]
html_css_files = ["compass.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {"sidebar_hide_name": False, "navigation_with_keys": True}
highlight_language = "none"  # pseudocode is not Python
pygments_style = "default"
pygments_dark_style = "github-dark"

linkcheck_timeout = 20
linkcheck_workers = 2
linkcheck_ignore = [r"(\.\./)*proofs/"]  # copied beside the pages; the build and a test look for these files
