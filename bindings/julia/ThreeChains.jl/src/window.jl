# Windows: memory that is opened to peers, and views of windows of other processes.

"""
    GlobalPointer

A position in a window of some process: 16 bytes that may travel as a payload or a reply. `at + 8` is 8 bytes
behind `at`. It gives no right: the owner of the window checks each operation.
"""
struct GlobalPointer # tc_gptr
    window::UInt16
    generation::UInt16
    rank::UInt32
    offset::UInt64
end

Base.:+(at::GlobalPointer, bytes::Integer) = with_offset(at, at.offset + bytes % UInt64)

with_offset(at::GlobalPointer, offset::UInt64) = GlobalPointer(at.window, at.generation, at.rank, offset)

struct WindowParams # tc_window_params
    memory::Ptr{Cvoid}
    bytes::UInt64
    rights::UInt32
    peer::Ptr{Cvoid}
    group::Ptr{Cvoid}
    identity::Ptr{UInt8}
    arena_begin::UInt64
    shared::UInt32
end

const READ, WRITE, ATOMIC, ALLOCATE = UInt32(1), UInt32(2), UInt32(4), UInt32(8)
const RIGHTS = (read=READ, write=WRITE, atomic=ATOMIC, allocate=ALLOCATE)

function bits_of_rights(rights)
    bits = UInt32(0)
    for right in (rights isa Symbol ? (rights,) : rights)
        haskey(RIGHTS, right) || throw(ArgumentError("a right $(repr(right)), expected some of $(keys(RIGHTS))"))
        bits |= RIGHTS[right]
    end
    return bits
end

names_of_rights(bits::UInt32) = Tuple(name for (name, bit) in pairs(RIGHTS) if bits & bit != 0)

"""
    Window(context, values; rights, peer = nothing, group = nothing, identity = nothing, arena_begin = 0)
    Window(context, bytes; rights, ...)

Opens memory to peers: a dense array of bits, or a number of zeroed bytes of shared memory, which peers on this
host may map (`map_window`). `rights` are one or several of `:read`, `:write`, `:atomic` and `:allocate`; only
the peer of an endpoint, the members of a group, and the peers of an identity that are named have them.
`arena_begin` is the first offset that `allocate` gives out. `pointer(window)` is its beginning, for peers, which
use it while this context progresses.

The context keeps the array until the window is closed; its length must not change meanwhile.
"""
mutable struct Window <: Owned
    context::Context
    handle::Ptr{Cvoid} # number and generation
    at::GlobalPointer
    start::Ptr{UInt8}
    bytes::UInt64
    rights::UInt32 # of this process
end
kind_of(::Window) = WINDOW

function Window(context::Context, values::DenseArray{T}; options...) where {T}
    check_bits(T)
    return GC.@preserve values open_window(context, values, Ptr{UInt8}(pointer(values)), sizeof(T) * length(values);
                                           options...)
end
Window(context::Context, bytes::Integer; options...) =
    open_window(context, nothing, Ptr{UInt8}(C_NULL), bytes; options...)

function open_window(context::Context, values, start::Ptr{UInt8}, bytes::Integer; rights,
                     peer::Union{Nothing,Endpoint}=nothing, group::Union{Nothing,Group}=nothing,
                     identity::Union{Nothing,AbstractString}=nothing, arena_begin::Integer=0)
    bytes >= 0 || throw(ArgumentError("a window of $bytes bytes, expected 1 at least"))
    space, made, named = error_space(), Ref(GlobalPointer(0, 0, 0, 0)), string(something(identity, ""))
    handle_of(owned) = owned === nothing ? C_NULL : use(owned)
    GC.@preserve named begin
        Base.unsafe_convert(Cstring, named) # throws if it has a zero byte
        params = WindowParams(start, bytes, bits_of_rights(rights), handle_of(peer), handle_of(group), pointer(named),
                              arena_begin, values === nothing)
        check(ccall(@tc(tc_window_open_sized), Cint, (Ptr{Cvoid}, Ref{WindowParams}, Csize_t, Ref{GlobalPointer},
                    Ptr{UInt8}), use(context), params, sizeof(WindowParams), made, space), space)
    end
    at = made[]
    context.kept[handle_of_window(at)] = values
    memory = ccall(@tc(tc_window_memory), Ptr{UInt8}, (Ptr{Cvoid}, GlobalPointer), context.handle, at)
    return finalizer(leave, Window(context, handle_of_window(at), at, memory, bytes, READ | WRITE | ATOMIC))
end

# Not null, as no window has the generation 0.
handle_of_window(at::GlobalPointer) = Ptr{Cvoid}(UInt(at.window) << 16 | at.generation)

