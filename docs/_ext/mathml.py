"""Formulas as MathML, which browsers draw by themselves: no script and no network.

The converter is docutils' own. The font, STIX Two Math, comes with the package ziamath; the pages get the part of it
that formulas need. A formula that the converter does not know is a warning, so it stops the build.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from fontTools import subset
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

_LOG = logging.getLogger(__name__)
_ITALIC = [*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C)]
_SIGNS = "∑∏∪∩⊆∅⌈⌉⌊⌋≤≥≠∈∉·×−∗∣…⋯→⇒⇔±∞ℎ⟨⟩√"
_CHARACTERS = [*range(0x20, 0x7F), *range(0x391, 0x3CA), *_ITALIC, *map(ord, _SIGNS)]


def _mathml(node: nodes.Element, *, block: bool) -> str:
    try:
        return tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        _LOG.warning("formula %r: %s", node.astext(), error, location=node)
        return ""


def inline(self: HTML5Translator, node: nodes.math) -> None:
    """A formula within a line."""
    self.body.append(_mathml(node, block=False).replace("\n", ""))
    raise nodes.SkipNode


def join(math: nodes.math) -> None:
    """Put a formula and the signs that touch it into one element, which is not broken (compass.css).

    Browsers break lines on both sides of any formula, before a comma too.
    """
    around = math.parent
    place = around.index(math)
    before = around[place - 1] if place else None
    behind = around[place + 1] if place + 1 < len(around) else None
    opening = closing = ""
    if isinstance(before, nodes.Text):
        opening = before[len(before.rstrip("([\u201c")) :]
        around[place - 1] = nodes.Text(before.removesuffix(opening))
    if isinstance(behind, nodes.Text):
        closing = behind[: len(behind) - len(behind.lstrip(",.;:)]\u2019\u201d"))]
        around[place + 1] = nodes.Text(behind.removeprefix(closing))
    if opening or closing:
        joined = nodes.inline("", "", classes=["joined"])
        math.replace_self(joined)
        joined += [nodes.Text(opening), math, nodes.Text(closing)]


class Joined(SphinxPostTransform):
    """Formulas of a page and the signs beside them."""

    default_priority = 700
    formats = ("html",)

    def run(self, **_: object) -> None:
        """Join them."""
        for math in list(self.document.findall(nodes.math)):
            join(math)


def display(self: HTML5Translator, node: nodes.math_block) -> None:
    """A formula of its own, numbered where it has a label."""
    self.body.append('<div class="math">')  # the theme's box around it has the id
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(_mathml(node, block=True) + "</div>\n")
    raise nodes.SkipNode


def _write_font(app: Sphinx, error: Exception | None) -> None:
    """The font with the letters and signs of formulas, a twentieth of the whole."""
    target = Path(app.outdir) / "_static" / "stix-two-math.woff"
    if error is not None or app.builder.format != "html" or target.exists():
        return
    options = subset.Options(layout_features=["ssty"], flavor="woff", hinting=False)
    with as_file(files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf") as path:
        font = subset.load_font(str(path), options)
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=_CHARACTERS)
    chosen.subset(font)
    subset.save_font(font, str(target), options)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    app.add_post_transform(Joined)
    app.connect("build-finished", _write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
