# The function of examples/record_insert in Julia: packs lines at the source, unpacks them at the target and
# inserts them into its database. One message is one transaction. Programs in C send it as they send the one in
# C (record_insert.c), with which it shares the layout of all that it touches.
using ThreeChains

struct Batch # record_batch
    bytes::Ptr{UInt8}
    size::UInt64
    packed::Ptr{UInt8}
    packed_size::UInt64
end

struct Head # record_head
    run::UInt64
    first_line::UInt64
    name_bytes::UInt32
    text_bytes::UInt32
end

struct Counts # record_counts
    run::UInt64
    batches::UInt64
    rows::UInt64
    damaged::UInt64
    failed::UInt64
    error::NTuple{128,UInt8}
end

struct RecordTarget # record_target
    path::Ptr{UInt8}
    database::Ptr{Cvoid}
    counts::Counts
end

const LARGEST_BATCH = 1 << 20
const DONE = 101 # SQLITE_DONE

# Fields of a struct in memory, by their names.
@generated offset(::Type{T}, ::Val{name}) where {T,name} = fieldoffset(T, Base.fieldindex(T, name))
field(place::Ptr{T}, name::Val{N}) where {T,N} = Ptr{fieldtype(T, N)}(place + offset(T, name))
counts_of(target) = field(target, Val(:counts))

function count!(counts, name, by=1)
    place = field(counts, name)
    unsafe_store!(place, unsafe_load(place) + by % UInt64)
    return false
end

# The newest error, of which 127 bytes are kept.
function say(counts, text::Ptr{UInt8})
    place = Ptr{UInt8}(field(counts, Val(:error)))
    ccall(:strncpy, Ptr{UInt8}, (Ptr{UInt8}, Ptr{UInt8}, UInt64), place, text, 127)
    return false
end

function damaged(target, text)
    count!(counts_of(target), Val(:damaged))
    place = Ref(text)
    GC.@preserve place say(counts_of(target), Base.unsafe_convert(Ptr{UInt8}, place))
end

function failed(target)
    count!(counts_of(target), Val(:failed))
    say(counts_of(target), ccall("extern sqlite3_errmsg", llvmcall, Ptr{UInt8}, (Ptr{Cvoid},), database(target)))
end

database(target) = unsafe_load(field(target, Val(:database)))

# --- at the source ---

is_zstd_error(size) = ccall("extern ZSTD_isError", llvmcall, Cuint, (UInt64,), size) != 0

# The message is as large as this size: packing here gives the size itself.
function packed_size(source::View{Batch})
    length(source) == 1 || return 0 % UInt64
    batch = @inbounds source[1]
    if batch.packed == C_NULL
        room = ccall("extern ZSTD_compressBound", llvmcall, UInt64, (UInt64,), batch.size)
        packed = ccall(:malloc, Ptr{UInt8}, (UInt64,), room)
        size = packed == C_NULL ? UInt64(0) : pack(packed, room, batch)
        batch = Batch(batch.bytes, batch.size, packed, size)
        @inbounds source[1] = batch
    end
    return batch.packed_size
end

function pack(packed::Ptr{UInt8}, room::UInt64, batch::Batch)
    zstd = ccall("extern ZSTD_createCCtx", llvmcall, Ptr{Cvoid}, ())
    zstd == C_NULL && return UInt64(0)
    level, checksum = 100, 201 # ZSTD_c_compressionLevel, ZSTD_c_checksumFlag
    for (parameter, value) in ((level, 9), (checksum, 1))
        ccall("extern ZSTD_CCtx_setParameter", llvmcall, UInt64, (Ptr{Cvoid}, Cint, Cint), zstd, parameter % Cint,
              value % Cint)
    end
    size = ccall("extern ZSTD_compress2", llvmcall, UInt64, (Ptr{Cvoid}, Ptr{UInt8}, UInt64, Ptr{UInt8}, UInt64),
                 zstd, packed, room, batch.bytes, batch.size)
    ccall("extern ZSTD_freeCCtx", llvmcall, UInt64, (Ptr{Cvoid},), zstd)
    return is_zstd_error(size) ? UInt64(0) : size
end

function move_packed(payload::View{UInt8}, source::View{Batch})
    length(source) == 1 && length(payload) > 0 || return -1
    batch = @inbounds source[1]
    ccall(:memcpy, Ptr{UInt8}, (Ptr{UInt8}, Ptr{UInt8}, UInt64), pointer(payload), batch.packed,
          length(payload) % UInt64)
    ccall(:free, Cvoid, (Ptr{UInt8},), batch.packed)
    @inbounds source[1] = Batch(batch.bytes, batch.size, C_NULL, batch.packed_size)
    return 0
end

# --- at the target ---

