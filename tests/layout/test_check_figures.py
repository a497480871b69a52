#!/usr/bin/env python3
"""check_figures.py: each check finds mistakes; and sources that scripts/figures refuses to draw."""
import os
import sys
import tempfile
import unittest

import check_figures

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "figures"))
import draw  # noqa: E402  pylint: disable=wrong-import-position

FILES = {
    "head.c": """
void head_encode(const head *h, uint8_t *out)
{
    tci_write_u32(&w, (uint32_t)h->size);
    tci_write_bytes(&w, h->id, sizeof h->id);
    tci_write_u16(&w,
                  h->kind);
    tci_write_bytes(&w, h->text, h->text_size);
}
static inline uint64_t head_word(const head *h)
{
    return (uint64_t)h->low | (uint64_t)h->high << 48;
}
""",
    "head.h": "struct head { uint8_t id[HEAD_ID]; };\ntypedef enum head_kind {\n    TCI_HEAD_ASK = 1, /* a */\n    TCI_HEAD_TELL\n} head_kind;\n",
    "form.md": "    file      = magic [note] name{2}\n                rest\n",
    "table.md": "## Layers\n\n| layer | folder | may include | libraries | lines | holds |\n|---|---|---|---|---|---|\n"
                "| 1 | `runtime/top` | layer 0 | - | 9 | a |\n| 0 | `runtime/base` | - | - | 9 | b |\n\n## Next\n",
}
BYTES = "layout head head\nfield size 0 4 grey\nfield id 4 8 grey\nfield kind 12 2 grey\nrow\npart text 90 grey\n"
WRITES = "check writes head head_encode head.c head.h\n"
LAYERS = "check layers table.md\nlayers 0,0 400 40\n"


class FakeTree:
    names = {"tci_head"}
    constants = {"HEAD_ID": 8, "HEAD_BYTES": 14}

    def read(self, path):
        return FILES[path]


