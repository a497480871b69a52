# The types of a call as a prototype (docs/payload-layout.md), which the library compares with the function's.

const NUMBER_NAMES = Dict{Any,String}(Bool => "bool", (type => lowercase(string(type))[1:1] * string(8 * sizeof(type))
    for type in (Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64))...)

const TEXT_MAX = 511 # characters of a prototype

opaque_text(type) = string("?", sizeof(type), ":", c_alignment(type))

is_fixed_array(type) = type <: NTuple && fieldcount(type) > 0

# A number has a name, and a struct that lies as in C the text of its members. An array has no elements that are
# arrays, so a tuple there may be any.
function element_text(type, tuples)
    haskey(NUMBER_NAMES, type) && return NUMBER_NAMES[type]
    (isprimitivetype(type) || type <: NTuple || fieldcount(type) == 0 || !is_c_struct(type)) && return opaque_text(type)
    return struct_text(type, tuples)
end

struct_text(type, tuples) = string("{", join((fixed_text(member, tuples) for member in fieldtypes(type)), ","), "}")

# A tuple of one type is an array of as many, or (`tuples` is :structs) a struct.
fixed_text(type, tuples) = !is_fixed_array(type) ? element_text(type, tuples) :
    tuples === :structs ? struct_text(type, tuples) : string(element_text(fieldtype(type, 1), tuples), "[", fieldcount(type), "]")

part_text(type, tuples=:arrays) = type <: AbstractString ? "text" :
    type <: AbstractArray ? string(element_text(check_bits(eltype(type)), tuples), "[]") : fixed_text(check_bits(type), tuples)

argument_texts(type, tuples) = type == Nothing ? String[] :
    type <: Tuple ? collect(String, (part_text(part, tuples) for part in fieldtypes(type))) : [part_text(type, tuples)]

is_bytes(text) = text in ("text", "u8[]", "i8[]", "bool[]", "?1:1[]")
agree(a, b) = a == b || is_bytes(a) && is_bytes(b)

# The text of a call. Bits in a tuple are a struct, or several values: any answer.
function call_text(result, payload, tuples=:arrays)
    arguments = argument_texts(payload, tuples)
    plain = string("(", join(arguments, ","), ")->")
    result in (Nothing, Vector{UInt8}) && return plain * "*"
    result <: Tuple || return plain * part_text(result, tuples)
    several = any(varies, fieldtypes(result)) ? answers_text(fieldtypes(result), arguments, tuples) : nothing
    return something(several, plain * "*")
end

# The texts of a call, the first of which is the one that it reports. A function agrees with any of them: a tuple of one
# type may be a struct, a value alone is an array of one where a function takes that alone, and values of one type are
# the elements of an array.
function call_texts(result, payload)
    texts = [call_text(result, payload), call_text(result, payload, :structs)]
    if isbitstype(payload)
        is_array = is_fixed_array(payload)
        push!(texts, call_text(result, Vector{is_array ? fieldtype(payload, 1) : payload}))
        is_array && push!(texts, call_text(result, Tuple{payload}))
    end
    return Tuple(unique(text for text in texts if text == first(texts) || sizeof(text) <= TEXT_MAX))
end

# The text of a call with an answer of several values, or nothing: no prototype has that answer. Those behind
# the first one come back as arguments. An array is one that is changed, or its capacity is an argument; all else
# is a part of the answer alone. Arguments are taken in order, so a function that takes these and answers so agrees,
# wherever its own are marked.
function answers_text(types, arguments, tuples=:arrays)
    answers, words, next = [part_text(type, tuples) for type in types], String[], 2
    for argument in [arguments; ""]
        while next <= length(types) && !varies(types[next])
            push!(words, "out " * answers[next])
            next += 1
        end
        argument == "" && break
        is_changed = next <= length(types) && agree(argument, answers[next])
        is_capacity = !is_changed && next <= length(types) && argument == "u64"
        push!(words, is_changed ? "inout " * argument : is_capacity ? "out " * answers[next] : argument)
        next += is_changed || is_capacity
    end
    return next <= length(types) ? nothing : string("(", join(words, ","), ")->", first(answers))
end

# Constants of the compiled caller: they stay, at their addresses.
@generated prototype_texts(::Type{T}, ::P) where {T,P} = call_texts(T, P)

function compared(fn::Ifunc, text::String)
    space = error_space()
    return ccall(@tc(tc_ifunc_check_prototype), Cint, (Ptr{Cvoid}, Ptr{UInt8}, Ptr{UInt8}), use(fn), pointer(text), space), space
end

# Bytes have no types: they are a message that the caller has made.
check_prototype(::Type, ::Ifunc, ::Vector{UInt8}) = nothing

function check_prototype(::Type{T}, fn::Ifunc, payload) where {T}
    texts = prototype_texts(T, payload)
    status, space = compared(fn, first(texts))
    status == E_VERSION && any(text -> first(compared(fn, text)) == OK, Base.tail(texts)) && return
    check(status, space)
end

# A message without a payload is an array or a text without elements.
function check_prototype(::Type{T}, fn::Ifunc, ::Nothing) where {T}
    status, space = compared(fn, first(prototype_texts(T, nothing)))
    status == E_VERSION && occursin(r"^\((?!out )([^(,]*|\{[^(){}]*\})(\[\]|text)\)", something(prototype(fn), "")) && return
    check(status, space)
end

# The prototype of a function in Julia, or nothing where its message is made of a sender's arguments, a unit
# of active messages, or any bytes. Its
# answer is the one that it states; otherwise that of `reply`, which has any type.
function prototype_of_function(f)
    types = argument_types(f)
    (Tuple{types...} == RAW || takes_unit(types) || Base.invokelatest(payload_functions, f) !== nothing) && return nothing
    arguments = collect(String, map(part_text, types[1:end-1]))
    text = text_with_answer(arguments, Base.invokelatest(answer_type, f))
    return sizeof(text) <= TEXT_MAX ? text : nothing
end

function text_with_answer(arguments, answer)
    plain = string("(", join(arguments, ","), ")")
    answer === nothing && return plain * "->*"
    answer <: Tuple && any(varies, fieldtypes(answer)) || return string(plain, "->", part_text(answer))
    return something(answers_text(fieldtypes(answer), arguments), plain * "->*")
end
