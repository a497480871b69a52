# Types that can be a payload or a reply: bytes that mean the same in another process.

function check_bits(type::Type)
    isbitstype(type) || throw(ArgumentError(
        "a $type lives in this Julia's memory, expected numbers, and tuples, structs and arrays of them"))
    lies_as_in_c(type) || throw(ArgumentError(
        "a $type lies otherwise in Julia than in C; use members that lie alike, such as two UInt64 for one Int128"))
    return type
end

rounded(offset::Int, alignment::Int) = (offset + alignment - 1) & -alignment

# C's alignment of a type of bits, which Julia's is not for numbers of 128 bits.
c_alignment(type::DataType) = isprimitivetype(type) ? nextpow(2, max(sizeof(type), 1)) :
    mapreduce(c_alignment, max, fieldtypes(type); init=1)

# An array of N elements among the values of a message or an answer: as NTuple{N,T}, but of any size.
struct Fixed{T,N}
    values::Vector{T}
end
c_alignment(::Type{Fixed{T,N}}) where {T,N} = c_alignment(T)
c_size(type) = sizeof(type)
c_size(::Type{Fixed{T,N}}) where {T,N} = N * sizeof(T)

# Where C would have the members of a struct of these types, and its size.
function c_struct(types)
    offsets, offset, alignment = Int[], 0, 1
    for type in types
        push!(offsets, rounded(offset, c_alignment(type)))
        offset, alignment = last(offsets) + c_size(type), max(alignment, c_alignment(type))
    end
    return offsets, rounded(offset, alignment)
end

function is_c_struct(type::DataType)
    isprimitivetype(type) && return true
    type <: NTuple && fieldcount(type) > 2 && fieldtype(type, 1) <: Union{Number,Char} && # all of one type
        return sizeof(type) == fieldcount(type) * sizeof(fieldtype(type, 1))
    offsets, size = c_struct(fieldtypes(type))
    return size == sizeof(type) && all(is_c_struct, fieldtypes(type)) &&
           all(fieldoffset(type, i) == offsets[i] for i in 1:length(offsets))
end

bytes_of_members(type::DataType) = isprimitivetype(type) ? sizeof(type) :
    mapreduce(bytes_of_members, +, fieldtypes(type); init=0)

# Known when the caller is compiled.
@generated has_gaps(::Type{T}) where {T} = bytes_of_members(T) < sizeof(T)
@generated lies_as_in_c(::Type{T}) where {T} = is_c_struct(T)

# Calls f with the address and the size of a value's bytes, which stay there meanwhile.
with_bytes(f, ::Nothing) = f(Ptr{UInt8}(C_NULL), 0)
with_bytes(f, text::String) = GC.@preserve text f(pointer(text), sizeof(text))
function with_bytes(f, values::DenseArray{T}) where {T}
    check_bits(T)
    GC.@preserve values f(Ptr{UInt8}(pointer(values)), length(values) * sizeof(T))
end
with_bytes(f, values::AbstractArray) = with_bytes(f, Array(values))
with_bytes(f, values::Tuple) = isbitstype(typeof(values)) ? with_bytes_of(f, values) : with_message(f, values)
with_bytes(f, value) = with_bytes_of(f, value)
function with_bytes_of(f, value::T) where {T}
    check_bits(T)
    if has_gaps(T)
        bytes = zeros(UInt8, sizeof(T))
        return GC.@preserve bytes (write_value(pointer(bytes), value); f(pointer(bytes), sizeof(T)))
    end
    place = Ref(value)
    GC.@preserve place f(Ptr{UInt8}(Base.unsafe_convert(Ptr{T}, place)), sizeof(T))
end

# Several values of which some vary in size: a C struct of all but the last such one, of which the others have
# their numbers of elements there, and then the elements. docs/payload-layout.md has the rule, which all
# languages follow.
function with_message(f, parts::Tuple)
    values = map(value_of, parts)
    offsets, starts, size = message_layout(map(typeof, values), map(length_of, values))
    bytes = zeros(UInt8, size)
    GC.@preserve bytes values begin
        for (value, offset, start) in zip(values, offsets, starts)
            offset >= 0 && write_value(pointer(bytes) + offset, value isa DenseArray ? UInt64(length(value)) : value)
            start >= 0 && unsafe_copyto!(pointer(bytes) + start, Ptr{UInt8}(pointer(value)), sizeof(eltype(value)) * length(value))
        end
    end
    return with_bytes(f, bytes)
end

varies(type) = type <: Union{AbstractArray,AbstractString}
length_of(value) = value isa DenseArray ? length(value) : 0

# The members of the struct of values: (their offsets, -1 of the last varying one; the size).
function fixed_layout(types)
    last_one = something(findlast(varies, collect(Any, types)), 0)
    members = [varies(type) ? UInt64 : type for (i, type) in enumerate(types) if i != last_one]
    offsets, size = c_struct(members)
    last_one == 0 && return offsets, size
    size = isempty(members) ? 0 : last(offsets) + c_size(last(members))
    return insert!(offsets, last_one, -1), size
