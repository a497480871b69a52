#!/usr/bin/env python3
"""Packages in OCI image layouts: written by tc-package, read by it, by tc-node and by skopeo; layouts that lie are refused.

    check_package_oci.py TC_PACKAGE TC_NODE TC_SEND FUNCTIONS_FOLDER
"""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from node_process import Node, clean_environment

PACKAGE = NODE = SEND = FUNCTIONS = None
DEADLINE_S = 120
ARTIFACT = "application/vnd.three-chains.package.v1"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
TAG = "org.opencontainers.image.ref.name"


class Layout(unittest.TestCase):
    """A folder with a package and its layout, oci."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.build("bank", "transcript", "oci:v1")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def run_tool(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=DEADLINE_S, check=False,
                              env=clean_environment())

    def build(self, name, function, layout, status=0):
        os.makedirs(self.path(name), exist_ok=True)
        with open(self.path(name, "package.txt"), "w", encoding="utf-8") as file:
            file.write(f"function 9 {function} from {os.path.join(FUNCTIONS, function)}.tca\n")
        done = self.run_tool(PACKAGE, "build", name, "--no-local", "--quiet", "--oci", layout)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def json(self, *parts):
        with open(self.path(*parts), encoding="utf-8") as file:
            return json.load(file)

    def write_json(self, value, *parts):
        with open(self.path(*parts), "w", encoding="utf-8") as file:
            json.dump(value, file)

    def blob(self, digest):
        return self.path("oci", "blobs", "sha256", digest.removeprefix("sha256:"))

    def manifest_entry(self):
        return self.json("oci", "index.json")["manifests"][0]

    def package_entry(self):
        (layer,) = self.json(self.blob(self.manifest_entry()["digest"]))["layers"]
        return layer

    def refused(self, *texts, reference="oci:oci"):
        """By both readers, with the same words."""
        for done in (self.run_tool(PACKAGE, "list", reference),
                     self.run_tool(NODE, "--listen", "127.0.0.1:0", "--package", reference)):
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            for text in (reference, *texts):
                self.assertIn(text, done.stderr)


class Written(Layout):
    def test_the_layout_is_as_specified(self):
        self.assertEqual(self.json("oci", "oci-layout"), {"imageLayoutVersion": "1.0.0"})
        index = self.json("oci", "index.json")
        self.assertEqual((index["schemaVersion"], index["mediaType"]), (2, "application/vnd.oci.image.index.v1+json"))
        (entry,) = index["manifests"]
        self.assertEqual((entry["mediaType"], entry["artifactType"], entry["annotations"]), (MANIFEST, ARTIFACT, {TAG: "v1"}))
        manifest = self.json(self.blob(entry["digest"]))
        self.assertEqual((manifest["schemaVersion"], manifest["mediaType"], manifest["artifactType"]), (2, MANIFEST, ARTIFACT))
        self.assertEqual(manifest["config"]["mediaType"], "application/vnd.oci.empty.v1+json")
        (layer,) = manifest["layers"]
        self.assertEqual((layer["mediaType"], layer["annotations"]["org.opencontainers.image.title"]), (ARTIFACT + ".tcp", "bank.tcp"))
        for described in (entry, manifest["config"], layer):
            with open(self.blob(described["digest"]), "rb") as file:
                data = file.read()
            self.assertEqual((described["digest"], described["size"]), ("sha256:" + hashlib.sha256(data).hexdigest(), len(data)))
        self.assertEqual(len(glob.glob(self.path("oci", "blobs", "sha256", "*"))), 3)
        with open(self.path("bank.tcp"), "rb") as file:
            self.assertEqual(layer["size"], len(file.read()))

    def test_it_is_listed_as_the_file_is(self):
        of_file, of_layout = (json.loads(self.run_tool(PACKAGE, "list", "--json", name).stdout) for name in ("bank.tcp", "oci:oci:v1"))
        self.assertEqual({**of_layout, "file": "bank.tcp"}, of_file)
        self.assertEqual(self.json(self.blob(self.manifest_entry()["digest"]))["annotations"]["vnd.three-chains.package.id"], of_file["id"])

    def test_tags_are_added_and_replaced_and_others_stay(self):
        index = self.json("oci", "index.json")
        other = {"mediaType": "application/vnd.example", "digest": "sha256:" + "0" * 64, "size": 1, "annotations": {TAG: "theirs", "x": "y"}}
        index["manifests"].append(other)
        index["annotations"] = {"kept": "yes"}
        self.write_json(index, "oci", "index.json")
        self.build("shop", "check", "oci:v2")
        self.build("shop", "check", "oci:v1")
        self.build("shop", "check", "oci")
        index = self.json("oci", "index.json")
        self.assertEqual([entry["annotations"][TAG] for entry in index["manifests"]], ["theirs", "v2", "v1", "latest"])
        self.assertEqual((index["manifests"][0], index["annotations"]), (other, {"kept": "yes"}))
        self.assertEqual(json.loads(self.run_tool(PACKAGE, "list", "--json", "oci:oci:v1").stdout)["package"], "shop")
        self.refused("index.json has no tag 'v3'; it has: theirs, v2, v1, latest", reference="oci:oci:v3")
        self.refused("index.json has 4 manifests, expected one, or DIR:TAG")
        self.refused("'application/vnd.example', expected 'application/vnd.oci.image.manifest.v1+json'", reference="oci:oci:theirs")

    def test_a_folder_of_something_else_is_left_alone(self):
        with open(self.path("oci", "oci-layout"), "w", encoding="utf-8") as file:
            file.write('{"imageLayoutVersion": "7.0.0"}')
        before = self.json("oci", "index.json")
        self.assertIn("its version is '7.0.0', expected '1.0.0'", self.build("shop", "check", "oci:v2", status=1).stderr)
        self.assertEqual(self.json("oci", "index.json"), before)
        for reference, text in (("oci:../x", "the tag is '../x'"), (":v1", "names no folder"), ("/nowhere/oci", "/nowhere/oci")):
            self.assertIn(text, self.build("shop", "check", reference, status=1).stderr)


class Read(Layout):
    def test_a_node_has_the_package(self):
        """It needs the function's id alone."""
        log, archive = self.path("log"), os.path.join(FUNCTIONS, "transcript.tca")
        for arguments, received in (((), 1), (("--package", f"oci:{self.path('oci')}:v1"), 0), (("--package", f"oci:{self.path('oci')}"), 0)):
            with open(log, "w", encoding="utf-8") as file, Node(NODE, output=file, arguments=arguments) as node:
                done = subprocess.run([SEND, node.address, archive, "--text", "x"], timeout=DEADLINE_S, check=False, capture_output=True,
                                      env={**clean_environment(), "TC_CODE_PUSH": "no"})
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(log, encoding="utf-8") as file:
                self.assertIn(f"1 messages run, 0 dropped, {received} functions received", file.read())

    def test_bytes_that_are_not_those_of_the_digest(self):
        for entry in self.manifest_entry(), self.package_entry():
            with open(self.blob(entry["digest"]), "r+b") as file:
                data = file.read()
                for changed, text in ((data[:-1], f"it has {len(data) - 1} bytes, expected {len(data)}"),
                                      (data + b"\n", f"it has {len(data) + 1} bytes, expected {len(data)}"),
                                      (data + b"more", f"it has more than {len(data)} bytes"),
                                      (data[:-1] + b"?", f"its digest is sha256:{hashlib.sha256(data[:-1] + b'?').hexdigest()}, "
                                                         f"expected {entry['digest']}")):
                    file.seek(0)
                    file.truncate()
                    file.write(changed)
                    file.flush()
                    with self.subTest(text):
                        self.refused(text)
                file.seek(0)
                file.truncate()
                file.write(data)
        self.assertEqual(self.run_tool(PACKAGE, "list", "oci:oci").returncode, 0)

    def test_descriptors_that_lie(self):
        index = self.json("oci", "index.json")
        for name, value, text in (("digest", "sha256:../../../../etc/passwd", "expected sha256: and 64 digits"), ("size", 1 << 40, "limit 1048576"),
                                  ("digest", "sha512:" + "0" * 128, "expected sha256: and 64 digits"), ("size", -1, "no number above 0"),
                                  ("digest", "sha256:" + "0" * 64, "blobs/sha256/" + "0" * 64), ("size", "5", "no number above 0"),
                                  ("mediaType", "text/plain", "the mediaType is 'text/plain'")):
            with self.subTest(name=name, value=value):
                self.write_json({**index, "manifests": [{**index["manifests"][0], name: value}]}, "oci", "index.json")
                self.refused(text)

    def test_files_that_are_none(self):
        os.rename(self.path("oci", "index.json"), self.path("index"))
        self.refused("index.json")
        os.mkfifo(self.path("oci", "index.json"))
        self.refused("not a regular file")
        os.remove(self.path("oci", "index.json"))
        for data, text in ((b"{", "expected a JSON object"), (b"[]", "expected a JSON object"), (b"{}", "schemaVersion"),
                           (b'{"schemaVersion": 2, "schemaVersion": 2}', "duplicate"), (b" " * (1 << 20) + b"{}", "more than 1048576 bytes")):
            with open(self.path("oci", "index.json"), "wb") as file:
                file.write(data)
            with self.subTest(data[:40]):
                self.refused(text)
        self.refused("oci-layout", reference="oci:bank")
        self.refused("names no folder", reference="oci:")

    def test_another_kind_of_artefact(self):
        entry = self.manifest_entry()
        manifest = self.json(self.blob(entry["digest"]))
        for changed, text in (({"artifactType": "application/vnd.example"}, f"'application/vnd.example', expected '{ARTIFACT}'"),
                              ({"layers": []}, "it has 0 layers"), ({"layers": manifest["layers"] * 2}, "it has 2 layers"),
                              ({"layers": {}}, "layers is no array")):
            data = json.dumps({**manifest, **changed}).encode()
            digest = "sha256:" + hashlib.sha256(data).hexdigest()
            with open(self.blob(digest), "wb") as file:
                file.write(data)
            self.write_json({**self.json("oci", "index.json"), "manifests": [{**entry, "digest": digest, "size": len(data)}]}, "oci", "index.json")
            with self.subTest(changed):
                self.refused(text)


@unittest.skipUnless(shutil.which("skopeo"), "no skopeo (Debian: apt-get install skopeo)")
class ByOthers(Layout):
    def test_skopeo_reads_and_copies_it(self):
        raw = self.run_tool("skopeo", "inspect", "--raw", "oci:oci:v1")
        self.assertEqual(raw.returncode, 0, raw.stderr)
        self.assertEqual(json.loads(raw.stdout)["artifactType"], ARTIFACT)
        copied = self.run_tool("skopeo", "--insecure-policy", "copy", "--preserve-digests", "oci:oci:v1", "oci:copy:v1")
        self.assertEqual(copied.returncode, 0, copied.stderr)
        os.remove(self.path("bank.tcp"))
        listed = self.run_tool(PACKAGE, "list", "oci:copy:v1")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("package bank", listed.stdout)


if __name__ == "__main__":
    PACKAGE, NODE, SEND, FUNCTIONS = (os.path.abspath(path) for path in sys.argv[1:5])
    unittest.main(argv=sys.argv[:1])
