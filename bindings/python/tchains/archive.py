"""Archives of bitcode, made without a context."""
from ._binding import ffi, lib
from .errors import check


def archive_of(name, slices):
    """The bytes of NAME.tca, of [(triple, bitcode)]."""
    err, out, fn = ffi.new("tc_error *"), ffi.new("tc_loader **"), ffi.new("tc_ifunc **")
    check(lib.tc_loader_create(ffi.NULL, ffi.NULL, 0, out, err), err)
    loader = ffi.gc(out[0], lib.tc_loader_destroy)
    kept = [(ffi.new("char[]", triple.encode()), ffi.from_buffer(code), len(code)) for triple, code in slices]
    table = ffi.new("tc_bitcode[]", [{"triple": triple, "bytes": code, "size": size} for triple, code, size in kept])
    check(lib.tc_loader_open_bitcode(loader, name.encode(), table, len(kept), ffi.NULL, 0, fn, err), err)
    size = ffi.new("size_t *")
    data = lib.tc_ifunc_archive(fn[0], size)
    return bytes(ffi.buffer(data, size[0]))
