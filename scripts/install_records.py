"""CMake's records of a build's last installation, which another installation of the same build replaces."""
import contextlib
import glob
import os


def records(build):
    return glob.glob(os.path.join(build, "install_manifest*.txt")) + glob.glob(os.path.join(build, "install_folders.txt"))


@contextlib.contextmanager
def kept(build):
    """There are no records inside, and those of before again at the end."""
    before = {}
    for path in records(build):
        with open(path, "rb") as file:
            before[path] = file.read()
        os.remove(path)
    try:
        yield
    finally:
        for path in records(build):
            os.remove(path)
        for path, text in before.items():
            with open(path, "wb") as file:
                file.write(text)
