#!/usr/bin/env python3
"""The files that a forge reads, .github: the forms of issues, the template of pull requests, the workflow.

    check_forge.py ROOT

A forge shows nothing of a form that it cannot read, and reports that only on a page that is rarely read. Ends with status 77
where there is no parser of YAML (package python3-yaml).
"""
import os
import re
import sys

from source_tree import read

try:
    import yaml
except ImportError:
    print("no parser of YAML: package python3-yaml")
    sys.exit(77)

FORMS = ".github/ISSUE_TEMPLATE"
WORKFLOW = ".github/workflows/tests.yml"
# The fields that a form may have, and those that the forge needs to draw it.
NEEDED = {"markdown": {"value"}, "textarea": {"label"}, "input": {"label"}, "dropdown": {"label", "options"},
          "checkboxes": {"label", "options"}}
KNOWN = {"value", "label", "description", "placeholder", "render", "options", "multiple", "default"}
DEBIANS = re.compile(r"^ {4}(\d+)\) name=", re.MULTILINE)


def load(root, path):
    return yaml.safe_load(read(root, path))


def check_element(root, path, number, element):
    kind, attributes = element.get("type"), element.get("attributes", {})
    where = f"{path}: element {number}"
    if kind not in NEEDED:
        yield f"{where} is of type {kind!r}; the forge knows {sorted(NEEDED)}"
        return
    if NEEDED[kind] - set(attributes):
        yield f"{where} has no {sorted(NEEDED[kind] - set(attributes))}"
    for unknown in sorted((set(attributes) - KNOWN) | (set(element) - {"type", "id", "attributes", "validations"})):
        yield f"{where}: the forge does not know '{unknown}'"
    if kind != "markdown" and not re.fullmatch(r"[\w-]+", str(element.get("id", ""))):
        yield f"{where} has no id"
    for tree_path in re.findall(r"\b(?:docs/)?[\w-]+\.md\b", str(attributes.get("description", ""))):
        if not os.path.exists(os.path.join(root, tree_path)):
            yield f"{where} names {tree_path}, which is not there"


def check_form(root, path):
    form = load(root, path)
    if not isinstance(form, dict) or not all(isinstance(form.get(key), str) for key in ("name", "description")):
        yield f"{path}: a form has a name and a description"
        return
    body = form.get("body") or []
    for number, element in enumerate(body, 1):
        yield from check_element(root, path, number, element)
    ids = [element["id"] for element in body if "id" in element]
    labels = [element.get("attributes", {}).get("label") for element in body if "id" in element]
    if len(set(ids)) < len(ids) or len(set(labels)) < len(labels):
        yield f"{path}: two elements have the same id or label: {ids}"
    if not ids:
        yield f"{path}: asks nothing"
    if not body or "SECURITY.md" not in str(body[0].get("attributes", {}).get("value", "")):
        yield f"{path}: does not begin with where holes are reported, SECURITY.md"


def check_forms(root):
    names = sorted(os.listdir(os.path.join(root, FORMS)))
    for name in names:
        if name != "config.yml":
            yield from check_form(root, f"{FORMS}/{name}")
    if load(root, f"{FORMS}/config.yml").get("blank_issues_enabled") is not False:
        yield f"{FORMS}/config.yml: an issue without a form says nothing of SECURITY.md"
    for name in ("bug.yml", "performance.yml", "question.yml"):
        if name not in names:
            yield f"{FORMS}: no {name}"


def check_workflow(root):
    text, flow = read(root, WORKFLOW), load(root, WORKFLOW)
    if flow.get("permissions") != {"contents": "read"}:
        yield f"{WORKFLOW}: permissions are {flow.get('permissions')}, expected to read the contents and no more"
    # YAML 1.1 takes the key for a boolean.
    if set(flow.get(True, flow.get("on", {}))) != {"push", "pull_request"}:
        yield f"{WORKFLOW}: runs on {flow.get(True)}, expected push and pull_request; others have the right to write"
    if re.search(r"\bsecrets\b|\bgithub\.token\b", text):
        yield f"{WORKFLOW}: needs a secret, which forks do not have"
    if re.search(r"github\.(?:event|head_ref)", text):
        yield f"{WORKFLOW}: takes text of whoever opens a pull request into a command"
    # A tag may be moved, so an action is named by the hash of its commit.
    for action in re.findall(r"\buses:\s*(\S+)", text):
        if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action):
            yield f"{WORKFLOW}: takes the action {action} by a name that may move, expected the hash of a commit"
    job = flow["jobs"]["readme"]
    matrix = job["strategy"]["matrix"]
    debians = [int(version) for version in DEBIANS.findall(read(root, "scripts/test-in-debian.sh"))]
    if matrix["debian"] != debians:
        yield f"{WORKFLOW}: runs on Debian {matrix['debian']}, and scripts/test-in-debian.sh on {debians}"
    commands = re.findall(r"^\./scripts/([\w.-]+)", read(root, "README.md"), re.MULTILINE)
    if matrix["script"] != commands:
        yield f"{WORKFLOW}: runs {matrix['script']}, and README has the commands {commands}"
    if "timeout-minutes" not in job or "${{ matrix.debian }}" not in job["container"]["image"]:
        yield f"{WORKFLOW}: without a deadline, or not on the Debian of the matrix"
    if not any(step.get("run") == "./scripts/${{ matrix.script }}" for step in job["steps"]):
        yield f"{WORKFLOW}: no step runs the script of the matrix"


def main():
    root = sys.argv[1]
    problems = [*check_forms(root), *check_workflow(root)]
    for name in ("CODE_OF_CONDUCT.md", "SECURITY.md", ".github/PULL_REQUEST_TEMPLATE.md"):
        if not os.path.exists(os.path.join(root, name)):
            problems.append(f"no {name}")
    print(*problems, sep="\n", end="\n" if problems else "")
    sys.exit(f"{len(problems)} problems" if problems else 0)


if __name__ == "__main__":
    main()
