"""Fields at their offsets, and parts of any size.

    layout NAME TITLE                    rows of 16 bytes begin here; the fields are checked by NAME
    field NAME AT SIZE STYLE [LINE...]   without lines its name is shown
    row TITLE                            a row of parts whose sizes differ
    part NAME WIDTH STYLE [LINE...]      WIDTH in pixels; STYLE,dashed: may be absent
    zoom NAME                            the next row shows what that part of the last one holds
    note LINE...
"""
from svg import FigureError

LEFT, CELL, HEIGHT = 62, 48, 46
PER_ROW = 16


class ByteRows:
    def __init__(self, canvas):
        self.canvas = canvas
        self.y = 14
        self.fields = {}  # name of a layout -> {field: (at, size)}
        self.rows = []  # [(name of a part, whether it is dashed)] of each row
        self.open = None
        self.parts = {}
        self.x = LEFT
        self.top = None  # of the fields or parts under way
        self.zoomed = None
        self.below = 0

    def statement(self, verb, words):
        verbs = {"layout": self.layout, "field": self.field, "row": self.row, "part": self.part, "zoom": self.zoom,
                 "note": self.note}
        if verb not in verbs:
            raise FigureError(f"no statement of bytes; there are {', '.join(verbs)}")
        if verb != "part":
            self.close_row()
        verbs[verb](words)

    def finish(self):
        self.close_row()
        self.canvas.reach(LEFT + PER_ROW * CELL, self.y)

    def layout(self, words):
        self.fields[words[0]] = {}
        self.open = words[0]
        self.canvas.lines(LEFT, self.y + 16, ["*" + words[1]])
        for i in range(PER_ROW):
            self.canvas.lines(LEFT + CELL * (i + 0.5), self.y + 38, [f".{i}"], "middle", size=13)
        self.top = self.y + 44
        self.y = self.top

    def field(self, words):
        name, at, size, style = words[0], int(words[1]), int(words[2]), words[3]
        texts = words[4:] or [f"`{name}`"]
        self.fields[self.open][name] = (at, size)
        begin, left = at, size
        while left > 0:
            row, column = divmod(begin, PER_ROW)
            run = min(left, PER_ROW - column)
            x, y = LEFT + CELL * column, self.top + HEIGHT * row
            if column == 0:
                self.canvas.lines(LEFT - 8, y + HEIGHT / 2 + 5, [f".{begin}"], "end", size=13)
            self.canvas.box(x, y, CELL * run, HEIGHT, style, radius=0)
            is_name = begin == at and run * 2 >= size or begin != at and run * 2 > size
            self.canvas.centred(x, y, CELL * run, HEIGHT, texts if is_name else ["`...`"], size=12)
            begin, left = begin + run, left - run
            self.y = max(self.y, y + HEIGHT + 12)

    def row(self, words):
        self.rows.append([])
        self.below = len(self.canvas.parts)  # the row's title lies on the parts drawn from here
        if words:
            self.canvas.lines(LEFT, self.y + 16, ["*" + words[0]])
            self.y += 26
        self.top, self.x, self.parts = self.y, LEFT, {}
        self.y = self.top + HEIGHT + 14

    def part(self, words):
        name, width = words[0], float(words[1])
        style, _, dashed = words[2].partition(",")
        self.rows[-1].append((name, dashed == "dashed"))
        self.parts[name] = (self.x, self.top + HEIGHT, width)
        self.canvas.box(self.x, self.top, width, HEIGHT, style, dashed == "dashed", radius=0)
        self.canvas.centred(self.x, self.top, width, HEIGHT, words[3:] or [f"`{name}`"], size=12)
        self.x += width

    def close_row(self):
        """Dashed lines from the part that this row shows to both of the row's ends."""
        if self.zoomed is None or self.zoomed[0] == len(self.rows):
            return
        _, x, bottom, width = self.zoomed
        parts, self.canvas.parts = self.canvas.parts[self.below:], self.canvas.parts[:self.below]
        for line in ((x, bottom), (LEFT, self.top)), ((x + width, bottom), (self.x, self.top)):
            self.canvas.arrow(line, dashed=True, head=False, colour="#8c959f")
        self.canvas.parts += parts
        self.zoomed = None

    def zoom(self, words):
        self.zoomed = (len(self.rows),) + self.parts[words[0]]  # shown by the next row
        self.y += 22

    def note(self, words):
        self.y = self.canvas.lines(LEFT, self.y + 12, words, size=12) + 4


def draw(canvas):
    return ByteRows(canvas)
