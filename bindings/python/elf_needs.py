"""The platform tag of a wheel with compiled files, computed from their symbols by auditwheel's rule for manylinux tags (PEP 600): a
wheel of manylinux_X_Y runs on every glibc from X.Y on.

    elf_needs.py FILE|FOLDER ...     prints the tag, or the reason to refuse one

A file may need versions of glibc's symbols, which the tag states; libraries that lie beside it in the wheel; and libgcc_s with the
symbols that every distribution of that age has.
"""
import os
import re
import struct
import sys

# Libraries of glibc itself.
GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libutil.so.1", "ld-linux-x86-64.so.2",
         "ld-linux-aarch64.so.1"}
LIBGCC = "libgcc_s.so.1"
LIBGCC_MAX = (7, 0, 0)
OLDEST = (2, 17)             # the oldest tag that is given
PACKED_RELOCATIONS = (2, 36)  # the version that reads them: GLIBC_ABI_DT_RELR
MACHINES = {62: "x86_64", 183: "aarch64"}

_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRTAB, _STRSZ, _SONAME, _RPATH, _RUNPATH = 1, 5, 10, 14, 15, 29
_VERNEED, _VERNEEDNUM = 0x6ffffffe, 0x6fffffff


class NoElf(ValueError):
    """A file that is no 64-bit little-endian ELF file, or is damaged."""


class Elf:
    """The entries of a program or a shared object for its dynamic loader: `machine`, `needed`, `soname`, `runpath`, and `versions`, a set
    of (library, version)."""

    def __init__(self, data, name="ELF"):
        self._data, self.name = data, name
        self.needed, self.versions, self.soname, self.runpath = [], set(), None, None
        if data[:6] != b"\x7fELF\x02\x01":
            raise NoElf(f"{name}: expected a 64-bit little-endian ELF file")
        try:
            self._read()
        except (struct.error, IndexError, OverflowError, ValueError) as error:
            raise NoElf(f"{name}: it is damaged ({error})") from error

    def _read(self):
        self.machine = self._unpack("<H", 18)[0]
        headers, (size, count) = self._unpack("<Q", 32)[0], self._unpack("<HH", 54)
        segments = [self._unpack("<IIQQQQ", headers + i * size) for i in range(count)]
        self._loads = [(address, offset, length) for kind, _, offset, address, _, length in segments if kind == _LOAD]
        dynamic = [(offset, length) for kind, _, offset, _, _, length in segments if kind == _DYNAMIC]
        if dynamic:
            self._read_dynamic(*dynamic[0])

    def _unpack(self, form, offset):
        return struct.unpack_from(form, self._data, offset)

    def _offset(self, address):
        for begin, offset, length in self._loads:
            if begin <= address < begin + length:
                return address - begin + offset
        raise NoElf(f"{self.name}: the address {address:#x} is in no segment")

    def _text(self, offset):
        begin = self._strings + offset
        return self._data[begin:self._data.index(b"\0", begin)].decode("ascii")

    def _read_dynamic(self, offset, length):
        entries = [self._unpack("<qQ", offset + i * 16) for i in range(length // 16)]
        values = dict(reversed(entries))
        if _STRTAB not in values:
            return
        self._strings = self._offset(values[_STRTAB])
        self.needed = [self._text(value) for tag, value in entries if tag == _NEEDED]
        self.soname = self._text(values[_SONAME]) if _SONAME in values else None
        path = values.get(_RUNPATH, values.get(_RPATH))
        self.runpath = self._text(path) if path is not None else None
        if _VERNEED in values:
            self._read_versions(self._offset(values[_VERNEED]), values.get(_VERNEEDNUM, 0))

    def _read_versions(self, offset, count):
        for _ in range(count):
            _, names, library, name_offset, step = self._unpack("<HHIII", offset)
            at = offset + name_offset
            for _ in range(names):
                _, _, _, name, name_step = self._unpack("<IHHII", at)
                self.versions.add((self._text(library), self._text(name)))
                if name_step == 0:
                    break
                at += name_step
            if step == 0:
                break
            offset += step


class NotPortable(ValueError):
    """A file needs something that no tag of manylinux has."""


def _numbers(text):
    return tuple(int(number) for number in text.split("."))


def _glibc(elf, version):
    """The version of glibc that has a version of its symbols."""
    if version == "GLIBC_ABI_DT_RELR":
        return PACKED_RELOCATIONS
    found = re.fullmatch(r"GLIBC_(\d+\.\d+)(?:\.\d+)?", version)
    if found is None:
        raise NotPortable(f"{elf.name} needs {version} of glibc, which is none of its releases")
    return _numbers(found.group(1))


def glibc_needed(elfs):
    """The oldest glibc that all files together run with. Raises NotPortable for a library or a symbol that wheels may not need."""
    beside, newest = {elf.soname or os.path.basename(elf.name) for elf in elfs}, OLDEST
    for elf in elfs:
        for library in elf.needed:
            if library not in GLIBC | beside | {LIBGCC}:
                raise NotPortable(f"{elf.name} needs {library}, which is neither in the wheel nor on every machine")
        for library, version in elf.versions:
            if library in GLIBC:
                newest = max(newest, _glibc(elf, version))
            elif library == LIBGCC and _numbers(version.removeprefix("GCC_")) > LIBGCC_MAX:
                raise NotPortable(f"{elf.name} needs {version} of {LIBGCC}, at most {'.'.join(map(str, LIBGCC_MAX))} is everywhere")
    return newest


def elfs_of(paths):
    """The ELF files among files and all that is below folders."""
    for path in paths:
        below = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names] if os.path.isdir(path) else [path]
        for file_name in sorted(below):
            with open(file_name, "rb") as file:
                data = file.read()
            if data[:4] == b"\x7fELF":
                yield Elf(data, file_name)


def platform_tag(paths):
    """The tag of a wheel with these files: manylinux_2_34_x86_64."""
    elfs = list(elfs_of(paths))
    machines = {MACHINES.get(elf.machine, f"machine {elf.machine}") for elf in elfs}
    if len(machines) != 1:
        raise NotPortable(f"the files are for {', '.join(sorted(machines)) or 'no machine'}, expected one")
    return f"manylinux_{'_'.join(map(str, glibc_needed(elfs)))}_{machines.pop()}"


if __name__ == "__main__":
    try:
        print(platform_tag(sys.argv[1:]))
    except (NoElf, NotPortable, OSError) as failure:
        sys.exit(f"elf_needs: {failure}")
