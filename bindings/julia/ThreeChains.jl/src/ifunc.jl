# Functions that can be sent, and sending and calling them.

"""
    Ifunc(context, f; name = nameof(f), deps = [])
    Ifunc(context, "NAME")
    Ifunc(context, path = "FOLDER/NAME.tca")

A function to be sent: of a Julia function, which is compiled here for every architecture, and needs the
libraries `deps` at the node, such as `"libz.so.1"`; of an archive `NAME.tca` on `TC_IFUNC_PATH`; or of the
archive at a path, whichever language it was written in.
"""
mutable struct Ifunc <: Owned
    context::Context
    handle::Ptr{Cvoid}
    Ifunc(context::Context, handle::Ptr{Cvoid}) = finalizer(leave, new(context, handle))
end
kind_of(::Ifunc) = :ifunc

struct Bitcode # tc_bitcode
    triple::Ptr{UInt8}
    bytes::Ptr{UInt8}
    size::Csize_t
end

function Ifunc(context::Context, f::Function; name=string(nameof(f)), deps=String[])
    space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
    code, libraries = bitcode(f; name=name), deps_text(deps)
    GC.@preserve code begin
        slices = [Bitcode(pointer(triple), pointer(bytes), length(bytes)) for (triple, bytes) in code]
        check(ccall(@tc(tc_ifunc_open_bitcode_sized), Cint,
                    (Ptr{Cvoid}, Cstring, Ptr{Bitcode}, Csize_t, Csize_t, Ptr{UInt8}, Csize_t,
                     Ref{Ptr{Cvoid}}, Ptr{UInt8}), use(context), name, slices, length(slices),
                    sizeof(Bitcode), libraries, sizeof(libraries), made, space), space)
    end
    return Ifunc(context, made[])
end

function Ifunc(context::Context, name::AbstractString)
    space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
    check(ccall(@tc(tc_ifunc_open), Cint, (Ptr{Cvoid}, Cstring, Ref{Ptr{Cvoid}}, Ptr{UInt8}),
                use(context), name, made, space), space)
    return Ifunc(context, made[])
end

function Ifunc(context::Context; path::AbstractString)
    space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
    check(ccall(@tc(tc_ifunc_open_file), Cint, (Ptr{Cvoid}, Cstring, Ref{Ptr{Cvoid}}, Ptr{UInt8}),
                use(context), path, made, space), space)
    return Ifunc(context, made[])
end

name(fn::Ifunc) = unsafe_string(ccall(@tc(tc_ifunc_name), Cstring, (Ptr{Cvoid},), use(fn)))
code_size(fn::Ifunc) = Int(ccall(@tc(tc_ifunc_code_size), Csize_t, (Ptr{Cvoid},), use(fn)))

const DEFAULT_SECONDS = 30.0

# Repeats a call while the peer has no room for it.
function retry_send(send, context::Context, timeout)
    deadline = time() + something(timeout, DEFAULT_SECONDS)
    space = error_space()
    while true
        status = send()
        status == OK && return
        if status != E_AGAIN
            ccall(@tc(tc_send_error), Cint, (Ptr{Cvoid}, Ptr{UInt8}), use(context), space)
            check(status, space)
        end
        time() < deadline || throw(TcError(:TC_E_TIMEOUT, "the peer had no room for the message"))
        progress(context)
        yield()
    end
end

"""
    send(endpoint, fn, payload = nothing; timeout = nothing)

Sends one message: nothing, a string, a number, a tuple or struct of such, or an array of them. Its bytes
are copied before this returns.
"""
function send(endpoint::Endpoint, fn::Ifunc, payload=nothing; timeout=nothing)
    with_bytes(payload) do bytes, size
        retry_send(owner(endpoint), timeout) do
            ccall(@tc(tc_send), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{UInt8}, Csize_t), use(endpoint),
                  use(fn), bytes, size)
        end
    end
    return
end

"""
    flush(endpoint; timeout = nothing)

Waits until the peer has run all that was sent, and throws if it has refused some function.
"""
function Base.flush(endpoint::Endpoint; timeout=nothing)
    space = error_space()
    check(ccall(@tc(tc_ep_flush), Cint, (Ptr{Cvoid}, UInt64, Ptr{UInt8}), use(endpoint),
                nanoseconds(timeout), space), space)
    refused = ccall(@tc(tc_ep_refusal), Cuint, (Ptr{Cvoid}, Ptr{UInt8}), use(endpoint), space)
    refused == 0 || throw(TcError(status_name(reinterpret(Cint, space[1:4])[1]), error_text(space)))
    return