# The batch's bytes, which the caller frees, or null.
function unpack(target, payload::View{UInt8})
    size = ccall("extern ZSTD_getFrameContentSize", llvmcall, UInt64, (Ptr{UInt8}, UInt64), pointer(payload),
                 length(payload) % UInt64)
    nothing_found = Ptr{UInt8}(C_NULL)
    if size >= typemax(UInt64) - 1
        damaged(target, c"damaged batch: no zstd frame")
        return nothing_found
    elseif size < sizeof(Head) || size > LARGEST_BATCH
        damaged(target, c"damaged batch: its size is out of range")
        return nothing_found
    end
    bytes = ccall(:malloc, Ptr{UInt8}, (UInt64,), size)
    bytes == C_NULL && (damaged(target, c"damaged batch: out of memory"); return nothing_found)
    result = ccall("extern ZSTD_decompress", llvmcall, UInt64, (Ptr{UInt8}, UInt64, Ptr{UInt8}, UInt64), bytes, size,
                   pointer(payload), length(payload) % UInt64)
    head = unsafe_load(Ptr{Head}(bytes))
    if is_zstd_error(result)
        count!(counts_of(target), Val(:damaged))
        say(counts_of(target), ccall("extern ZSTD_getErrorName", llvmcall, Ptr{UInt8}, (UInt64,), result))
    elseif result != sizeof(Head) + (head.name_bytes % UInt64) + (head.text_bytes % UInt64)
        damaged(target, c"damaged batch: its parts do not add up")
    else
        return bytes
    end
    ccall(:free, Cvoid, (Ptr{UInt8},), bytes)
    return nothing_found
end

execute(database, text) = ccall("extern sqlite3_exec", llvmcall, Cint,
    (Ptr{Cvoid}, Ptr{UInt8}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), database, text, C_NULL, C_NULL, C_NULL) == 0

function open_database(target)
    database(target) == C_NULL || return true
    made = Ref{Ptr{Cvoid}}(C_NULL)
    ok = ccall("extern sqlite3_open", llvmcall, Cint, (Ptr{UInt8}, Ref{Ptr{Cvoid}}), unsafe_load(field(target, Val(:path))),
               made) == 0 &&
         ccall("extern sqlite3_busy_timeout", llvmcall, Cint, (Ptr{Cvoid}, Cint), made[], 2000 % Cint) == 0 &&
         execute(made[], c"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS lines (file TEXT, line INTEGER, text TEXT, PRIMARY KEY (file, line)) WITHOUT ROWID;")
    unsafe_store!(field(target, Val(:database)), made[])
    ok && return true
    failed(target)
    ccall("extern sqlite3_close", llvmcall, Cint, (Ptr{Cvoid},), made[])
    unsafe_store!(field(target, Val(:database)), C_NULL)
    return false
end

bind_text(insert, at, text, size) = ccall("extern sqlite3_bind_text", llvmcall, Cint,
    (Ptr{Cvoid}, Cint, Ptr{UInt8}, Cint, Ptr{Cvoid}), insert, at % Cint, text, size % Cint, C_NULL) == 0

function insert_line(insert, head::Head, name, line, text, size)
    ok = bind_text(insert, 1, name, head.name_bytes) &&
         ccall("extern sqlite3_bind_int64", llvmcall, Cint, (Ptr{Cvoid}, Cint, Int64), insert, 2 % Cint, line % Int64) == 0 &&
         bind_text(insert, 3, text, size) &&
         ccall("extern sqlite3_step", llvmcall, Cint, (Ptr{Cvoid},), insert) == DONE
    return ccall("extern sqlite3_reset", llvmcall, Cint, (Ptr{Cvoid},), insert) == 0 && ok
end

# How many lines were inserted, or -1.
function insert_lines(database, bytes::Ptr{UInt8})
    head, place = unsafe_load(Ptr{Head}(bytes)), Ref{Ptr{Cvoid}}(C_NULL)
    ccall("extern sqlite3_prepare_v2", llvmcall, Cint, (Ptr{Cvoid}, Ptr{UInt8}, Cint, Ref{Ptr{Cvoid}}, Ptr{Cvoid}), database,
          c"INSERT OR REPLACE INTO lines VALUES (?, ?, ?)", -1 % Cint, place, C_NULL) == 0 || return -1
    name = bytes + sizeof(Head)
    text = name + head.name_bytes
    last, rows, ok = text + head.text_bytes, 0, true
    while ok && text < last
        left = (last - text) % UInt64
        newline = ccall(:memchr, Ptr{UInt8}, (Ptr{UInt8}, Cint, UInt64), text, 10 % Cint, left)
        next = newline == C_NULL ? last : newline + 1
        ok = insert_line(place[], head, name, head.first_line + rows % UInt64, text, next - text)
        rows += 1
        text = next
    end
    ccall("extern sqlite3_finalize", llvmcall, Cint, (Ptr{Cvoid},), place[])
    return ok ? rows : -1
end

function insert_batch(target, bytes::Ptr{UInt8})
    if execute(database(target), c"BEGIN IMMEDIATE")
        rows = insert_lines(database(target), bytes)
        if rows >= 0 && execute(database(target), c"COMMIT")
            count!(counts_of(target), Val(:batches))
            count!(counts_of(target), Val(:rows), rows)
            return
        end
    end
    failed(target)
    execute(database(target), c"ROLLBACK")
    return
end

@ifunc payload=(packed_size, move_packed) function record_insert(payload::View{UInt8}, target::Ptr{RecordTarget})
    target == C_NULL && return
    bytes = unpack(target, payload)
    bytes == C_NULL && return
    run = unsafe_load(Ptr{Head}(bytes)).run
    counts = counts_of(target)
    if unsafe_load(field(counts, Val(:run))) != run
        ccall(:memset, Ptr{Cvoid}, (Ptr{Counts}, Cint, UInt64), counts, 0 % Cint, sizeof(Counts) % UInt64)
        unsafe_store!(field(counts, Val(:run)), run)
    end
    open_database(target) && insert_batch(target, bytes)
    ccall(:free, Cvoid, (Ptr{UInt8},), bytes)
    return
end

const RECORD_LIBRARIES = ["libzstd.so.1", "libsqlite3.so.0"]