class Figures(unittest.TestCase):
    def draw(self, kind, body):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.fig")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'figure {kind} "a title"\n{body}')
            return draw.draw(path), draw.read_statements(path)

    def problems(self, kind, body):
        (painter, canvas, _), statements = self.draw(kind, body)
        figure = check_figures.Figure(painter, canvas, FakeTree())
        found = [problem for _, words in statements if words[0] == "check" for problem in figure.check(words[1:])]
        return found + list(figure.finish())

    def finds(self, part, kind, body):
        found = self.problems(kind, body)
        self.assertTrue(any(part in problem for problem in found), f"{part}: {found}")

    def refuses(self, part, kind, body):
        with self.assertRaisesRegex(draw.FigureError, part):
            self.draw(kind, body)

    def test_what_is_written(self):
        self.assertEqual(self.problems("bytes", BYTES + WRITES.replace("head.h", "head.h bytes=HEAD_BYTES")), [])
        self.finds("id is 4 bytes at 4", "bytes", BYTES.replace("id 4 8", "id 4 4") + WRITES)
        self.finds("kind stands where", "bytes", BYTES.replace("size 0", "kind 0").replace("kind 12", "size 12") + WRITES)
        self.finds("2 fields", "bytes", BYTES.replace("field kind 12 2 grey\n", "") + WRITES)
        self.finds("behind the fields", "bytes", BYTES.replace("part text", "part other") + WRITES)
        self.finds("ends at 14", "bytes", BYTES + WRITES.replace("head.h", "head.h bytes=OTHER"))

    def test_what_is_shifted(self):
        fields = "layout head head\nfield low 8 6 grey\nfield high 14 2 grey\ncheck word head 8 head_word head.c\n"
        self.assertEqual(self.problems("bytes", fields), [])
        self.finds("high is 2 bytes at 12", "bytes", fields.replace("low 8 6", "low 8 4").replace("high 14", "high 12"))

    def test_grammar(self):
        row = "row\npart magic 90 grey\npart note 90 grey,dashed\npart name 90 grey\npart name 90 grey\npart rest 90 grey\n"
        self.assertEqual(self.problems("bytes", row + "check grammar form.md file\n"), [])
        self.finds("file is", "bytes", row.replace(",dashed", "") + "check grammar form.md file\n")
        self.finds("file is", "bytes", row.replace("part rest 90 grey\n", "") + "check grammar form.md file\n")

    def test_names(self):
        text = 'text 9,20 start "ASK, TELL by tci_head"\n'
        self.assertEqual(self.problems("diagram", text + "check enum head_kind head.h\ncheck names head_kind head.h\n"), [])
        self.finds("TELL, which is nowhere", "diagram", text.replace("TELL", "") + "check enum head_kind head.h\n")
        self.finds("SHOUT is in none", "diagram", text.replace("TELL", "SHOUT") + "check names head_kind head.h\n")
        self.assertEqual(self.problems("diagram", text + "check names head_kind head.h\ncheck words UCX\n"), [])
        self.finds("tci_foot, which is in no source", "diagram", text.replace("head", "foot"))
        self.finds("HEAD_ID is 8, not 9", "diagram", text + "check values HEAD_ID=9\n")
        self.finds("no enum", "diagram", text + "check names foot_kind head.h\n")

    def test_layers(self):
        self.assertEqual(self.problems("diagram", LAYERS + "layer 1 top a\nlayer 0 base b\n"), [])
        self.finds("in the table alone", "diagram", LAYERS + "layer 1 top a\n")
        self.finds("in the figure alone", "diagram", LAYERS + "layer 1 top a\nlayer 0 base b other c\n")
        self.finds("in the order", "diagram", LAYERS + "layer 0 base b\nlayer 1 top a\n")

    def test_what_is_not_drawn(self):
        self.refuses("needs .* of 26", "diagram", 'box a 0,0 30x40 grey "much too long"\n')
        self.refuses("lines beginning", "diagram", 'box a 0,0 90x20 grey "one" "two"\n')
        self.refuses("no style pink", "diagram", 'box a 0,0 90x20 pink\n')
        self.refuses("no statement", "diagram", 'circle 1,2\n')
        self.refuses("left of the paper", "diagram", 'text 10,20 end "a long one"\n')
        self.refuses("the paper ends", "diagram", 'width 50\ntext 10,20 start "a long one"\n')
        self.refuses("no side", "diagram", 'box a 0,0 90x20 grey\narrow a.middle a.left\n')
        self.refuses("x.fig:2", "sequence", 'message a b HELLO\n')
        self.refuses("no kind", "poem", "")

    def test_texts_are_escaped(self):
        (_, _, svg), _ = self.draw("diagram", 'text 9,20 start "a < b & `c`"\n')
        self.assertIn('a &lt; b &amp; <tspan class="m">c</tspan>', svg)


class Measured(unittest.TestCase):
    """Of a tree with one document and one report."""
    DATA = '{"env": {"port": 77}, "rows": [{"latency_ns": 376.4, "latency_ns_quartiles": [301, 402], "rate": 14934.2, "bytes": 65536}]}'
    TEXT = "Before.\n\n| us | a second |\n|---|---:|\n| 0.376 | 14,934 |\n\n[Drawing](figures/measured/calls.json): bars of 376 ns, 64 KiB\nand 14,900 a second.\n\nAfter 5.\n"

    def problems(self, text=TEXT, data=DATA, name="calls.json"):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, check_figures.MEASURED))
            for path, content in (("docs/page.md", text), (os.path.join(check_figures.MEASURED, name), data)):
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(content)
            return list(check_figures.check_measured(root))

    def test_numbers_are_among_the_data(self):
        self.assertEqual(self.problems(), [])
        for right, wrong in (("376 ns", "377 ns"), ("64 KiB", "63 KiB"), ("14,900", "14,800"), ("0.376", "0.378"), ("14,934", "14,935"),
                             ("376 ns", "77 ns"), ("376 ns", "301 ns")):
            number = wrong.split()[0]
            self.assertEqual(self.problems(self.TEXT.replace(right, wrong)),
                             [f"docs/page.md: {number}, beside the drawing of figures/measured/calls.json, is not in it"])

    def test_data_and_documents_belong_together(self):
        self.assertIn("which is not there", self.problems(name="other.json")[0])
        self.assertIn("no document tells", self.problems("Nothing.\n")[0])
        self.assertIn("no JSON of measured data", self.problems(name="calls.svg")[-1])
        self.assertIn("does not tell", self.problems("\n[Drawing](figures/measured/calls.json): bars.\n")[0])


if __name__ == "__main__":
    unittest.main()
