"""Boxes and arrows where the source puts them.

    box ID X,Y WxH STYLE[,dashed] LINE...           texts in its middle
    area ID X,Y WxH STYLE[,dashed] LINE...          texts in its upper left corner
    text X,Y start|middle|end LINE...
    arrow POINT POINT... [dashed] [both] [plain] [at X,Y start|middle|end] [: LINE...]
    band X,Y WxH "TEXT" "TEXT" ...                  boxes of one width in a row; TEXT is STYLE:LINE|LINE
    layers X,Y W H                                  where the layers stand that follow
    layer NUMBER NAME TEXT [NAME TEXT...]           a row of them; the first one is on top

A POINT is X,Y, with "=" for the coordinate of the point before; or ID.left, .right, .top, .bottom, with :0.25 a quarter along
that side, and with = at the end where the point before has it.
"""
from svg import FigureError

SIDES = {"left", "right", "top", "bottom"}


def pair(text, separator=","):
    first, second = text.split(separator)
    return float(first), float(second)


class Diagram:
    def __init__(self, canvas):
        self.canvas = canvas
        self.boxes = {}
        self.stack = None
        self.rows = []  # (number, [names]) of layers

    def finish(self):
        pass

    def statement(self, verb, words):
        verbs = {"box": self.box, "area": self.area, "text": self.text, "arrow": self.arrow, "band": self.band,
                 "layers": self.layers, "layer": self.layer}
        if verb not in verbs:
            raise FigureError(f"no statement of a diagram; there are {', '.join(verbs)}")
        verbs[verb](words)

    def place(self, words):
        (x, y), (w, h) = pair(words[1]), pair(words[2], "x")
        if words[0] in self.boxes:
            raise FigureError("a second one")
        self.boxes[words[0]] = (x, y, w, h)
        style, _, dashed = words[3].partition(",")
        self.canvas.box(x, y, w, h, style, dashed == "dashed")
        return x, y, w, h

    def box(self, words):
        x, y, w, h = self.place(words)
        self.canvas.centred(x, y, w, h, words[4:])

    def area(self, words):
        x, y, w, _ = self.place(words)
        self.canvas.lines(x + 12, y + 21, words[4:], room=w - 24, on_paper=False)

    def text(self, words):
        self.canvas.lines(*pair(words[0]), words[2:], words[1])

    def band(self, words):
        (x, y), (w, h) = pair(words[0]), pair(words[1], "x")
        for i, cell in enumerate(words[2:]):
            style, _, text = cell.partition(":")
            self.canvas.box(x + i * w, y, w, h, style, radius=0)
            self.canvas.centred(x + i * w, y, w, h, text.split("|") if text else [])

    def point(self, word, before):
        name, _, side = word.partition(".")
        if name not in self.boxes:
            x, y = word.split(",")
            return (before[0] if x == "=" else float(x)), (before[1] if y == "=" else float(y))
        x, y, w, h = self.boxes[name]
        follows = side.endswith("=")
        side, _, part = side.rstrip("=").partition(":")
        if side not in SIDES:
            raise FigureError(f"{word} is no side of a box")
        part = float(part or 0.5)
        across = (before[0] if follows else x + w * part), (before[1] if follows else y + h * part)
        return {"left": (x, across[1]), "right": (x + w, across[1]),
                "top": (across[0], y), "bottom": (across[0], y + h)}[side]

    def arrow(self, words):
        texts = words[words.index(":") + 1:] if ":" in words else []
        words = words[:words.index(":")] if ":" in words else words
        at = None
        if "at" in words:
            at = words[words.index("at") + 1:][:2]
            words = words[:words.index("at")]
        flags = {word for word in words if word in ("dashed", "both", "plain")}
        points = []
        for word in words:
            if word not in flags:
                points.append(self.point(word, points[-1] if points else None))
        self.canvas.arrow(points, "dashed" in flags, "both" in flags, "plain" not in flags)
        if at:
            self.canvas.lines(*pair(at[0]), texts, at[1], size=12)
        elif texts:
            self.canvas.label(points, texts)

    def layers(self, words):
        self.stack = list(pair(words[0])) + [float(words[1]), float(words[2])]

    def layer(self, words):
        x, y, w, h = self.stack
        names, whats = words[1::2], words[2::2]
        self.canvas.lines(x + 18, y + h / 2 + 5, ["." + words[0]], "middle")
        left, gap = x + 36, 6
        each = (w - 36 - gap * (len(names) - 1)) / len(names)
        for i, (name, what) in enumerate(zip(names, whats)):
            at = left + i * (each + gap)
            self.canvas.box(at, y, each, h - gap, "source" if len(names) == 1 else "shared")
            if len(names) == 1:
                self.canvas.lines(at + 12, y + (h - gap) / 2 + 5, [f"*{name}"], on_paper=False)
                self.canvas.lines(at + 118, y + (h - gap) / 2 + 5, [what], room=each - 124, size=13, on_paper=False)
            else:
                self.canvas.centred(at, y, each, h - gap, [f"*{name}"] + [f".{line}" for line in what.split("|")])
        self.rows.append((int(words[0]), names))
        self.stack[1] += h


def draw(canvas):
    return Diagram(canvas)
