"""The files of the source tree, as the layout tests see them: no build folders, no version control."""
import os

SKIPPED_FOLDERS = {".git", ".cache", "out", "__pycache__", "tchains.egg-info"}
WHEEL = os.path.join("bindings", "python", "build")  # pip builds where the sources are


def walk(root):
    """Yields every file's path relative to root, in a stable order."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            f for f in folders
            if f not in SKIPPED_FOLDERS and not (folder == root and f.startswith("build"))
            and os.path.relpath(os.path.join(folder, f), root) != WHEEL)
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), root)


def sources(root):
    return [path for path in walk(root) if path.endswith((".c", ".h"))]


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()
