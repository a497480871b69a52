# What the callers that `tc-clang --stubs` makes of a C header (docs/stubs.md) are made of. The header has the types, so
# values are converted to them, and each call compares the header's prototype with the function's. A peer has chosen the
# bytes of an answer, which is taken only if it has the sizes that the call asks for.

"""
    RemoteFunction{M,A}(name, prototype, exact)

A function of a C header. `M`: the types of the message's values, in order: a type of bits, `Fixed{T,N}`, `Vector{T}` or
`String`. `A`: those of its answer. `exact`: for each `Vector` of the answer whether it has as many elements as the call
gives; otherwise it has at most as many.
"""
struct RemoteFunction{M<:Tuple,A<:Tuple}
    name::String
    prototype::String
    exact::Vector{Bool}
end

# Values as the header has them. Numbers that do not fit throw InexactError.
value_as(::Type{T}, value::T) where {T} = value
value_as(::Type{T}, value) where {T} = value isa Tuple ? struct_of(T, value) : convert(T, value)
value_as(::Type{String}, text::String) = text
value_as(::Type{String}, text) = String(text)
value_as(::Type{Vector{T}}, values::Vector{T}) where {T} = values
value_as(::Type{Vector{T}}, values) where {T} = T[value_as(T, value) for value in values]
value_as(::Type{NTuple{N,T}}, values::NTuple{N,T}) where {N,T} = values
value_as(::Type{NTuple{N,T}}, values) where {N,T} = (check_length(values, N); Tuple(value_as(Vector{T}, values)))
value_as(::Type{Fixed{T,N}}, values) where {T,N} = (check_length(values, N); Fixed{T,N}(value_as(Vector{T}, values)))

function struct_of(::Type{T}, members) where {T}
    check_length(members, fieldcount(T))
    return T(map(value_as, fieldtypes(T), members)...)
end

check_length(values, expected) = length(values) == expected ||
    throw(ArgumentError("$(length(values)) values, expected $expected"))

"""
    check_counts(name, bits, arrays)

Throws ArgumentError unless arrays (a named tuple) have as many elements as the first one, a number of so many bits.
"""
function check_counts(name, bits, arrays)
    first_one, count = first(keys(arrays)), length(first(arrays))
    for (array, values) in pairs(arrays)
        length(values) == count || throw(ArgumentError(string(name, ": the number of elements of '", array, "' is ",
            length(values), ", expected that of '", first_one, "', ", count)))
    end
    bits < 64 && count >> bits != 0 && throw(ArgumentError(string(name, ": the number of elements of '", first_one,
        "' is ", count, ", expected at most ", 1 << bits - 1)))
    return
end

# Opens a function by its name; throws TcError if its prototype is another one.
function open_remote(context::Context, remote::RemoteFunction)
    fn = Ifunc(context, remote.name)
    check(compared(fn, remote.prototype)...)
    return fn
end

# The bytes of the largest answer for so many elements.
function largest_answer(::RemoteFunction{M,A}, counts) where {M,A}
    types, left = fieldtypes(A), collect(Int, counts)
    return last(message_layout(types, map(type -> varies(type) ? popfirst!(left) : 0, types)))
end

function answer_of(remote::RemoteFunction{M,A}, bytes::Vector{UInt8}, counts) where {M,A}
    values = try
        values_from(fieldtypes(A), bytes)
    catch error
        error isa ArgumentError ? throw(ArgumentError(string(remote.name, ": ", error.msg))) : rethrow()
    end
    arrays = [length(value) for (type, value) in zip(fieldtypes(A), values) if varies(type)]
    for (found, exact, count) in zip(arrays, remote.exact, counts)
        (exact ? found == count : found <= count) || throw(ArgumentError(string(remote.name,
            ": the reply has an array of ", found, " elements, expected ", exact ? "" : "at most ", count)))
    end
    return length(values) == 0 ? nothing : length(values) == 1 ? values[1] : values
end

"""
    call_remote(remote, peer, fn, values, counts; timeout = nothing, capacity = ...)
    call_remote(remote, group, fn, values, counts; timeout = nothing, capacity = ...)

Calls a function at a peer, and returns its answer: nothing, a value, or a tuple of several; or at every member of a
group, and returns those of all ranks. `counts`: the numbers of elements of the answer's arrays, in order. `capacity`:
bytes that an answer may have; fewer than the largest one has.
"""
function call_remote(remote::RemoteFunction{M}, peer::Union{Peer,Group}, fn::Ifunc, values::Tuple, counts::Tuple; timeout=nothing,
                     capacity=largest_answer(remote, counts)) where {M}
    check(compared(fn, remote.prototype)...)
    message = isempty(values) ? nothing : map(value_as, fieldtypes(M), values)
    return replies_of(bytes -> answer_of(remote, bytes, counts), peer, fn, message, timeout, capacity)
end
