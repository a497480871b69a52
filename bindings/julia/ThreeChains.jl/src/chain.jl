# Operations in windows of peers: single ones, and chains of up to sixteen in one message.

const WINDOW_GET, WINDOW_PUT, WINDOW_FETCH_ADD, WINDOW_COMPARE_SWAP = UInt32(1), UInt32(2), UInt32(3), UInt32(4)
const WINDOW_MASKED_COMPARE_SWAP, WINDOW_ALLOCATE_BYTES = UInt32(5), UInt32(6)
const WINDOW_CONDITIONS = (always=UInt32(0), succeeded=UInt32(1), failed=UInt32(2))
const WINDOW_BYTES_MAX = 512 << 10

struct WindowStep # tc_window_step
    operation::UInt32
    condition::UInt32
    base::UInt32
    at::GlobalPointer
    size::UInt64
    source::Ptr{UInt8}
    result::Ptr{UInt8}
    operand::UInt64
    expected::UInt64
    expected_mask::UInt64
    operand_mask::UInt64
end

struct WindowStartParams # tc_window_start_params
    timeout_ns::UInt64
    done::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# A step as it was recorded: its fields, the bytes that it puts, those of its result, and how these are read.
struct Step
    fields::WindowStep
    source::Vector{UInt8}
    bytes::Int
    read::Any
end

"The operations of a chain: the argument of the function that `chain` calls."
struct Steps
    list::Vector{Step}
    Steps() = new(Step[])
end

# A chain under way. It stays in Context.waiting until it has ended, so that its results have their memory, also
# when its task was interrupted.
mutable struct PendingSteps
    results::Vector{UInt8}
    waiting::IdDict{Any,Nothing}
    ended::Bool
    status::Cint
    succeeded::UInt32
    text::String
end

# Called by the library, as `call_ended`.
function chain_ended(user::Ptr{Cvoid}, status::Cint, succeeded::UInt32, text::Ptr{UInt8})::Cvoid
    try
        pending = unsafe_pointer_to_objref(user)::PendingSteps
        pending.status = status
        pending.succeeded = succeeded
        pending.text = text == C_NULL ? "" : unsafe_string(text)
        pending.ended = true
        delete!(pending.waiting, pending)
    catch
    end
    return
end

function fields_with(step::Step, start::Ptr{UInt8})
    fields = step.fields
    return WindowStep(fields.operation, fields.condition, fields.base, fields.at, fields.size,
                      isempty(step.source) ? C_NULL : pointer(step.source), step.bytes == 0 ? C_NULL : start,
                      fields.operand, fields.expected, fields.expected_mask, fields.operand_mask)
end

# The steps as C has them, with results one behind the other.
function fields_of(list::Vector{Step}, results::Vector{UInt8})
    ends = cumsum(Int[step.bytes for step in list])
    return WindowStep[fields_with(step, pointer(results) + last - step.bytes) for (step, last) in zip(list, ends)]
end

function start_chain(peer::Peer, steps::Steps, timeout)
    context, space = owner(peer), error_space()
    wanted = sum(Int[step.bytes for step in steps.list])
    check_wanted(wanted)
    pending = PendingSteps(Vector{UInt8}(undef, wanted), context.waiting, false, OK, 0, "")
    fields = fields_of(steps.list, pending.results)
    callback = @cfunction(chain_ended, Cvoid, (Ptr{Cvoid}, Cint, UInt32, Ptr{UInt8}))
    params = Ref(WindowStartParams(nanoseconds(timeout), callback, pointer_from_objref(pending)))
    begun = false
    context.waiting[pending] = nothing
    try
        GC.@preserve steps pending retry_send(context, timeout, space) do
            progressing() do # so that no interrupt strikes before `begun` is set
                status = ccall(@tc(tc_window_chain_start_sized), Cint, (Ptr{Cvoid}, Ptr{WindowStep}, Csize_t, Csize_t,
                               Ptr{WindowStartParams}, Csize_t, Ptr{UInt8}), use(peer), fields, sizeof(WindowStep),
                               length(fields), params, sizeof(WindowStartParams), space)
                begun = status == OK
                return status
            end
        end
    finally
        begun || delete!(context.waiting, pending)
    end
    return pending
end

"""
    Outcome

The results of a chain: `outcome[n]` is that of step n, from 1 on, or `nothing` if it was not done or is a put;
`outcome.done[n]` is whether its condition has held, and `outcome.succeeded[n]` whether it is done and, where it
compares, has swapped.
"""
struct Outcome
    results::Vector{Any}
    done::Vector{Bool}
    succeeded::Vector{Bool}
end

Base.getindex(outcome::Outcome, step::Integer) = outcome.results[step]
Base.length(outcome::Outcome) = length(outcome.results)

