# Calls: messages to functions that answer.

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
    fate::Cuint
end

# A call under way. It stays in Context.waiting, so that the reply has its memory.
mutable struct Pending
    reply::Vector{UInt8}
    id::UInt64
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

function start_call(peer::Peer, fn::Ifunc, payload, timeout, capacity)
    pending = Pending(Vector{UInt8}(undef, capacity), 0, false, OK, 0, "")
    callback = @cfunction(call_ended, Cvoid, (Ptr{Cvoid}, Ptr{CallOutcome}))
    params = Ref(CallParams(pointer(pending.reply), length(pending.reply), nanoseconds(timeout), 0, 0,
                            callback, pointer_from_objref(pending)))
    id, space, context = Ref{UInt64}(0), error_space(), owner(peer)
    context.waiting[pending] = nothing
    try
        with_bytes(payload) do bytes, size
            retry_send(context, timeout, space) do
                ccall(@tc(tc_call_start_sized), Cint,
                      (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{UInt8}, Csize_t, Ptr{CallParams}, Csize_t, Ref{UInt64},
                       Ptr{UInt8}), use(peer), use(fn), bytes, size, params, sizeof(CallParams), id,
                      space)
            end
        end
        pending.id = id[]
        return pending
    catch
        pending.id = id[]
        forget_call(context, pending)
        rethrow()
    end
end

# The reply of an interrupted call has no memory any more.
function forget_call(context::Context, pending::Pending)
    pending.ended || pending.id == 0 || context.handle == C_NULL ||
        ccall(@tc(tc_call_cancel), Cint, (Ptr{Cvoid}, UInt64), context.handle, pending.id)
    delete!(context.waiting, pending)
end

function reply_of(pending::Pending)
    pending.status == OK || throw(TcError(status_name(pending.status), pending.text))
    return resize!(pending.reply, pending.size)
end

# Calls a function at a peer, and returns what `take` makes of the reply's bytes; of a group all of these.
function replies_of(take, peer::Peer, fn::Ifunc, payload, timeout, capacity)
    pending = start_call(peer, fn, payload, timeout, capacity)
    try
        wait_until(() -> pending.ended, owner(peer), Inf)
    finally
        forget_call(owner(peer), pending)
    end
    return take(reply_of(pending))
end

function replies_of(take, group::Group, fn::Ifunc, payload, timeout, capacity)
    begun = Any[]
    try
        for rank in 0:length(group)-1
            push!(begun, try_to_start(Member(group, rank), fn, payload, timeout, capacity))
        end
        wait_until(() -> all(has_ended, begun), owner(group), Inf)
    finally
        foreach(pending -> pending isa Pending && forget_call(owner(group), pending), begun)
    end
    return [take(reply_of_rank(begun[rank+1], rank)) for rank in 0:length(begun)-1]
end

"""
    call([T,] peer, fn, payload = nothing; timeout = nothing, capacity = ...)

Sends a message and waits for its reply; other tasks run meanwhile, and may call, too. The reply is a
`T`: a type of bits, `String`, `Vector` of bits, or `Vector{UInt8}`, the default. `capacity`: bytes that
a reply of unknown size may have.
"""
function call(::Type{T}, peer::Peer, fn::Ifunc, payload=nothing; timeout=nothing,
              capacity=room_for(T)) where {T}
    check_prototype(T, fn, payload)
    return replies_of(bytes -> from_bytes(T, bytes), peer, fn, payload, timeout, capacity)
end
call(peer::Peer, fn::Ifunc, payload=nothing; kinds...) = call(Vector{UInt8}, peer, fn, payload; kinds...)

room_for(::Type{T}) where {T} = isbitstype(T) ? sizeof(T) : REPLY_BYTES

"""
    call_all([T,] group, fn, payload = nothing; timeout = nothing, capacity = ...)

Calls a function at every member, this one included, and waits for all replies, which come in the order of
the ranks. The calls are under way at the same time. If some fail, it throws the error of the lowest rank
among them, when all have ended.
"""
function call_all(::Type{T}, group::Group, fn::Ifunc, payload=nothing; timeout=nothing,
                  capacity=room_for(T)) where {T}
    check_prototype(T, fn, payload)
    return replies_of(bytes -> from_bytes(T, bytes), group, fn, payload, timeout, capacity)
end
call_all(group::Group, fn::Ifunc, payload=nothing; kinds...) =
    call_all(Vector{UInt8}, group, fn, payload; kinds...)

# A rank that cannot be called keeps no other from answering.
function try_to_start(member::Member, fn::Ifunc, payload, timeout, capacity)
    try
        return start_call(member, fn, payload, timeout, capacity)
    catch error
        error isa TcError || rethrow()
        return error
    end
end

has_ended(pending::Pending) = pending.ended
has_ended(::TcError) = true

function reply_of_rank(pending, rank::Int)
    try
        return pending isa TcError ? throw(pending) : reply_of(pending)
    catch error
        error isa TcError || rethrow()
        throw(TcError(error.status, "rank $rank: $(error.text)"))
    end
end
