"""Archives of bitcode, made without a context."""
from ._binding import ffi, lib
from .errors import check


def code_of(slices=(), deps=b"", **fields):
    """A tc_code, and what it points to, which has to stay while it is used. slices: [(triple, bitcode)]."""
    kept = [(ffi.new("char[]", triple.encode()), ffi.from_buffer(code), len(code)) for triple, code in slices]
    table = ffi.new("tc_bitcode[]", [{"triple": triple, "bytes": code, "size": size} for triple, code, size in kept])
    texts = {field: value if isinstance(value, int) else ffi.from_buffer(value if field == "bytes" else value + b"\0")
             for field, value in {**fields, **({"deps": deps} if deps else {})}.items()}
    code = ffi.new("tc_code *", texts)
    code.deps_size = len(deps)
    if kept:
        code.slices, code.slice_count = table, len(kept)
    return code, (kept, table, texts)


def archive_of(name, slices, prototype):
    """The bytes of NAME.tca, of [(triple, bitcode)]."""
    err, out, fn = ffi.new("tc_error *"), ffi.new("tc_loader **"), ffi.new("tc_ifunc **")
    check(lib.tc_loader_create(ffi.NULL, ffi.NULL, 0, out, err), err)
    loader = ffi.gc(out[0], lib.tc_loader_destroy)
    more = {} if prototype is None else {"prototype": prototype.encode()}
    code, _kept = code_of(name=name.encode(), slices=slices, **more)
    check(lib.tc_loader_open_code(loader, code, fn, err), err)
    size = ffi.new("size_t *")
    data = lib.tc_ifunc_archive(fn[0], size)
    return bytes(ffi.buffer(data, size[0]))