function is_done(step::Step, before::Bool)
    condition = step.fields.condition
    return condition == WINDOW_CONDITIONS.always || before == (condition == WINDOW_CONDITIONS.succeeded)
end

function Outcome(list::Vector{Step}, pending::PendingSteps)
    outcome, begun = Outcome(Any[], Bool[], Bool[]), 1
    for (number, step) in enumerate(list)
        push!(outcome.done, is_done(step, number > 1 && outcome.succeeded[number-1]))
        push!(outcome.succeeded, pending.succeeded >> (number - 1) & 1 == 1)
        bytes = pending.results[begun:begun+step.bytes-1]
        push!(outcome.results, outcome.done[number] ? step.read(bytes) : nothing)
        begun += step.bytes
    end
    return outcome
end

function run_chain(peer::Peer, steps::Steps, timeout)
    pending = start_chain(peer, steps, timeout)
    wait_until(() -> pending.ended, owner(peer), Inf)
    pending.status == OK || throw(TcError(status_name(pending.status), pending.text))
    return Outcome(steps.list, pending)
end

"""
    chain(f, peer; timeout = nothing)

Sends the operations that `f` records as one message and waits until the owner of the windows has run them in one
go; other tasks run meanwhile. `f` has the chain as its argument, for `get`, `put!`, `fetch_add!`,
`compare_swap!`, `masked_compare_swap!`, `get_indirect` and `allocate` instead of a peer; each returns the number of
its step. `when = :succeeded` has a step done only if the one before has succeeded, `when = :failed` only if it has
not, and `base = n` adds the result of step n to its offset. Returns an `Outcome`.

    outcome = chain(peer) do steps
        taken = compare_swap!(steps, at, 64, 0)
        get(Float64, steps, at + 0; base = taken, when = :succeeded)
    end
"""
function chain(f, peer::Peer; timeout=nothing)
    steps = Steps()
    f(steps)
    return run_chain(peer, steps, timeout)
end

# --- steps ---

function check_wanted(bytes::Integer)
    bytes <= WINDOW_BYTES_MAX || throw(TcError(:TC_E_TOO_LARGE,
        "a chain that gets $bytes bytes, expected $WINDOW_BYTES_MAX at most"))
end

# Adds a step, and returns its number. `read` makes the step's result of its bytes.
function record(read, steps::Steps, operation::UInt32, at::GlobalPointer, size::Integer; bytes=WORD_BYTES,
                source=UInt8[], operand=0, expected=0, expected_mask=0, operand_mask=0, base::Integer=0,
                when::Symbol=:always)
    haskey(WINDOW_CONDITIONS, when) ||
        throw(ArgumentError("a condition $(repr(when)), expected one of $(keys(WINDOW_CONDITIONS))"))
    0 <= base <= typemax(UInt32) || throw(ArgumentError("step $base as base, expected the number of an earlier one"))
    check_wanted(bytes)
    fields = WindowStep(operation, WINDOW_CONDITIONS[when], base, at, size, C_NULL, C_NULL, operand % UInt64,
                        expected % UInt64, expected_mask % UInt64, operand_mask % UInt64)
    push!(steps.list, Step(fields, source, bytes, read))
    return length(steps.list)
end

# An operation of a peer's is a chain of its own, and the answer the result of its last step.
function single(f, peer::Peer, timeout)
    steps = Steps()
    number = f(steps)
    return run_chain(peer, steps, timeout)[number]
end

function bytes_to_get(::Type{T}, count::Integer) where {T<:Union{String,Vector}}
    size = T === String ? 1 : sizeof(check_bits(eltype(T)))
    0 <= count || throw(ArgumentError("$count values to get, expected a number of them"))
    count <= typemax(Int) ÷ size || throw(TcError(:TC_E_TOO_LARGE, "$count values of $size bytes to get"))
    return Int(count) * size
end

"""
    get(T, peer, at; timeout = nothing)
    get(Vector{T}, peer, at, count; timeout = nothing)
    get(String, peer, at, bytes; timeout = nothing)

Gets a value of bits, several, or a text from a window of a peer's; `at` is a `GlobalPointer`. Other tasks run
meanwhile.
"""
function Base.get(::Type{T}, steps::Steps, at::GlobalPointer; conditions...) where {T}
    check_bits(T)
    return record(bytes -> from_bytes(T, bytes), steps, WINDOW_GET, at, sizeof(T); bytes=sizeof(T), conditions...)
end

function Base.get(::Type{T}, steps::Steps, at::GlobalPointer, count::Integer;
                  conditions...) where {T<:Union{String,Vector}}
    size = bytes_to_get(T, count)
    return record(bytes -> from_bytes(T, bytes), steps, WINDOW_GET, at, size; bytes=size, conditions...)
