# Contexts, listeners and endpoints.

"""
    Context(; options...)

The object that functions are sent from and run in. Options are those of `tc-info --options`:
`Context(wait = "block", ring_bytes = "64K")`. A context belongs to the thread that made it; tasks of
that thread may share it. `close` it, or leave it to the garbage collector.
"""
mutable struct Context
    handle::Ptr{Cvoid}
    thread::Int
    changed::Condition # a task has made progress
    watcher::Union{Nothing,FDWatcher} # with it a task waits at the descriptor
    alarm::Alarm # the event that it waits for there
    runner::Union{Nothing,Task} # in tc_progress, or in a function that runs there
    waiting::IdDict{Any,Nothing} # calls and chains under way, and where their results go
    retrying::Int # tasks with a message that the peer has no space for yet
    left::NoteList # handles that the garbage collector found; closed by the next call
    kept::Dict{Any,Any} # the data that arriving functions and windows have the address of
end

const left_contexts = NoteList()
const live_contexts = WeakRef[] # for the end of the process
const live_lock = ReentrantLock()
# `kept` and `waiting` of each context, by its handle: the library has addresses in them until it has destroyed the
# context, which is later than the garbage collector finds the object.
const held_for = Dict{Ptr{Cvoid},Any}()

function Context(; options...)
    space = error_space()
    given = Ref{Ptr{Cvoid}}(C_NULL)
    made = Ref{Ptr{Cvoid}}(C_NULL)
    destroy_left_contexts()
    check(ccall(@tc(tc_options_create), Cint, (Ref{Ptr{Cvoid}}, Ptr{UInt8}), given, space), space)
    try
        for (name, value) in options
            check(ccall(@tc(tc_options_set), Cint, (Ptr{Cvoid}, Cstring, Cstring, Ptr{UInt8}), given[],
                        String(name), string(value), space), space)
        end
        check(ccall(@tc(tc_context_create_for), Cint, (Cuint, Ptr{Cvoid}, Ref{Ptr{Cvoid}}, Ptr{UInt8}),
                    HEADER_VERSION, given[], made, space), space)
    finally
        ccall(@tc(tc_options_destroy), Cvoid, (Ptr{Cvoid},), given[])
    end
    let_interrupts_end_calls(made[])
    context = Context(made[], Threads.threadid(), Condition(), nothing, Alarm(), nothing, IdDict(), 0, NoteList(), Dict())
    lock(live_lock) do
        filter!(live -> live.value !== nothing, live_contexts)
        push!(live_contexts, WeakRef(context))
        held_for[context.handle] = (context.kept, context.waiting)
    end
    return finalizer(leave, context)
end

# Calls that block ask whether an interrupt waits for their end. Interrupts are the first thread's.
interrupted(::Ptr{Cvoid})::Cint =
    Threads.threadid() == 1 && unsafe_load(cglobal(:jl_signal_pending, Cint)) != 0

function let_interrupts_end_calls(context::Ptr{Cvoid})
    set = dlsym(open_library(), :tc_context_set_interrupt; throw_error=false) # older libraries do not have it
    set === nothing || ccall(set, Cvoid, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context,
                             @cfunction(interrupted, Cint, (Ptr{Cvoid},)), C_NULL)
end

# A finalizer runs anywhere, in any thread, inside a call of this very context too: it only takes a note.
function leave(context::Context)
    context.handle == C_NULL || note!(left_contexts, CONTEXT, context.handle)
    context.handle = C_NULL
    close(context.alarm)
    drop_notes(context.left)
end

destroy_left_contexts() =
    take_notes(left_contexts) do _, handle
        end_held(handle) do
            progressing(() -> ccall(@tc(tc_context_destroy), Cvoid, (Ptr{Cvoid},), handle))
        end
    end

# Destroys a context, and then drops the data that are held for it. By then another context may have the same handle.
function end_held(destroy, handle::Ptr{Cvoid})
    held = lock(() -> get(held_for, handle, nothing), live_lock)
    result = GC.@preserve held destroy()
    lock(() -> get(held_for, handle, nothing) === held && delete!(held_for, handle), live_lock)
    return result