end

"""
    prepare(endpoint, fn; timeout = nothing)

Has the peer load a function ahead of its first message.
"""
function prepare(endpoint::Endpoint, fn::Ifunc; timeout=nothing)
    space = error_space()
    check(ccall(@tc(tc_ep_prepare), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, UInt64, Ptr{UInt8}), use(endpoint),
                use(fn), nanoseconds(timeout), space), space)
end

struct CallParams # tc_call_params
    result::Ptr{Cvoid}
    result_capacity::Csize_t
    timeout_ns::UInt64
    hop_limit::UInt32
    trace::Cuint
    done::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

struct CallOutcome # tc_call_outcome
    status::Cint
    result_size::Csize_t
    hops::UInt32
    rank::UInt32
    path::Ptr{UInt32}
    path_length::Csize_t
    text::Ptr{UInt8}
end

# A call under way. It stays in Context.waiting, so that the reply has a place to go to.
mutable struct Pending
    reply::Vector{UInt8}
    ended::Bool
    status::Cint
    size::Int
    text::String
end

# Called by the library. No exception leaves it, for C has no way to let one through.
function call_ended(user::Ptr{Cvoid}, outcome::Ptr{CallOutcome})::Cvoid
    try
        pending = unsafe_pointer_to_objref(user)::Pending
        said = unsafe_load(outcome)
        pending.status = said.status
        pending.size = Int(said.result_size)
        pending.text = said.text == C_NULL ? "" : unsafe_string(said.text)
        pending.ended = true
    catch
    end
    return
end

const REPLY_BYTES = 4096

"""
    call([T,] endpoint, fn, payload = nothing; timeout = nothing, capacity = ...)

Sends a message and waits for its reply; other tasks run meanwhile, and may call, too. The reply is a
`T`: a type of bits, `String`, `Vector` of bits, or `Vector{UInt8}`, the default. `capacity`: bytes that
a reply of unknown size may have.
"""
function call(::Type{T}, endpoint::Endpoint, fn::Ifunc, payload=nothing; timeout=nothing,
              capacity=isbitstype(T) ? sizeof(T) : REPLY_BYTES) where {T}
    context = owner(endpoint)
    pending = Pending(Vector{UInt8}(undef, capacity), false, OK, 0, "")
    context.last_call += 1
    key = context.last_call
    context.waiting[key] = pending
    id = Ref{UInt64}(0)
    try
        start_call(pending, id, endpoint, fn, payload, timeout)
        wait_until(() -> pending.ended, context, Inf)
    finally
        # Interrupted: the reply may have no place to go to any more.
        pending.ended || id[] == 0 || context.handle == C_NULL ||
            ccall(@tc(tc_call_cancel), Cint, (Ptr{Cvoid}, UInt64), context.handle, id[])
        delete!(context.waiting, key)
    end
    pending.status == OK || throw(TcError(status_name(pending.status), pending.text))
    return from_bytes(T, resize!(pending.reply, pending.size))
end
call(endpoint::Endpoint, fn::Ifunc, payload=nothing; kinds...) =
    call(Vector{UInt8}, endpoint, fn, payload; kinds...)

function start_call(pending::Pending, id, endpoint::Endpoint, fn::Ifunc, payload, timeout)
    callback = @cfunction(call_ended, Cvoid, (Ptr{Cvoid}, Ptr{CallOutcome}))
    params = Ref(CallParams(pointer(pending.reply), length(pending.reply), nanoseconds(timeout), 0, 0,
                            callback, pointer_from_objref(pending)))
    space = error_space()
    with_bytes(payload) do bytes, size
        retry_send(owner(endpoint), timeout) do
            ccall(@tc(tc_call_start_sized), Cint,
                  (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{UInt8}, Csize_t, Ptr{CallParams}, Csize_t, Ref{UInt64},
                   Ptr{UInt8}), use(endpoint), use(fn), bytes, size, params, sizeof(CallParams), id,
                  space)
        end
    end
end