end

Base.get(::Type{T}, peer::Peer, at::GlobalPointer, count::Integer...; timeout=nothing) where {T} =
    single(steps -> get(T, steps, at, count...), peer, timeout)

"""
    put!(peer, at, value; timeout = nothing)

Puts a value of bits, an array of such or a string into a window of a peer's. Its bytes are copied.
"""
function Base.put!(steps::Steps, at::GlobalPointer, value; conditions...)
    source = with_bytes((from, bytes) -> copy_plain(Vector{UInt8}(undef, bytes), from), value)
    return record(_ -> nothing, steps, WINDOW_PUT, at, length(source); bytes=0, source=source, conditions...)
end

Base.put!(peer::Peer, at::GlobalPointer, value; timeout=nothing) =
    single(steps -> put!(steps, at, value), peer, timeout)

function as_word(operands::Word...)
    type = word_type(operands...)
    return bytes -> from_bytes(type, bytes)
end

"""
    fetch_add!(peer, at, value; timeout = nothing)

Adds to a word in a window of a peer's. Returns the value before: an `Int64`, or a `UInt64` if `value` is one.
"""
fetch_add!(steps::Steps, at::GlobalPointer, value::Word; conditions...) =
    record(as_word(value), steps, WINDOW_FETCH_ADD, at, WORD_BYTES; operand=value, conditions...)

fetch_add!(peer::Peer, at::GlobalPointer, value::Word; timeout=nothing) =
    single(steps -> fetch_add!(steps, at, value), peer, timeout)

"""
    compare_swap!(peer, at, expected, desired; timeout = nothing)

Replaces a word in a window of a peer's if it is `expected`. Returns the value before, which is `expected` if it
has swapped.
"""
compare_swap!(steps::Steps, at::GlobalPointer, expected::Word, desired::Word; conditions...) =
    record(as_word(expected, desired), steps, WINDOW_COMPARE_SWAP, at, WORD_BYTES; expected=expected,
           operand=desired, conditions...)

compare_swap!(peer::Peer, at::GlobalPointer, expected::Word, desired::Word; timeout=nothing) =
    single(steps -> compare_swap!(steps, at, expected, desired), peer, timeout)

"""
    masked_compare_swap!(peer, at, expected, expected_mask, desired, desired_mask; timeout = nothing)

Replaces the bits of `desired_mask` if those of `expected_mask` are as expected. Returns the value before.
"""
masked_compare_swap!(steps::Steps, at::GlobalPointer, expected::Word, expected_mask::Word, desired::Word,
                     desired_mask::Word; conditions...) =
    record(as_word(expected, desired), steps, WINDOW_MASKED_COMPARE_SWAP, at, WORD_BYTES; expected=expected,
           operand=desired, expected_mask=expected_mask, operand_mask=desired_mask, conditions...)

masked_compare_swap!(peer::Peer, at::GlobalPointer, operands::Vararg{Word,4}; timeout=nothing) =
    single(steps -> masked_compare_swap!(steps, at, operands...), peer, timeout)

"""
    get_indirect(T, peer, at; skip = 0, timeout = nothing)
    get_indirect(Vector{T}, peer, at, count; skip = 0, timeout = nothing)

Gets by way of an offset: the word at `at` is an offset in the same window, and the value is got from `skip` bytes
behind it. In a chain it is two steps, and returns the number of the second one.
"""
function get_indirect(::Type{T}, steps::Steps, at::GlobalPointer, count::Integer...; skip::Integer=0,
                      conditions...) where {T}
    word = get(UInt64, steps, at; conditions...)
    return get(T, steps, with_offset(at, UInt64(skip)), count...; base=word, when=:succeeded)
end

get_indirect(::Type{T}, peer::Peer, at::GlobalPointer, count::Integer...; skip::Integer=0,
             timeout=nothing) where {T} =
    single(steps -> get_indirect(T, steps, at, count...; skip=skip), peer, timeout)

"""
    allocate(peer, arena, bytes; timeout = nothing)

Allocates bytes in a window with the right `:allocate`, at a multiple of 16: the result is a `GlobalPointer`. Only
the end of the window frees them.
"""
allocate(steps::Steps, arena::GlobalPointer, bytes::Integer; conditions...) =
    record(offset -> with_offset(arena, from_bytes(UInt64, offset)), steps, WINDOW_ALLOCATE_BYTES,
           with_offset(arena, UInt64(0)), bytes; conditions...)

allocate(peer::Peer, arena::GlobalPointer, bytes::Integer; timeout=nothing) =
    single(steps -> allocate(steps, arena, bytes), peer, timeout)
