#!/usr/bin/env python3
"""The check of parts must see an access in each of its spellings, and judge it by the table."""
import unittest

from check_parts import Table, check, members_of, read_uses
from c_source import Source

CHAPTER = """
## Parts of an endpoint

`struct tc_ep` in `runtime/core/ep.h` is made of these.

| part | owned by | used also by | holds |
|---|---|---|---|
| `tx` | `runtime/transfer/*` | `runtime/context/close.c` | |
| `rx` | `runtime/dispatch/*` | `runtime/context/close.c` | |
| `peer` | `runtime/core/*` | - | |

## Next
"""
HEADER = """
typedef struct tci_sender { int tail; int peer; } tci_sender;
typedef struct tci_receiver { int head; } tci_receiver;
typedef struct tci_hub { tc_ep *first, *used; tc_ep **all; } tci_hub;
tc_ep *tci_ep_find(tci_hub *hub, int id);
struct tc_ep { tci_sender tx; tci_receiver rx; struct { int pid; } peer; tci_hub *hub; int state, mode; void (*push)(int a, int b); };
"""


class Parts(unittest.TestCase):
    def uses(self, body, parameters="tc_ep *ep, tci_hub *hub"):
        texts = {"runtime/core/ep.h": HEADER, "runtime/x.c": f"void f({parameters})\n{{\n{body}\n}}\n"}
        used = read_uses(texts, Table(CHAPTER))[1]
        return sorted(field for field in used if "runtime/x.c" in used[field])

    def problems(self, files, header=HEADER):
        texts = {"runtime/core/ep.h": header}
        texts.update({path: f"void f{i}(const tc_ep *ep)\n{{\n{body}\n}}\n" for i, (path, body) in enumerate(files.items())})
        table = Table(CHAPTER)
        return list(check(table, *read_uses(texts, table)))

    def test_members(self):
        body = Source(HEADER).structs["tc_ep"]
        self.assertEqual(members_of(body), [("tx", "tci_sender"), ("rx", "tci_receiver"), ("peer", "struct"), ("hub", None),
                                            ("state", "int"), ("mode", "int"), ("push", None)])

    def test_spellings(self):
        for text in ("ep->tx.tail = 1;", "use(&ep->tx);", "hub->first->tx.tail++;", "hub->all[i + 1]->tx.tail++;",
                     "tci_ep_find(hub, (1))->tx.tail++;", "(*ep).tx.tail = 1;", "((const tc_ep *)user)->tx.tail = 1;",
                     "for (tc_ep *it = hub->first, *next; it; it = next)\n next->tx.tail = 1;", "(hub->used)->tx.tail = 1;"):
            self.assertEqual(self.uses(text), ["tx"], text)
        self.assertEqual(self.uses("(*ep_out)->rx.head = ep_out[0]->state;", "tc_ep **ep_out"), ["rx", "state"])

    def test_what_is_no_access(self):
        for text in ("other->tx = 1;", "/* ep->tx */", "ep->other.tx = 1;", "sender->peer = 1;", "hub->rx = 1;", "first->tx = 1;"):
            self.assertEqual(self.uses(text), [], text)

    def test_what_is_allowed(self):
        self.assertEqual(self.problems({
            "runtime/transfer/send.c": "ep->tx.tail = ep->rx.head;",
            "runtime/dispatch/run.c": "ep->rx.head = ep->peer.pid;",
            "runtime/context/close.c": "ep->rx.head = ep->tx.tail + ep->peer.pid;",
            "runtime/group/group.c": "ep->tx.tail = ep->state + ep->mode;"}), [])

    def test_two_parts_of_others(self):
        self.assertEqual(self.problems({"runtime/transfer/send.c": "ep->tx.tail = ep->rx.head + ep->peer.pid;"}),
                         ["runtime/transfer/send: uses peer, rx, which it does not own; one such part is enough"])

    def test_a_header_and_its_source_are_one_file(self):
        found = self.problems({"runtime/group/group.c": "ep->tx.tail = 1;", "runtime/group/group.h": "ep->rx.head = 1;"})
        self.assertEqual(len(found), 1, found)

    def test_a_part_without_a_row(self):
        found = self.problems({}, HEADER.replace("int state", "tci_receiver second; int state"))
        self.assertEqual(len(found), 1, found)
        self.assertIn("second is a part of tc_ep without a row", found[0])

    def test_a_row_without_a_part(self):
        found = self.problems({}, HEADER.replace("tci_sender tx", "tci_sender *tx"))
        self.assertEqual(found, ["docs/architecture.md: tx is no part of tc_ep"])

    def test_no_chapter(self):
        with self.assertRaises(SystemExit):
            Table("## Layers\n")


if __name__ == "__main__":
    unittest.main()
