# Functions that can be sent, and sending and calling them.

"""
    Ifunc(context, f; name = nameof(f), deps = [], images = false)
    Ifunc(context, "NAME")
    Ifunc(context, path = "FOLDER/NAME.tca")

A function to be sent: of a Julia function, which is compiled here for every architecture, and needs the
libraries `deps` at the node, such as `"libz.so.1"`; of an archive `NAME.tca` on `TC_IFUNC_PATH`; or of the
archive at a path, whichever language it was written in.

A node compiles bitcode quickly at first, and well after 1000 calls (option `tier_calls`): a loop takes twice as
long until then. `images = true` has **tc-ar** make machine code here, as for archives of C; it costs some tenths
of a second, and nodes without LLVM run it, too.
"""
mutable struct Ifunc <: Owned
    context::Context
    handle::Ptr{Cvoid}
    Ifunc(context::Context, handle::Ptr{Cvoid}) = finalizer(leave, new(context, handle))
end
kind_of(::Ifunc) = IFUNC

struct Bitcode # tc_bitcode
    triple::Ptr{UInt8}
    bytes::Ptr{UInt8}
    size::Csize_t
end

Base.@kwdef struct Code # tc_code
    name::Cstring = C_NULL
    path::Cstring = C_NULL
    bytes::Ptr{UInt8} = C_NULL
    size::Csize_t = 0
    deps::Ptr{UInt8} = C_NULL
    deps_size::Csize_t = 0
    signature::Ptr{UInt8} = C_NULL
    signature_size::Csize_t = 0
    slices::Ptr{Bitcode} = C_NULL
    slice_count::Csize_t = 0
    id::Ptr{UInt8} = C_NULL
    prototype::Cstring = C_NULL
end

c_string(text::String) = Base.unsafe_convert(Cstring, text) # throws if it has a zero byte

# Opens code by `call`, the library's function of that kind of object. Returns the handle.
function open_code(call::Ptr{Cvoid}, context::Context, code::Code)
    space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
    check(ccall(call, Cint, (Ptr{Cvoid}, Ref{Code}, Csize_t, Csize_t, Ref{Ptr{Cvoid}}, Ptr{UInt8}), use(context),
                code, sizeof(Code), sizeof(Bitcode), made, space), space)
    return made[]
end

function open_path(call::Ptr{Cvoid}, context::Context, path::String)
    GC.@preserve path open_code(call, context, Code(path=c_string(path)))
end

function Ifunc(context::Context, f::Function; name=string(nameof(f)), deps=String[], images=false)
    images && return mktempdir(folder ->
        Ifunc(context; path=archive(f, joinpath(folder, name * ".tca"); name=name, deps=deps)))
    code, text, libraries = bitcode(f; name=name), String(name), deps_text(deps)
    types = something(prototype_of_function(f), "")
    slices = [Bitcode(pointer(triple), pointer(bytes), length(bytes)) for (triple, bytes) in code]
    return GC.@preserve code text libraries slices types Ifunc(context, open_code(@tc(tc_ifunc_open_code_sized), context,
        Code(name=c_string(text), deps=pointer(libraries), deps_size=sizeof(libraries), slices=pointer(slices),
             slice_count=length(slices), prototype=types == "" ? Cstring(C_NULL) : c_string(types))))
end

function Ifunc(context::Context, name::AbstractString)
    space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
    check(ccall(@tc(tc_ifunc_open), Cint, (Ptr{Cvoid}, Cstring, Ref{Ptr{Cvoid}}, Ptr{UInt8}),
                use(context), name, made, space), space)
    return Ifunc(context, made[])
end

Ifunc(context::Context; path::AbstractString) =
    Ifunc(context, open_path(@tc(tc_ifunc_open_code_sized), context, String(path)))

name(fn::Ifunc) = unsafe_string(ccall(@tc(tc_ifunc_name), Cstring, (Ptr{Cvoid},), use(fn)))
# The types of its arguments and of its answer, or nothing.
function prototype(fn::Ifunc)
    text = ccall(@tc(tc_ifunc_prototype), Ptr{UInt8}, (Ptr{Cvoid},), use(fn))
    return text == C_NULL ? nothing : unsafe_string(text)
end
code_size(fn::Ifunc) = Int(ccall(@tc(tc_ifunc_code_size), Csize_t, (Ptr{Cvoid},), use(fn)))

# Repeats a call while the peer has no space for it. A large payload may be partly sent then, by this
# task or by another one, which has the turn first.
function retry_send(send, context::Context, timeout, said=nothing)
    status = send()
    status == OK && return
    deadline = time() + something(timeout, DEFAULT_SECONDS)
    context.retrying += 1
    try
        while status == E_AGAIN || status == E_BUSY && context.retrying > 1
            time() < deadline || throw(TcError(:TC_E_TIMEOUT, "the peer had no room for the message"))
            progress(context)
            yield()
            status = send()
        end
    finally
        context.retrying -= 1
    end
    status == OK && return
    said === nothing || check(status, said)
    space = error_space()
    ccall(@tc(tc_send_error), Cint, (Ptr{Cvoid}, Ptr{UInt8}), use(context), space)
    check(status, space)
end

"""
    send(peer, fn, payload = nothing; timeout = nothing)

Sends one message: nothing, a string, a number, a tuple or struct of such, or an array of them. Its bytes
are copied before this returns. A large payload that was given up half way (a timeout, an interrupt) leaves an
endpoint that has to be closed.
"""
function send(peer::Peer, fn::Ifunc, payload=nothing; timeout=nothing)
    check_prototype(Nothing, fn, payload)
    with_bytes(payload) do bytes, size
        retry_send(owner(peer), timeout) do
            ccall(@tc(tc_send), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{UInt8}, Csize_t), use(peer),
                  use(fn), bytes, size)
        end
    end
    return
end

"""
    flush(peer; timeout = 30)

Waits until the peer has run all that was sent, and throws if it has refused some function. Other tasks run
meanwhile.
"""
function Base.flush(peer::Peer; timeout=DEFAULT_SECONDS)
    space, status = error_space(), E_TIMEOUT
    wait_until(owner(peer), deadline_of(timeout)) do
        status = progressing() do
            ccall(@tc(tc_ep_flush), Cint, (Ptr{Cvoid}, UInt64, Ptr{UInt8}), use(peer), 0, space)
        end
        status != E_TIMEOUT
    end
    check(status, space)
    refused = ccall(@tc(tc_ep_refusal), Cuint, (Ptr{Cvoid}, Ptr{UInt8}), use(peer), space)
    refused == 0 || throw(TcError(status_name(reinterpret(Cint, space[1:4])[1]), error_text(space)))
    return
end

"""
    prepare(peer, fn; timeout = 30)

Has the peer load a function ahead of its first message.
"""
function prepare(peer::Peer, fn::Ifunc; timeout=DEFAULT_SECONDS)
    space, longest = error_space(), nanoseconds(timeout)
    check(progressing() do
        ccall(@tc(tc_ep_prepare), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, UInt64, Ptr{UInt8}), use(peer), use(fn),
              longest, space)
    end, space)
end
