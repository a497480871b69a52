#!/usr/bin/env python3
"""Charts of a traced world, as text and as SVG.

    check_chart.py SIM_EXPLORE SIM_CHART
"""
import re
import subprocess
import sys
import xml.etree.ElementTree

explore, chart = sys.argv[1:]
TRACED = (explore, "--seed", "12", "--nodes", "3", "--hosts", "3", "--actions", "6", "--faults", "0", "--with", "bursts", "--trace")


def run(command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def check(holds, message):
    if not holds:
        sys.exit(message)


code, trace, errors = run(TRACED)
check(code == 0 and "runs " in trace, f"no trace: {errors}")
code, text, errors = run((sys.executable, chart, "--text", "--notes"), trace)
check(code == 0 and all(f"node {n}" in text for n in range(3)), f"text: {errors}{text[:200]}")
check(re.search(r" sends \d+[.]1 of function ", text), f"no message in {text[:400]}")
code, drawing, errors = run((sys.executable, chart, "--last", "50"), trace)
check(code == 0, f"SVG: {errors}")
root = xml.etree.ElementTree.fromstring(drawing)
lines = root.findall(".//{http://www.w3.org/2000/svg}line")
check(any(line.get("class") == "bytes" for line in lines), "no arrow of bytes")
labels = [label.text for label in root.findall(".//{http://www.w3.org/2000/svg}text")]
check("simulated ms" in labels and "node 2" in labels, f"labels {labels[:9]}")
code, _, errors = run((sys.executable, chart), "not a trace\n")
check(code == 1 and "0 events of a trace, 1 other lines" in errors, f"no trace: status {code}, {errors}")