# Before its memory may go.
function close_window(context::Context, handle::Ptr{Cvoid})
    number = UInt(handle)
    at = GlobalPointer(number >> 16 % UInt16, number % UInt16, 0, 0)
    ccall(@tc(tc_window_close), Cint, (Ptr{Cvoid}, GlobalPointer), context.handle, at)
    delete!(context.kept, handle)
end

Base.pointer(window::Window) = (use(window); window.at)

struct CWindowView # tc_window_view
    memory::Ptr{UInt8}
    get_words::UInt64
    put_words::UInt64
    atomic_words::UInt64
    bytes::UInt64
    rights::UInt32
end

"""
    map_window(peer, at; timeout = nothing)

Maps the window of shared memory of a peer of the same user and host: a `WindowView`, whose memory `get`, `put!`,
`fetch_add!` and `compare_swap!` use without messages. It stays until it is closed, with its last bytes when the
owner has ended.
"""
mutable struct WindowView <: Owned
    context::Context
    handle::Ptr{Cvoid}
    start::Ptr{UInt8}
    bytes::UInt64
    rights::UInt32
end
kind_of(::WindowView) = WINDOW_VIEW

function map_window(peer::Peer, at::GlobalPointer; timeout=nothing)
    space, made, longest = error_space(), Ref{Ptr{CWindowView}}(C_NULL), nanoseconds(timeout)
    check(progressing() do
        ccall(@tc(tc_window_map), Cint, (Ptr{Cvoid}, GlobalPointer, UInt64, Ref{Ptr{CWindowView}}, Ptr{UInt8}),
              use(peer), at, longest, made, space)
    end, space)
    view = unsafe_load(made[])
    return finalizer(leave, WindowView(owner(peer), made[], view.memory, view.bytes, view.rights))
end

word_of(::WindowView) = "view"

# --- the memory of both ---

const Opened = Union{Window,WindowView}

Base.sizeof(opened::Opened) = Int(opened.bytes)

# The address of bytes that may be used.
function address(opened::Opened, offset::Integer, bytes::Integer, right::UInt32)
    use(opened)
    opened.rights & right == right || throw(TcError(:TC_E_INVALID,
        "a $(word_of(opened)) with the rights $(names_of_rights(opened.rights)), expected $(names_of_rights(right))"))
    0 <= offset <= opened.bytes && 0 <= bytes <= opened.bytes - offset || throw(TcError(:TC_E_INVALID,
        "$bytes bytes at offset $offset, expected them within the $(opened.bytes) of the $(word_of(opened))"))
    return opened.start + offset
end

function address_of_word(opened::Opened, offset::Integer)
    at = address(opened, offset, WORD_BYTES, ATOMIC)
    offset % WORD_BYTES == 0 ||
        throw(TcError(:TC_E_INVALID, "an atomic operation at offset $offset, expected a multiple of 8"))
    return Ptr{UInt64}(at)
end

"""
    get(T, opened, offset)
    get(Vector{T}, opened, offset, count)

Copies a value, or several, out of the memory of a `Window` of this process or of a `WindowView`. One of 8 bytes at
a multiple of 8 is seen as a whole, with all that its writer wrote before; others may be seen in part.
"""
function Base.get(::Type{T}, opened::Opened, offset::Integer) where {T}
    check_bits(T)
    at = address(opened, offset, sizeof(T), READ)
    T <: Word && is_word(at, sizeof(T)) && return load_word(Ptr{UInt64}(at)) % T
    return from_bytes(T, copy_out(Vector{UInt8}(undef, sizeof(T)), at))
end

function Base.get(::Type{T}, opened::Opened, offset::Integer, count::Integer) where {T<:Union{String,Vector}}
    bytes = bytes_to_get(T, count)
    at = address(opened, offset, bytes, READ)
    return from_bytes(T, copy_out(Vector{UInt8}(undef, bytes), at))
end

"""
    put!(opened, offset, value)

Copies a value of bits, an array of such or a string into the memory, as `get` copies it out.
"""
function Base.put!(opened::Opened, offset::Integer, value)
    with_bytes(value) do from, bytes
        copy_in(address(opened, offset, bytes, WRITE), from, bytes)
    end
    return opened
end

"""
    fetch_add!(opened, offset, value)

Adds to a word. Returns the value before: an `Int64`, or a `UInt64` if `value` is one.
"""
fetch_add!(opened::Opened, offset::Integer, value::Word) =
    add_word(address_of_word(opened, offset), value % UInt64) % word_type(value)

"""
    compare_swap!(opened, offset, expected, desired)

Replaces a word if it is `expected`. Returns the value before.
"""
compare_swap!(opened::Opened, offset::Integer, expected::Word, desired::Word) =
    swap_word(address_of_word(opened, offset), expected % UInt64, desired % UInt64) % word_type(expected, desired)
