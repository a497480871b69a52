# Progress that leaves the processor to other tasks: between looks a task sleeps at the context's
# descriptor, as it would at a socket, and Julia runs whatever else is ready.

"""
    progress(context)

Runs arrived messages and sends queued ones. Returns how many messages ran.
"""
function progress(context::Context)
    handle = use(context)
    if context.runner !== nothing
        context.runner === current_task() || return 0 # a function that runs here lets other tasks have a turn
        throw(TcError(:TC_E_BUSY, "a function that runs here cannot wait for what arrives here"))
    end
    context.runner = current_task()
    try
        return Int(progressing(() -> ccall(@tc(tc_progress), Cuint, (Ptr{Cvoid},), handle)))
    finally
        context.runner = nothing
        notify(context.changed)
    end
end

const LOOKS = 100 # before a task sleeps

function wait_until(done, context::Context, deadline::Float64)
    looks = 0
    while !done()
        isopen(context) || throw(TcError(:TC_E_CLOSED, "the context was closed"))
        if progress(context) > 0 || done()
            looks = 0
        elseif time() >= deadline
            return false
        elseif looks < LOOKS
            looks += 1
        elseif context.watcher !== nothing
            wait_for_other(context, deadline)
        else
            sleep_at_descriptor(context, deadline)
        end
        yield()
    end
    return true
end

const LONGEST_SLEEP = 0.5 # seconds

# Another task waits at the descriptor, and reports its progress.
function wait_for_other(context::Context, deadline::Float64)
    deadline < context.alarm.at && set_alarm(context.alarm, deadline)
    wait(context.changed)
end

function sleep_at_descriptor(context::Context, deadline::Float64)
    armed = ccall(@tc(tc_context_arm), Cint, (Ptr{Cvoid},), use(context))
    armed == E_UNSUPPORTED && return sleep(0.001) # some peer cannot wake this side
    armed == OK || return
    is_there(context.alarm) ||
        (context.alarm = Alarm(ccall(@tc(tc_context_fd), Cint, (Ptr{Cvoid},), context.handle)))
    set_alarm(context.alarm, min(deadline, time() + LONGEST_SLEEP))
    watcher = context.watcher = FDWatcher(RawFD(context.alarm.descriptor), true, false)
    try
        wait(watcher)
    catch error
        error isa EOFError || rethrow() # closed with the context
    finally
        close(watcher)
        context.watcher = nothing
        notify(context.changed)
    end
end

deadline_of(::Nothing) = Inf
deadline_of(seconds::Real) = time() + seconds

"""
    wait(context; timeout = nothing)

Makes progress until a message has run here; other tasks run meanwhile. Returns whether one has before
`timeout` seconds were over.
"""
function Base.wait(context::Context; timeout=nothing)
    before = messages_run(context)
    return wait_until(() -> messages_run(context) != before, context, deadline_of(timeout))
end

messages_run(context::Context) = ccall(@tc(tc_stats_value), UInt64, (Ptr{Cvoid}, Csize_t), use(context),
                                       messages_run_index())

const index_of_messages_run = Ref(-1)

function messages_run_index()
    if index_of_messages_run[] < 0
        count = Int(ccall(@tc(tc_stats_count), Csize_t, ()))
        names = [unsafe_string(ccall(@tc(tc_stats_name), Cstring, (Csize_t,), i)) for i in 0:count-1]
        index_of_messages_run[] = findfirst(isequal("messages_run"), names) - 1
    end
    return index_of_messages_run[]
end

"""
    serve(context; until = () -> false, timeout = nothing)

Runs messages of peers until a condition holds. Returns whether it does.
"""
serve(context::Context; until=() -> false, timeout=nothing) =
    wait_until(until, context, deadline_of(timeout))