end

# At the end of the process: peers are notified, and queued messages are sent. Other threads' contexts end
# with them.
function close_live_contexts()
    for live in live_contexts
        context = live.value
        context isa Context && isopen(context) && context.thread == Threads.threadid() && close(context)
    end
    destroy_left_contexts()
end

# The handle for a call into the library.
function use(context::Context)
    context.handle == C_NULL && throw(TcError(:TC_E_CLOSED, "the context is closed"))
    Threads.threadid() == context.thread || throw(TcError(:TC_E_INVALID,
        "thread $(Threads.threadid()) uses a context of thread $(context.thread)"))
    isempty(context.left) || take_notes((kind, handle) -> close_handle(context, kind, handle), context.left)
    return context.handle
end

function close_handle(context::Context, kind::Int, handle::Ptr{Cvoid})
    progressing() do
        if kind == ENDPOINT
            ccall(@tc(tc_ep_close), Cvoid, (Ptr{Cvoid},), handle)
        elseif kind == LISTENER
            ccall(@tc(tc_listener_close), Cvoid, (Ptr{Cvoid},), handle)
        elseif kind == IFUNC
            ccall(@tc(tc_ifunc_close), Cvoid, (Ptr{Cvoid},), handle)
        elseif kind == GROUP
            ccall(@tc(tc_group_destroy), Cvoid, (Ptr{Cvoid},), handle)
        elseif kind == LIBRARY
            ccall(@tc(tc_library_close), Cvoid, (Ptr{Cvoid},), handle)
        elseif kind == WINDOW
            close_window(context, handle)
        elseif kind == WINDOW_VIEW
            ccall(@tc(tc_window_unmap), Cint, (Ptr{Cvoid}, Ptr{Cvoid}), context.handle, handle)
        end
    end
end

function Base.close(context::Context)
    context.handle == C_NULL || end_with(handle ->
        ccall(@tc(tc_context_destroy), Cvoid, (Ptr{Cvoid},), handle), context)
    return
end

# Has `destroy` free the context, and returns its result.
function end_with(destroy, context::Context)
    handle = use(context)
    context.handle = C_NULL
    # The task at the descriptor leaves it before it is another file's.
    context.watcher === nothing || close(context.watcher)
    close(context.alarm)
    result = end_held(() -> progressing(() -> destroy(handle)), handle)
    notify(context.changed)
    return result
end

"""
    finish(endpoint; timeout = nothing)
    finish(context; timeout = nothing)

Closes when the peer, or each peer of a context, has run all that was sent, or when the time is over; `nothing`:
the option `close_timeout`. Throws if messages may not have run: the text has their number. Other tasks wait
meanwhile.
"""
function finish(context::Context; timeout=nothing)
    space, longest = error_space(), nanoseconds(timeout)
    check(end_with(handle -> ccall(@tc(tc_context_finish), Cint, (Ptr{Cvoid}, UInt64, Ptr{UInt64}, Ptr{UInt8}),
                                   handle, longest, C_NULL, space), context), space)
end

Base.isopen(context::Context) = context.handle != C_NULL

function with(f, context::Context)
    try
        return f(context)
    finally
        close(context)
    end
end
Context(f::Function; options...) = with(f, Context(; options...))

# An object of a context: closed by `close`, or after the garbage collector has found it.
abstract type Owned end

owner(owned::Owned) = owned.context
word_of(owned::Owned) = lowercase(string(nameof(typeof(owned))))

function use(owned::Owned)
    use(owned.context)
    owned.handle == C_NULL && throw(TcError(:TC_E_CLOSED, "this $(word_of(owned)) is closed"))
    return owned.handle
end

function Base.close(owned::Owned)
    owned.handle == C_NULL && return
    handle, owned.handle = owned.handle, C_NULL
    isopen(owned.context) || return
    use(owned.context)
    close_handle(owned.context, kind_of(owned), handle)
