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

# Where C would have the members of a struct of these types, and its size.
function c_struct(types)
    offsets, offset, alignment = Int[], 0, 1
    for type in types
        push!(offsets, rounded(offset, c_alignment(type)))
        offset, alignment = last(offsets) + sizeof(type), max(alignment, c_alignment(type))
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


# Several values of which the last one varies in size: a C struct, with that one as its flexible array
# member. docs/payload-layout.md has the rule, which all languages follow.
function with_message(f, parts::Tuple)
    values, array = parts[1:end-1], array_of(last(parts))
    foreach(value -> check_bits(typeof(value)), values)
    offsets, _ = c_struct(map(typeof, values))
    head = isempty(values) ? 0 : last(offsets) + sizeof(last(values))
    start = rounded(head, c_alignment(eltype(array)))
    array_bytes = length(array) * sizeof(eltype(array))
    bytes = zeros(UInt8, start + array_bytes)
    GC.@preserve bytes array begin
        for (offset, value) in zip(offsets, values)
            write_value(pointer(bytes) + offset, value)
        end
        unsafe_copyto!(pointer(bytes) + start, Ptr{UInt8}(pointer(array)), array_bytes)
    end
    return with_bytes(f, bytes)
end

# Member by member where there are bytes between them, which may be anything in Julia's memory.
function write_value(start::Ptr{UInt8}, value::T) where {T}
    has_gaps(T) || return unsafe_store!(Ptr{T}(start), value)
    for i in 1:fieldcount(T)
        write_value(start + fieldoffset(T, i), getfield(value, i))
    end
end
array_of(text::String) = codeunits(text)
array_of(values::DenseArray) = (check_bits(eltype(values)); values)
array_of(values::AbstractArray) = array_of(Array(values))
array_of(other) = (check_bits(typeof(other)); throw(ArgumentError(
    "what varies in size comes last in a message, found a $(typeof(other)) behind it")))

function from_bytes(::Type{T}, bytes::Vector{UInt8}) where {T}
    check_bits(T)
    length(bytes) == sizeof(T) || throw(ArgumentError(
        "the reply has $(length(bytes)) bytes, expected the $(sizeof(T)) of a $T"))
    return reinterpret(T, bytes)[1]
end
from_bytes(::Type{Vector{UInt8}}, bytes::Vector{UInt8}) = bytes
from_bytes(::Type{String}, bytes::Vector{UInt8}) = String(bytes)
function from_bytes(::Type{Vector{T}}, bytes::Vector{UInt8}) where {T}
    check_bits(T)
    length(bytes) % sizeof(T) == 0 || throw(ArgumentError(
        "the reply has $(length(bytes)) bytes, expected a multiple of the $(sizeof(T)) of a $T"))
    return collect(reinterpret(T, bytes))
end
from_bytes(::Type{Nothing}, ::Vector{UInt8}) = nothing
