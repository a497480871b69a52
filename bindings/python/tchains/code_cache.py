"""Numba's output for Python functions, on disk for the next process: bitcode for each architecture, and the type of the reply.

The folder is `python` in the object cache's (docs/object-cache.md), under the same rules: its owner's alone, refused otherwise,
and the environment's TC_CACHE_DIR gives its location, or disables it by an empty value. The cache never makes anything fail.

A file is named by the first 32 digits of the function's fingerprint. It begins with MAGIC and the fingerprint, has a line of JSON
that describes the rest, and ends with a BLAKE2b of all before. A file with any error is deleted, and compiled again.
"""
import contextlib
import hashlib
import json
import os
import re
import stat
import time

MAGIC = b"TCPYCODE1\n"
FILES_MAX = 256
BYTES_MAX = 64 << 20   # of all files
FILE_BYTES_MAX = BYTES_MAX // 16
SLICES_MAX = 8
_DIGEST_BYTES = 32
_STALE_S = 3600        # of a file that a process began to write
_NAME = re.compile(r"[0-9a-f]{32}\.tcp")


def _path():
    """The folder, or None where there is to be no cache."""
    named = os.environ.get("TC_CACHE_DIR", "auto")
    if named != "auto":
        return os.path.join(named, "python") if named else None
    for variable, below in (("XDG_CACHE_HOME", ""), ("HOME", ".cache")):
        base = os.environ.get(variable, "")
        if os.path.isabs(base):
            with contextlib.suppress(OSError):
                return os.path.join(base, below, "tchains", "python") if os.stat(base).st_uid == os.geteuid() else None
            return None
    return None


def _is_own(status, kind):
    return kind(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


@contextlib.contextmanager
def _folder():
    """A descriptor of it; None where it is not to be trusted or cannot be opened."""
    path, fd = _path(), -1
    try:
        if path is not None:
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
            if _is_own(os.lstat(os.path.dirname(path)), stat.S_ISDIR):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(path, 0o700)
                fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        fd = -1
    try:
        yield fd if fd >= 0 and _is_own(os.fstat(fd), stat.S_ISDIR) else None
    finally:
        if fd >= 0:
            os.close(fd)


def _file_name(fingerprint):
    return fingerprint[:32] + ".tcp"


# --- a file's content ----------------------------------------------------------------------------

def encoded(fingerprint, slices, reply):
    """The bytes of a file. `slices`: [(triple, bitcode)]; `reply`: whatever JSON has."""
    index = {"slices": [[triple, len(code)] for triple, code in slices], "reply": reply}
    data = MAGIC + fingerprint.encode() + b"\n" + json.dumps(index).encode() + b"\n" + b"".join(code for _, code in slices)
    return data + hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


def decoded(fingerprint, data):
    """(slices, reply), or None for other bytes."""
    body, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    if hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() != digest:
        return None
    begin = MAGIC + fingerprint.encode() + b"\n"
    head, newline, code = body[len(begin):].partition(b"\n")
    if not body.startswith(begin) or not newline:
        return None
    try:
        index = json.loads(head)
        sizes = [(str(triple), int(size)) for triple, size in index["slices"]]
        reply = index["reply"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if not 1 <= len(sizes) <= SLICES_MAX or min(size for _, size in sizes) < 1 or sum(size for _, size in sizes) != len(code):
        return None
    slices, at = [], 0
    for triple, size in sizes:
        slices.append((triple, code[at:at + size]))
        at += size
    return slices, reply


# --- files ---------------------------------------------------------------------------------------

def _content(folder, name):
    """The bytes of a file of this user's; b"" for another user's file, or a missing one."""
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_size > FILE_BYTES_MAX:
            return b""
        return file.read(FILE_BYTES_MAX)


def find(fingerprint):
    """(slices, reply) of an earlier process, or None."""
    name = _file_name(fingerprint)
    with _folder() as folder, contextlib.suppress(OSError):
        if folder is None:
            return None
        try:
            found = decoded(fingerprint, _content(folder, name))
        except FileNotFoundError:
            return None
        except OSError:  # a link, or a device
            found = None
        if found is None:
            os.unlink(name, dir_fd=folder)
        else:
            os.utime(name, dir_fd=folder)
        return found
    return None


def _make_room(folder, more):
    """Deletes the files that were used longest ago until one of `more` bytes fits, and an eighth of all is free if it did not."""
    files, now = [], time.time()
    for entry in os.scandir(folder):
        status = entry.stat(follow_symlinks=False)
        if entry.name.endswith(".tmp") and now - status.st_mtime > _STALE_S:
            os.unlink(entry.name, dir_fd=folder)
        elif _NAME.fullmatch(entry.name):
            files.append((status.st_mtime, status.st_size, entry.name))
    files.sort(reverse=True)
    count, size = len(files) + 1, sum(size for _, size, _ in files) + more
    if count <= FILES_MAX and size <= BYTES_MAX:
        return
    while files and (count > FILES_MAX * 7 // 8 or size > BYTES_MAX * 7 // 8):
        _, freed, name = files.pop()
        os.unlink(name, dir_fd=folder)
        count, size = count - 1, size - freed


def store(fingerprint, slices, reply):
    """Keeps it for later processes, which see a whole file or no file."""
    data, name = encoded(fingerprint, slices, reply), _file_name(fingerprint)
    if len(data) > FILE_BYTES_MAX:
        return
    with _folder() as folder, contextlib.suppress(OSError):
        if folder is None:
            return
        _make_room(folder, len(data))
        temporary = f"{name}.{os.getpid()}.tmp"
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder), "wb") as file:
                file.write(data)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
