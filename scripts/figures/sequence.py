"""Messages between actors, from top to bottom.

    actor ID X STYLE LINE...              a column
    message FROM TO NAME [LINE...]        an arrow with its name, and its content, above it
    step ID LINE...                       an action of an actor: beside its column, outside
    orders FROM TO LINE...                an arrow from step to step: what one did before, the other sees
    span FROM TO STYLE LINE...            a box across columns
    phase TEXT                            a line across all, with a word
    gap PIXELS
"""
from svg import FigureError

HEAD_TOP, HEAD_HEIGHT = 16, 48


class Sequence:
    def __init__(self, canvas):
        self.canvas = canvas
        self.columns = {}
        self.y = HEAD_TOP + HEAD_HEIGHT + 14

    def statement(self, verb, words):
        verbs = {"actor": self.actor, "message": self.message, "step": self.step, "span": self.span,
                 "phase": self.phase, "gap": self.gap, "orders": self.orders}
        if verb not in verbs:
            raise FigureError(f"no statement of a sequence; there are {', '.join(verbs)}")
        verbs[verb](words)

    def finish(self):
        """The columns' lines, below everything else."""
        self.canvas.reach(0, self.y)
        drawn, self.canvas.parts = self.canvas.parts, []
        for x in self.columns.values():
            self.canvas.arrow([(x, HEAD_TOP + HEAD_HEIGHT), (x, self.y)], head=False, colour="#8c959f")
        self.canvas.parts += drawn

    def actor(self, words):
        x = float(words[1])
        self.columns[words[0]] = x
        self.canvas.box(x - 95, HEAD_TOP, 190, HEAD_HEIGHT, words[2])
        self.canvas.centred(x - 95, HEAD_TOP, 190, HEAD_HEIGHT, words[3:])

    def message(self, words):
        start, end, name = self.columns[words[0]], self.columns[words[1]], words[2]
        texts = [f"*{name}"] + words[3:]
        room = abs(start - end) - 12
        self.y = self.canvas.lines((start + end) / 2, self.y + 14, texts[:1], "middle", room)
        self.y = self.canvas.lines((start + end) / 2, self.y - 1, texts[1:], "middle", room, size=12)
        self.y -= 8
        self.canvas.arrow([(start, self.y), (end, self.y)])
        self.y += 10

    def orders(self, words):
        start, end = self.columns[words[0]], self.columns[words[1]]
        y = self.canvas.lines((start + end) / 2, self.y + 16, words[2:], "middle", abs(start - end) - 40, size=12) - 17
        self.canvas.arrow([(start, y - 2), (end, y + 14)], colour="#8250df")
        self.y = y + 14

    def step(self, words):
        x = self.columns[words[0]]
        left = x == min(self.columns.values())
        at = x - 14 if left else x + 14
        self.canvas.parts.append(f'<circle cx="{x:g}" cy="{self.y + 10:g}" r="4" fill="#1f2328"/>')
        self.y = self.canvas.lines(at, self.y + 14, words[1:], "end" if left else "start", size=13) - 6

    def span(self, words):
        start, end = sorted((self.columns[words[0]], self.columns[words[1]]))
        height = 20 * len(words[3:]) + 8
        beside = 20 if start < end else 95
        self.canvas.box(start - beside, self.y, end - start + 2 * beside, height, words[2])
        self.canvas.centred(start - beside, self.y, end - start + 2 * beside, height, words[3:], size=13)
        self.y += height + 8

    def phase(self, words):
        left, right = min(self.columns.values()) - 95, max(self.columns.values()) + 95
        self.y += 6
        self.canvas.arrow([(left, self.y), (right, self.y)], dashed=True, head=False, colour="#8c959f")
        self.y = self.canvas.lines(left, self.y + 16, ["." + words[0]]) - 8

    def gap(self, words):
        self.y += float(words[0])


def draw(canvas):
    return Sequence(canvas)
