#!/usr/bin/env python3
"""Every pair of values of the options, in as few combinations as a greedy search finds: one client does a battery of everything
against a node of each. Each step is right, or refused for a reason that the combination implies; nothing is wrong, and the node
ends in order.

    check_option_pairs.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import itertools
import os
import random
import re
import shutil
import unittest

from tool_process import Process, ToolTest, main

# The choices; the first value is the default.
FACTORS = {
    "delivery": ("direct", "am", "stream", "put"),
    "keys": ("none", "shared"),
    "isolate": (False, True),
    "confine": (False, True),
    "form": ("auto", "bitcode", "image"),
    "compiled": ("auto", "orc", "image"),
    "compiler": ("process", "thread"),
    "tier": ("auto", "fast", "best"),
    "payload": ("writable", "readonly"),
    "symbols": ("any", "rules"),
    "signature": ("no", "yes"),
    "audit": (False, True),
    "quota": (False, True),
    "code_memory": ("256M", "384K"),
    "wait": ("adaptive", "block", "yield", "pause"),
    "debug_code": (False, True),
    "stats_file": (False, True),
    "cache": (False, True),
    "ring": ("256K", "4K"),
    "code_push": (True, False),
    "staging": ("4M", "0"),
    "libraries": (True, False),
}
RULES = """allow @tchains *
allow @program *
allow tc:* *
allow * *
"""


def possible(choice):
    """A node or client with these options begins at all."""
    return not (choice.get("confine") and choice.get("stats_file") and choice.get("isolate") is False) \
        and not (choice.get("compiler") == "thread" and (choice.get("compiled") == "image" or choice.get("confine"))) \
        and not (choice.get("delivery") == "stream" and choice.get("staging") == "0")


def pairwise(factors, seed=1):
    """Combinations that hold every possible pair of values."""
    draw = random.Random(seed)
    names = list(factors)
    left = {((a, x), (b, y)) for a, b in itertools.combinations(names, 2) for x in factors[a] for y in factors[b]
            if possible({a: x, b: y})}
    rows = []
    while left:
        best, best_hits = None, -1
        for _ in range(8):
            (a, x), (b, y) = draw.choice(sorted(left, key=repr)[:40])
            row = {a: x, b: y}
            for name in draw.sample(names, len(names)):
                if name in row:
                    continue
                values = [v for v in factors[name] if possible({**row, name: v})]
                score = {v: sum(((k, row[k]), (name, v)) in left or ((name, v), (k, row[k])) in left for k in row) for v in values}
                row[name] = max(draw.sample(values, len(values)), key=score.get)
            if not possible(row):
                continue
            row = {name: row[name] for name in names}
            hits = sum(pair in left for pair in itertools.combinations(row.items(), 2))
            if hits > best_hits:
                best, best_hits = row, hits
        if best_hits <= 0:
            break
        left -= set(itertools.combinations(best.items(), 2))
        rows.append(best)
    return rows, left


class OptionPairs(ToolTest):
    def setUp(self):
        self.place = self.folder()

    def path(self, name):
        return os.path.join(self.place, name)

    def written(self, name, text, mode=0o600):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def prepare(self):
        """Signed copies of the client's functions, a key of the connection, rules."""
        self.signed = self.path("functions")
        os.mkdir(self.signed)
        for folder, _, names in os.walk(self.functions):
            relative = os.path.relpath(folder, self.functions)
            if not re.fullmatch(r"\.|shelf[12]|crowd\d+", relative):
                continue
            os.makedirs(os.path.join(self.signed, relative), exist_ok=True)
            for name in names:
                if re.fullmatch(r"(sums|thrower|borrow|whoami|check|shelf|crowd)\.(tca|deps)", name):
                    shutil.copy(os.path.join(folder, name), os.path.join(self.signed, relative, name))
        archives = [os.path.join(folder, name) for folder, _, names in os.walk(self.signed) for name in names if name.endswith(".tca")]
        Process(self, [self.tool("tc-ar"), "keygen", self.path("build")]).expect(0)
        Process(self, [self.tool("tc-ar"), "sign", "--key", self.path("build.key"), *archives]).expect(0)
        os.mkdir(self.path("trust"), 0o700)
        shutil.copy(self.path("build.pub"), self.path("trust"))
        Process(self, [self.tool("tc-node"), "--make-key", self.path("key")]).expect(0)
        self.written("rules", RULES)

    def options(self, choice, number):
        """Arguments of the node, environment of the node, environment of the client."""
        both = {"TC_DELIVERY": choice["delivery"], "TC_WAIT": choice["wait"], "TC_RING_BYTES": choice["ring"],
                "TC_CODE_PUSH": "yes" if choice["code_push"] else "no", "TC_STAGING_BYTES": choice["staging"]}
        both["TC_ENGINE_PATH"] = os.path.join(os.path.dirname(self.tools), "lib")
        if choice["delivery"] == "put":
            both["UCX_TLS"] = "self,posix"
        if choice["keys"] == "shared":
            both["TC_KEY_FILE"] = self.path("key")
        node = {**both, "TC_FORM": choice["form"], "TC_COMPILED": choice["compiled"], "TC_COMPILER": choice["compiler"],
                "TC_TIER": choice["tier"], "TC_TIER_CALLS": "50", "TC_PAYLOAD": choice["payload"],
                "TC_CODE_MEMORY_MAX": choice["code_memory"], "TC_DEBUG_CODE": "yes" if choice["debug_code"] else "no",
                "TC_TAKE_LIBRARIES": "yes" if choice["libraries"] else "no"}
        if choice["symbols"] == "rules":
            node["TC_SYMBOLS"] = "@" + self.path("rules")
        if choice["signature"] == "yes":
            node.update(TC_TRUST=self.path("trust"), TC_REQUIRE_SIGNATURE="yes")
        if choice["audit"]:
            node["TC_AUDIT"] = self.written(f"audit{number}", "")
        if choice["quota"]:
            node.update(TC_QUOTA_CONNECTIONS="8", TC_QUOTA_FUNCTIONS="500", TC_QUOTA_CODE_BYTES="64M", TC_QUOTA_COMPILE_TIME="50s",
                        TC_QUOTA_QUEUE_BYTES="16M", TC_QUOTA_MESSAGE_RATE="1000000")
        if choice["cache"]:
            os.makedirs(self.path("cache"), mode=0o700, exist_ok=True)
            node["TC_CACHE_DIR"] = self.path("cache")
        arguments = ["--lib", self.args_library, "--args-symbol", "check_args"]
        arguments += ["--isolate"] * choice["isolate"] + ["--confine"] * choice["confine"]
        if choice["stats_file"]:
            arguments += ["--stats-file", self.path(f"stats{number}")]
        return arguments, node, both

    def expected(self, choice):
        """Patterns of the refusals that this combination implies, by step; a step that is not here is right."""
        implied = {}
        if not choice["libraries"]:
            implied["library"] = "take_libraries"
        if choice["signature"] == "yes":
            implied["injected"] = "require_signature is set"
        elif choice["form"] == "bitcode":
            implied["injected"] = r"takes bitcode only \(option form\)"
        if choice["form"] == "image":
            implied["crowded"] = "no image that fits"
        return implied

    def run_one(self, choice, number):
        arguments, node_environment, client_environment = self.options(choice, number)
        node = self.node(*arguments, **node_environment)
        client = Process(self, [os.path.join(os.path.dirname(self.args_library), "integration_battery"), node.address, self.signed],
                         **client_environment)
        client.expect(0, seconds=120)
        lines = client.out.splitlines()
        self.assertEqual(lines[-1:], ["end right"], client.out + client.err + node.err)
        implied = self.expected(choice)
        for line in lines:
            step, verdict = line.split(" ", 1)
            if step in implied:
                self.assertRegex(verdict, f"^refused TC_E_.*({implied[step]})", line + "\n" + node.err)
            else:
                self.assertEqual(verdict, "right", line + "\n" + node.err)
        node.stop()
        self.assert_counted(node, implied)

    def assert_counted(self, node, implied):
        """The sum over the node's processes of the counts by functions with arguments."""
        counts = re.findall(r"^check: (\d+) run, (\d+) wrong", node.out, re.MULTILINE)
        self.assertTrue(counts, node.out + node.err)
        run, wrong = (sum(map(int, column)) for column in zip(*counts))
        crowd = 0 if "crowded" in implied else 16
        least = 1 if "injected" in implied else 40  # a client that is notified of a refusal sends no more
        self.assertEqual(wrong, 0)
        self.assertTrue(crowd + least <= run <= crowd + 40, node.out + node.err)

    def test_all_pairs(self):
        """PAIRS=3,7 does those two; PAIRS_UNCONFINED=1 leaves confinement out, which sanitizers cannot have."""
        self.prepare()
        rows, left = pairwise(FACTORS)
        self.assertFalse(left)
        chosen = os.environ.get("PAIRS")
        for number, choice in enumerate(rows):
            choice["confine"] &= not os.environ.get("PAIRS_UNCONFINED")
            if chosen and str(number) not in chosen.split(","):
                continue
            with self.subTest(number=number, **choice):
                self.run_one(choice, number)


if __name__ == "__main__":
    main()
