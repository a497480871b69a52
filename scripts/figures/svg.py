"""The base of all figures: a canvas that writes SVG, and texts of known width.

Readers' fonts are unknown here, so widths are those of DejaVu Sans, which is wider than most readers' fonts. A text that does
not fit into its box then is an error: no figure is ever shown with a clipped word.
"""
import re
from xml.sax.saxutils import escape

SANS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

# Hundredths of the font's size, from the space on.
WIDTHS = [int(width) for width in """
    32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64 64 64 34 34 84 84 84 53 100 68 69 70 77 63 58 77 75 29
    29 66 56 86 75 79 60 79 69 63 61 73 68 99 69 61 69 39 34 39 84 50 50 61 63 55 63 62 35 63 63 28 28 58 28 97 63 61 63 63 41 52
    39 63 59 82 59 59 52 64 34 64 84""".split()]
BOLD_FACTOR = 1.13
MONO_WIDTH = 60

INK, MUTED, PAPER, RULE = "#1f2328", "#59636e", "#ffffff", "#d0d7de"
# Fill and outline. Colours mean the same in all figures: blue the source, orange the target, green code, purple parts
# shared by both, grey the rest.
STYLES = {
    "plain": (PAPER, "#6e7781"),
    "grey": ("#f1f3f5", "#8c959f"),
    "source": ("#ddf0ff", "#0969da"),
    "target": ("#fff0e2", "#bc4c00"),
    "code": ("#dcf7e1", "#1a7f37"),
    "shared": ("#f6ecff", "#8250df"),
    "warn": ("#ffebe9", "#cf222e"),
}


class FigureError(Exception):
    pass


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def style_of(name):
    if name not in STYLES:
        raise FigureError(f"no style {name}; there are {', '.join(STYLES)}")
    return STYLES[name]


class Line:
    """A line of text. Marks at its begin: "*" bold, "." small and pale, "`...`" anywhere: code."""

    def __init__(self, text, size=14):
        self.bold = text.startswith("*")
        self.small = text.startswith(".")
        self.text = text[1:] if self.bold or self.small else text
        self.size = size - 2 if self.small else size
        self.pieces = [(piece, i % 2 == 1) for i, piece in enumerate(self.text.split("`")) if piece]

    def width(self):
        total = 0.0
        for piece, is_code in self.pieces:
            if is_code:
                total += MONO_WIDTH * len(piece) * 0.95
                continue
            wide = sum(WIDTHS[ord(c) - 32] if 32 <= ord(c) < 127 else 100 for c in piece)
            total += wide * (BOLD_FACTOR if self.bold else 1)
        return total * self.size / 100

    def svg(self, x, y, anchor, on_paper):
        shown = ""
        for piece, is_code in self.pieces:
            text = escape(piece)
            shown += f'<tspan class="m">{text}</tspan>' if is_code else text
        kinds = [kind for kind, on in (("b", self.bold), ("s", self.small), ("h", on_paper)) if on]
        kind = f' class="{" ".join(kinds)}"' if kinds else ""
        size = "" if self.size == (12 if self.small else 14) else f' style="font-size: {number(self.size)}px"'
        return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{kind}{size}>{shown}</text>'


class Canvas:
    def __init__(self, title):
        self.title = title
        self.parts = []
        self.texts = []  # every text, for checks
        self.extent = [0.0, 0.0]

    def reach(self, x, y):
        self.extent = [max(self.extent[0], x), max(self.extent[1], y)]

    def box(self, x, y, w, h, style="plain", dashed=False, radius=5):
        fill, outline = style_of(style)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}" '
                          f'rx="{radius}" fill="{fill}" stroke="{outline}"{dash}/>')
        self.reach(x + w, y + h)

    def lines(self, x, y, texts, anchor="start", room=None, size=14, on_paper=True):
        """Texts below one another, the first one's base line at y. Returns the base line of the next.

        Those on paper keep lines that pass behind them away."""
        for text in texts:
            line = Line(text, size)
            if room is not None and line.width() > room:
                raise FigureError(f"'{line.text}' needs {line.width():.0f} of {room:.0f}")
            left = {"start": x, "middle": x - line.width() / 2, "end": x - line.width()}[anchor]
            if left < 0:
                raise FigureError(f"'{line.text}' begins {-left:.0f} left of the paper")
            self.reach(left + line.width(), y + 4)
            self.texts.append(line.text)
            self.parts.append(line.svg(x, y, anchor, on_paper))
            y += line.size + 5
        return y

    def centred(self, x, y, w, h, texts, size=14):
        """Texts in the middle of a box."""
        sizes = [Line(text, size).size + 5 for text in texts]
        if sum(sizes) > h + 2:
            raise FigureError(f"{len(texts)} lines beginning with '{texts[0]}' need {sum(sizes)} of {h:.0f}")
        if texts:
            top = y + (h - sum(sizes)) / 2
            self.lines(x + w / 2, top + sizes[0] - 6, texts, "middle", room=w - 4, size=size, on_paper=False)

    def arrow(self, points, dashed=False, both=False, head=True, colour=INK):
        path = "M" + " L".join(f"{number(x)} {number(y)}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        ends = (' marker-end="url(#head)"' if head else "") + (' marker-start="url(#head)"' if both else "")
        self.parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.4"{dash}{ends}/>')
        for x, y in points:
            self.reach(x, y)

    def label(self, points, texts, size=12):
        """Beside the longest part of an arrow: above it, or right of it where it goes down."""
        (x1, y1), (x2, y2) = max(zip(points, points[1:]), key=lambda p: abs(p[0][0] - p[1][0]) + abs(p[0][1] - p[1][1]))
        if abs(x1 - x2) >= abs(y1 - y2):
            first = (y1 + y2) / 2 - 6 - (len(texts) - 1) * (size + 5)
            self.lines((x1 + x2) / 2, first, texts, "middle", size=size, on_paper=False)
        else:
            first = (y1 + y2) / 2 + 5 - (len(texts) - 1) * (size + 5) / 2
            self.lines(max(x1, x2) + 7, first, texts, "start", size=size, on_paper=False)

    def svg(self, width=None):
        w, h = (number(width or self.extent[0] + 16), number(self.extent[1] + 16))
        if width is not None and self.extent[0] > width:
            raise FigureError(f"something reaches {self.extent[0]:.0f}, and the paper ends at {width}")
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img">',
            f"<title>{escape(self.title)}</title>",
            f'<style>text {{ font-family: {SANS}; font-size: 14px; fill: {INK} }} .b {{ font-weight: bold }}',
            f'.s {{ font-size: 12px; fill: {MUTED} }} .m {{ font-family: {MONO}; font-size: 95% }}',
            f'.h {{ paint-order: stroke; stroke: {PAPER}; stroke-width: 5px; stroke-linejoin: round }}</style>',
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
            f'orient="auto-start-reverse"><path d="M0 1 L10 5 L0 9 z" fill="{INK}"/></marker></defs>',
            # Readers with a dark page see the figure on its own paper.
            f'<rect x="0.5" y="0.5" width="{number(float(w) - 1)}" height="{number(float(h) - 1)}" rx="8" '
            f'fill="{PAPER}" stroke="{RULE}"/>',
        ] + self.parts + ["</svg>", ""])
