#!/usr/bin/env python3
"""check_forge.py: accepted and refused files.

    test_check_forge.py ROOT [unittest argument ...]
"""
import os
import shutil
import sys
import tempfile
import unittest

from check_forge import check_forms, check_workflow
from source_tree import read

ROOT = sys.argv.pop(1)


class Forge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        shutil.copytree(os.path.join(ROOT, ".github"), os.path.join(self.root, ".github"))
        os.mkdir(os.path.join(self.root, "scripts"))
        for name in ("README.md", "scripts/test-in-debian.sh"):
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.root, name))
        os.symlink(os.path.abspath(os.path.join(ROOT, "docs")), os.path.join(self.root, "docs"))

    def told(self, path, old, new):
        """The findings once old is new in that file."""
        path = os.path.join(".github", path)
        text = read(self.root, path)
        self.assertIn(old, text)
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        return "\n".join([*check_forms(self.root), *check_workflow(self.root)])

    def test_the_tree_s_own(self):
        self.assertEqual([*check_forms(self.root), *check_workflow(self.root)], [])

    def test_forms(self):
        bug = "ISSUE_TEMPLATE/bug.yml"
        self.assertIn("does not know 'lable'", self.told(bug, "label: How", "lable: How"))
        self.assertIn("the same id", self.told(bug, "id: log", "id: again"))
        self.assertIn("docs/troubles.md, which is not there", self.told(bug, "docs/troubleshooting.md", "docs/troubles.md"))
        self.assertIn("of type 'textaera'", self.told(bug, "type: textarea", "type: textaera"))
        self.assertIn("where holes are reported", self.told("ISSUE_TEMPLATE/question.yml", "SECURITY.md", "README.md"))

    def test_workflow(self):
        flow = "workflows/tests.yml"
        self.assertIn("read the contents and no more", self.told(flow, "contents: read", "contents: write"))
        self.assertIn("right to write", self.told(flow, "  pull_request:", "  pull_request_target:"))
        self.assertIn("needs a secret", self.told(flow, "fail-fast: false", "fail-fast: false # ${{ secrets.KEY }}"))
        self.assertIn("Debian [12]", self.told(flow, "[12, 13]", "[12]"))
        self.assertIn("by a name that may move", self.told(flow, "- name: Checkout", "- uses: actions/checkout@v4\n      - name: Checkout"))
        self.assertIn("README has the commands", self.told(flow, "[demo.sh, test.sh]", "[test.sh]"))


if __name__ == "__main__":
    unittest.main()
