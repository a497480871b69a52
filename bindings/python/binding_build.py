"""The C part of the package, tchains._binding: made by cffi of the public headers, in API mode, so that the compiler compares every
declaration with them.

    binding_build.py SOURCE.c     write the C source (CMake compiles it)

setup.py compiles it by itself, with the library that pkg-config finds, or in the prefix TCHAINS_PREFIX.
"""
import os
import shlex
import subprocess
import sys

import cffi

import header_cdef

_HERE = os.path.dirname(os.path.abspath(__file__))
_MORE = """
extern "Python" void tchains_call_done(void *user, const tc_call_outcome *outcome);
extern "Python" void tchains_window_done(void *user, tc_status status, uint32_t succeeded, const char *text);
extern "Python" int tchains_interrupt(void *user);
char *tchains_map_again(void *memory, uint64_t bytes);
void tchains_unmap(char *memory);
int tchains_end_with_parent(void);
"""
_SOURCE = "#include <sys/uio.h>\n#include <tc/tc.h>\n" + "".join(f"#include <tc/{name}>\n" for name in header_cdef.HEADERS)
# Shared memory of a window has a second mapping for Python, which lives as long as an object refers to it: Linux makes one of the
# same pages for an old size of 0. A page before it has the size, so that C alone ends it: a signal that raised in a destructor in
# Python would be lost. UCX replaces mremap by a function that loses the address, so the kernel is called directly.
_SHARED_MEMORY = """
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *tchains_map_again(void *memory, uint64_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)memory % page;
    const uint64_t size = page + before + bytes;
    char *head = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (head == MAP_FAILED)
        return NULL;
    if (syscall(SYS_mremap, (char *)memory - before, 0ul, before + bytes, MREMAP_MAYMOVE | MREMAP_FIXED, head + page) !=
        (long)(head + page)) {
        (void)munmap(head, size);
        return NULL;
    }
    memcpy(head, &size, sizeof size);
    return head + page + before;
}

static void tchains_unmap(char *memory)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    char *head = memory - (uintptr_t)memory % page - page;
    uint64_t size;
    memcpy(&size, head, sizeof size);
    (void)munmap(head, size);
}

static int tchains_end_with_parent(void)
{
    return prctl(PR_SET_PDEATHSIG, SIGKILL);
}
"""


def _pkg_config(*what):
    try:
        return shlex.split(subprocess.run(["pkg-config", *what, "tchains"], check=True, capture_output=True, text=True).stdout)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit("tchains: pkg-config finds no tchains.pc: install libtchains-dev, or set TCHAINS_PREFIX to where "
                         f"`cmake --install` has put the library ({error})") from error


def places():
    """(folder of the headers, folder of the library or None for one that the linker finds)."""
    prefix = os.environ.get("TCHAINS_PREFIX")
    if prefix:
        libraries = [os.path.join(prefix, name) for name in ("lib", "lib64")]
        found = next((folder for folder in libraries if os.path.exists(os.path.join(folder, "libtchains.so"))), None)
        if found is None:
            raise SystemExit(f"tchains: no libtchains.so in {' or '.join(libraries)}, where TCHAINS_PREFIX says")
        return os.path.join(prefix, "include"), os.path.abspath(found)
    return _pkg_config("--variable=includedir")[0], None


def builder(include, library_folder=None):
    """The cffi builder of the module. In a wheel that has the library, the module finds it in its own folder."""
    ffi = cffi.FFI()
    ffi.cdef(header_cdef.cdef(include) + _MORE)
    folders = {}
    if library_folder:
        bundled = "TCHAINS_BUNDLE" in os.environ
        folders = {"library_dirs": [library_folder], "runtime_library_dirs": ["$ORIGIN/lib" if bundled else library_folder],
                   "extra_link_args": ["-Wl,-s"] if bundled else []}
    ffi.set_source("tchains._binding", _SOURCE + _SHARED_MEMORY, include_dirs=[include], libraries=["tchains"], py_limited_api=True, **folders)
    return ffi


def setup_builder():
    """For setup.py."""
    return builder(*places())


if __name__ == "__main__":
    builder(os.path.join(_HERE, "..", "..", "include")).emit_c_code(sys.argv[1])