end

Base.isopen(owned::Owned) = owned.handle != C_NULL && isopen(owned.context)

function leave(owned::Owned)
    owned.handle == C_NULL || owned.context.handle == C_NULL ||
        note!(owned.context.left, kind_of(owned), owned.handle)
    owned.handle = C_NULL
end

"""
    Listener(context, "HOST:PORT")

Accepts peers. Their functions run here while the context makes progress: in `wait`, `serve`, `call`.
Port 0 is any; `port(listener)` returns it.
"""
mutable struct Listener <: Owned
    context::Context
    handle::Ptr{Cvoid}
    function Listener(context::Context, host_port::AbstractString)
        space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
        check(ccall(@tc(tc_listener_open), Cint, (Ptr{Cvoid}, Cstring, Ref{Ptr{Cvoid}}, Ptr{UInt8}),
                    use(context), host_port, made, space), space)
        return finalizer(leave, new(context, made[]))
    end
end
kind_of(::Listener) = LISTENER

port(listener::Listener) = Int(ccall(@tc(tc_listener_port), UInt16, (Ptr{Cvoid},), use(listener)))

"""
    Endpoint(context, "HOST:PORT"; timeout = nothing)

An ordered connection to one peer. `timeout` is in seconds, here and in all other calls.
"""
mutable struct Endpoint <: Owned
    context::Context
    handle::Ptr{Cvoid}
    function Endpoint(context::Context, host_port::AbstractString; timeout=nothing)
        space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
        longest = nanoseconds(timeout)
        check(progressing() do
            ccall(@tc(tc_ep_connect), Cint, (Ptr{Cvoid}, Cstring, UInt64, Ref{Ptr{Cvoid}}, Ptr{UInt8}),
                  use(context), host_port, longest, made, space)
        end, space)
        return finalizer(leave, new(context, made[]))
    end
end
kind_of(::Endpoint) = ENDPOINT

function finish(endpoint::Endpoint; timeout=nothing)
    handle, space, longest = use(endpoint), error_space(), nanoseconds(timeout)
    endpoint.handle = C_NULL
    status = progressing() do
        ccall(@tc(tc_ep_finish), Cint, (Ptr{Cvoid}, UInt64, Ptr{UInt64}, Ptr{UInt8}), handle, longest, C_NULL, space)
    end
    status == E_BUSY && (endpoint.handle = handle)
    check(status, space)
end

"""
    publish(context, name, values)

Gives functions that run here `values`, a dense array of bits, by a name (`published` in a function). Its
length must not change afterwards: `push!` would move it.
"""
function publish(context::Context, name::AbstractString, values::DenseArray{T}) where {T}
    check_bits(T)
    space = error_space()
    check(ccall(@tc(tc_context_publish), Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}, Csize_t, Ptr{UInt8}),
                use(context), name, pointer(values), sizeof(values), space), space)
    context.kept[String(name)] = values
    return values
end

"""
    target_args!(context, values)

Gives functions that run here the address of `values` as their last argument. The length of an array must not
change afterwards.
"""
function target_args!(context::Context, values::Union{DenseArray,Base.RefValue})
    check_bits(eltype(values))
    address = values isa DenseArray ? Ptr{Cvoid}(pointer(values)) :
              Ptr{Cvoid}(Base.unsafe_convert(Ptr{eltype(values)}, values))
    ccall(@tc(tc_context_set_target_args), Cvoid, (Ptr{Cvoid}, Ptr{Cvoid}), use(context), address)
    context.kept["\0target_args"] = values
    return values
end

"""
    stats(context)

The counters of a context by their names.
"""
function stats(context::Context)
    count = Int(ccall(@tc(tc_stats_count), Csize_t, ()))
    return Dict(unsafe_string(ccall(@tc(tc_stats_name), Cstring, (Csize_t,), i)) =>
                    ccall(@tc(tc_stats_value), UInt64, (Ptr{Cvoid}, Csize_t), use(context), i)
                for i in 0:count-1)
end