end

# Where values lie in a message: (the offsets in the struct, or -1; those of elements, or -1; the size).
function message_layout(types, counts)
    offsets, size = fixed_layout(types)
    starts = map(types, counts) do type, count
        varies(type) || return -1
        start = rounded(size, c_alignment(eltype(type)))
        size = start + count * sizeof(eltype(type))
        return start
    end
    return offsets, starts, size
end

# Member by member where there are bytes between them, which may be anything in Julia's memory.
function write_value(start::Ptr{UInt8}, value::T) where {T}
    has_gaps(T) || return unsafe_store!(Ptr{T}(start), value)
    for i in 1:fieldcount(T)
        write_value(start + fieldoffset(T, i), getfield(value, i))
    end
end
write_value(start::Ptr{UInt8}, array::Fixed{T}) where {T} =
    foreach(i -> write_value(start + (i - 1) * sizeof(T), array.values[i]), 1:length(array.values))
value_of(array::Fixed) = array
value_of(value) = (check_bits(typeof(value)); value)
value_of(text::AbstractString) = codeunits(String(text))
value_of(values::DenseArray) = (check_bits(eltype(values)); values)
value_of(values::AbstractArray) = value_of(Array(values))

from_bytes(::Type{T}, bytes::Vector{UInt8}) where {T} = bits_from(T, bytes)
function bits_from(::Type{T}, bytes::Vector{UInt8}) where {T}
    check_bits(T)
    length(bytes) == sizeof(T) || throw(ArgumentError(
        "the reply has $(length(bytes)) bytes, expected the $(sizeof(T)) of a $T"))
    check_bools(T, bytes)
    return reinterpret(T, bytes)[1]
end

# The offsets of the bools in a type of bits.
bool_offsets(type::DataType) = type === Bool ? [0] : isprimitivetype(type) ? Int[] :
    reduce(vcat, (fieldoffset(type, i) .+ bool_offsets(fieldtype(type, i)) for i in 1:fieldcount(type)); init=Int[])
@generated bools_of(::Type{T}) where {T} = Tuple(Int.(bool_offsets(T)))

# Julia assumes that a bool is 0 or 1. A peer may have sent any byte.
function check_bools(::Type{T}, bytes::Vector{UInt8}) where {T}
    for offset in bools_of(T), at in offset+1:sizeof(T):length(bytes)
        bytes[at] <= 1 || throw(ArgumentError("the reply has a bool of $(bytes[at]), expected 0 or 1"))
    end
end
from_bytes(::Type{Vector{UInt8}}, bytes::Vector{UInt8}) = bytes
from_bytes(::Type{String}, bytes::Vector{UInt8}) = String(bytes)
function from_bytes(::Type{Vector{T}}, bytes::Vector{UInt8}) where {T}
    check_bits(T)
    length(bytes) % sizeof(T) == 0 || throw(ArgumentError(
        "the reply has $(length(bytes)) bytes, expected a multiple of the $(sizeof(T)) of a $T"))
    check_bools(T, bytes)
    return collect(reinterpret(T, bytes))
end
from_bytes(::Type{Nothing}, ::Vector{UInt8}) = nothing

# Several values, which lie as those of a message. A peer's reply may have any bytes.
from_bytes(::Type{T}, bytes::Vector{UInt8}) where {T<:Tuple} =
    any(varies, fieldtypes(T)) ? values_from(fieldtypes(T), bytes)::T : bits_from(T, bytes)

function values_from(types, bytes::Vector{UInt8})
    foreach(type -> check_bits(element_of(type)), types)
    offsets, size = fixed_layout(types)
    has_end = any(varies, types)
    (has_end ? length(bytes) >= size : length(bytes) == size) ||
        throw(ArgumentError("the reply has $(length(bytes)) bytes, expected $(has_end ? "at least " : "")$size"))
    place = Ref(size)
    return ntuple(i -> part_of(types[i], bytes, offsets[i], place), length(types))
end

element_of(type) = type <: AbstractString ? UInt8 : varies(type) ? eltype(type) : type
element_of(::Type{Fixed{T,N}}) where {T,N} = T

# One value of a reply; `place` has the offset where the elements in front of it end.
function part_of(type, bytes, offset, place)
    type <: Fixed && return from_bytes(Vector{element_of(type)}, bytes[offset+1:offset+c_size(type)])
    varies(type) || return bits_from(type, bytes[offset+1:offset+sizeof(type)])
    element = element_of(type)
    start = rounded(place[], c_alignment(element))
    start <= length(bytes) || throw(ArgumentError("the reply has $(length(bytes)) bytes, expected at least $start"))
    most, count = (length(bytes) - start) ÷ sizeof(element), UInt64(0)
    if offset < 0
        place[] = length(bytes)
    else
        count = bits_from(UInt64, bytes[offset+1:offset+8])
        count <= most || throw(ArgumentError("the reply has an array of $count elements, expected at most $most"))
        place[] = start + Int(count) * sizeof(element)
    end
    return from_bytes(type, bytes[start+1:place[]])
end
