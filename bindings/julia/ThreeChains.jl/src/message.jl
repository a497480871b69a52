# The values of a message, as a function takes them, and the memory of an answer of several values. Both lie as
# message_layout has it: a C struct, in which each varying value but the last one has its number of elements, and
# then the elements. A peer has chosen the numbers.

no_fit(text) = CText(Tuple(vcat(codeunits(text), 0x00)))

# The parameters of a function, or nothing when the payload does not fit. Anybody may have sent it.
@generated function parameters_of(::Type{P}, payload::Ptr{UInt8}, size::UInt64) where {P<:Tuple}
    types = collect(Any, fieldtypes(P))
    views = findall(type -> type <: View, types)
    offsets, head = fixed_layout(types)
    length(views) <= 1 && return parameters_with_one(types, offsets, head)
    steps = Any[:(last = $(UInt64(head)))]
    for i in views
        element, alignment = UInt64(sizeof(eltype(types[i]))), UInt64(c_alignment(eltype(types[i])))
        start, count = Symbol(:start, i), Symbol(:count, i)
        push!(steps, :($start = (last + $(alignment - 1)) & $(~(alignment - 1))),
              :($start <= size || (refuse_payload(size, $(no_fit("payload of %zu bytes, which end in front of parameter $i"))); return nothing)),
              :($count = (size - $start) ÷ $element))
        push!(steps, i == views[end] ?
              :($count * $element == size - $start || (refuse_payload(size,
                  $(no_fit("payload of %zu bytes, of which parameter $i has no multiple of $element"))); return nothing)) :
              quote
                  stated = unsafe_load(Ptr{UInt64}(payload + $(offsets[i])))
                  stated <= $count || (refuse_payload(stated,
                      $(no_fit("parameter $i has %zu elements, which the payload has not"))); return nothing)
                  $count = stated
              end)
        push!(steps, :(last = $start + $count * $element))
    end
    value(i, type) = type <: View ? :($type(Ptr{$(eltype(type))}(payload + $(Symbol(:start, i))), $(Symbol(:count, i)) % Int)) :
        :(unsafe_load(Ptr{$type}(payload + $(offsets[i]))))
    return quote
        $(Expr(:meta, :inline))
        size >= $(UInt64(head)) ||
            (refuse_payload(size, $(no_fit("payload of %zu bytes, expected at least $head"))); return nothing)
        $(steps...)
        return ($((value(i, type) for (i, type) in enumerate(types))...),)
    end
end

function parameters_with_one(types, offsets, head)
    varying = findfirst(type -> type <: View, types)
    element = varying === nothing ? 0 : sizeof(eltype(types[varying]))
    start = varying === nothing ? 0 : rounded(head, c_alignment(eltype(types[varying])))
    head = varying === nothing ? head : start
    fits = element == 0 ? :(size == $(UInt64(head))) : :(size >= $(UInt64(head)))
    element > 1 && (fits = :($fits && (size - $(UInt64(head))) % $(UInt64(element)) == 0))
    fits = element == 1 && head == 0 ? true : fits
    expected = element == 0 ? "$head" : head == 0 ? "a multiple of $element" : "$head and a multiple of $element"
    value(i, type) = type <: View ? :(as_payload($type, payload + $start, size - $(UInt64(start)))) :
        :(unsafe_load(Ptr{$type}(payload + $(offsets[i]))))
    return quote
        $(Expr(:meta, :inline))
        $fits || (refuse_payload(size, $(no_fit("payload of %zu bytes, expected $expected"))); return nothing)
        return ($((value(i, type) for (i, type) in enumerate(types))...),)
    end
end

# The memory of an answer with values of the types of T. `views`: those of its arrays.
struct Answer{T,V}
    start::Ptr{UInt8}
    size::UInt64
    views::V
end

const ELEMENTS_MAX = UInt64(1) << 40 # of an array of an answer, so that no sum of sizes overflows

@noinline function refuse_answer(status::Cint)
    status == E_NOT_FOUND || # of a message that is no call
        ccall("extern tc_self_fail", llvmcall, Cvoid, (Cint, Ptr{UInt8}), status, c"no memory for an answer of so many elements")
    return
end

"""
    begin_reply(T, counts...)

In a function: memory for an answer of several values. `T` is a tuple of types of bits and of `View`s; `counts` are
the numbers of elements of the views, in order. The answer's `views` are those, to be written; all bytes are zero.
`commit_reply(answer, values...)` writes the other values and replies. `nothing`: the message is no call, or the
answer would be too large, and the call has failed.
"""
@generated function begin_reply(::Type{T}, counts::Integer...) where {T<:Tuple}
    types = collect(Any, fieldtypes(T))
    views = findall(type -> type <: View, types)
    length(views) == length(counts) || return :(throw(ArgumentError("one number of elements for each View")))
    offsets, head = fixed_layout(types)
    steps = Any[:(last = $(UInt64(head)))]
    for (k, i) in enumerate(views)
        element, alignment = UInt64(sizeof(eltype(types[i]))), UInt64(c_alignment(eltype(types[i])))
        start, count = Symbol(:start, i), Symbol(:count, i)
        push!(steps, :($count = counts[$k] % UInt64),
              :($count <= ELEMENTS_MAX || (refuse_answer(E_INVALID); return nothing)),
              :($start = (last + $(alignment - 1)) & $(~(alignment - 1))), :(last = $start + $count * $element))
    end
    stores = [:(unsafe_store!(Ptr{UInt64}(start + $(offsets[i])), $(Symbol(:count, i)))) for i in views[1:max(end - 1, 0)]]
    made = [:($(types[i])(Ptr{$(eltype(types[i]))}(start + $(Symbol(:start, i))), $(Symbol(:count, i)) % Int)) for i in views]
    return quote
        $(Expr(:meta, :inline))
        $(steps...)
        place = Ref{Ptr{Cvoid}}(C_NULL)
        status = ccall("extern tc_reply_begin", llvmcall, Cint, (UInt64, Ref{Ptr{Cvoid}}), last, place)
        status == 0 || (refuse_answer(status); return nothing)
        start = Ptr{UInt8}(place[])
        ccall("extern memset", llvmcall, Ptr{Cvoid}, (Ptr{UInt8}, Cint, UInt64), start, Cint(0), last)
        $(stores...)
        views = ($(made...),)
        return Answer{T,typeof(views)}(start, last, views)
    end
end

"""
    commit_reply(answer, values...)

In a function: writes the values of the answer that are no views, in order, and replies. Returns the library's status.
"""
@generated function commit_reply(answer::Answer{T}, values...) where {T}
    types = collect(Any, fieldtypes(T))
    fixed = findall(type -> !(type <: View), types)
    length(fixed) == length(values) || return :(throw(ArgumentError("one value for each type that is no View")))
    offsets, _ = fixed_layout(types)
    stores = [:(unsafe_store!(Ptr{$(types[i])}(answer.start + $(offsets[i])), convert($(types[i]), values[$k])))
              for (k, i) in enumerate(fixed)]
    return quote
        $(Expr(:meta, :inline))
        $(stores...)
        return ccall("extern tc_reply_commit", llvmcall, Cint, (UInt64,), answer.size)
    end
end
