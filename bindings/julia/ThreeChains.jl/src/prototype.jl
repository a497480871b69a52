# The types of a call as a prototype (docs/payload-layout.md), which the library compares with the function's.

const NUMBER_NAMES = Dict{Any,String}(Bool => "bool", (type => lowercase(string(type))[1:1] * string(8 * sizeof(type))
    for type in (Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64))...)

opaque_text(type) = string("?", sizeof(type), ":", c_alignment(type))

# A number has a name, and a struct that lies as in C the text of its members; a tuple of one type may be an array, too.
function element_text(type)
    haskey(NUMBER_NAMES, type) && return NUMBER_NAMES[type]
    (isprimitivetype(type) || type <: NTuple || fieldcount(type) == 0 || !is_c_struct(type)) && return opaque_text(type)
    return string("{", join(map(element_text, fieldtypes(type)), ","), "}")
end

part_text(type) = type <: AbstractString ? "text" :
    type <: AbstractArray ? string(element_text(check_bits(eltype(type))), "[]") : element_text(check_bits(type))

argument_texts(type) = type == Nothing ? String[] : type <: Tuple ? collect(String, map(part_text, fieldtypes(type))) : [part_text(type)]

is_bytes(text) = text in ("text", "u8[]", "i8[]", "bool[]", "?1:1[]")
agree(a, b) = a == b || is_bytes(a) && is_bytes(b)

# The text of a call. Bits in a tuple are a struct, or several values: any answer.
function call_text(result, payload)
    arguments = argument_texts(payload)
    plain = string("(", join(arguments, ","), ")->")
    result in (Nothing, Vector{UInt8}) && return plain * "*"
    result <: Tuple || return plain * part_text(result)
    return something(any(varies, fieldtypes(result)) ? answers_text(fieldtypes(result), arguments) : nothing, plain * "*")
end

# The text of a call with an answer of several values, or nothing: no prototype has that answer. Those behind
# the first one come back as arguments. An array is one that is changed, or its capacity is an argument; all else
# is a part of the answer alone. Arguments are taken in order, so a function that takes these and answers so agrees,
# wherever its own are marked.
function answers_text(types, arguments)
    answers, words, next = map(part_text, types), String[], 2
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
@generated prototype_text(::Type{T}, ::P) where {T,P} = call_text(T, P)
@generated prototype_text_as_array(::Type{T}, ::P) where {T,P} = call_text(T, Vector{P <: NTuple && fieldcount(P) > 0 ? fieldtype(P, 1) : P})

function compared(fn::Ifunc, text::String)
    space = error_space()
    return ccall(@tc(tc_ifunc_check_prototype), Cint, (Ptr{Cvoid}, Ptr{UInt8}, Ptr{UInt8}), use(fn), pointer(text), space), space
end

# Bytes have no types: they are a message that the caller has made.
check_prototype(::Type, ::Ifunc, ::Vector{UInt8}) = nothing

# A value alone is an array of one where a function takes that alone, and values of one type are one of several.
function check_prototype(::Type{T}, fn::Ifunc, payload::P) where {T,P}
    status, space = compared(fn, prototype_text(T, payload))
    status == E_VERSION && isbitstype(P) && first(compared(fn, prototype_text_as_array(T, payload))) == OK && return
    check(status, space)
end

# A message without a payload is an array or a text without elements.
function check_prototype(::Type{T}, fn::Ifunc, ::Nothing) where {T}
    status, space = compared(fn, prototype_text(T, nothing))
    status == E_VERSION && occursin(r"^\((?!out )([^(,]*|\{[^(){}]*\})(\[\]|text)\)", something(prototype(fn), "")) && return
    check(status, space)
end

# The prototype of a function in Julia, or nothing where its message is made of a sender's arguments, or is any bytes. Its
# answer is the one that it states; otherwise that of `reply`, which has any type.
function prototype_of_function(f)
    types = argument_types(f)
    (Tuple{types...} == RAW || Base.invokelatest(payload_functions, f) !== nothing) && return nothing
    arguments = collect(String, map(part_text, types[1:end-1]))
    text = text_with_answer(arguments, Base.invokelatest(answer_type, f))
    return sizeof(text) <= 511 ? text : nothing
end

function text_with_answer(arguments, answer)
    plain = string("(", join(arguments, ","), ")")
    answer === nothing && return plain * "->*"
    answer <: Tuple && any(varies, fieldtypes(answer)) || return string(plain, "->", part_text(answer))
    return something(answers_text(fieldtypes(answer), arguments), plain * "->*")
end
