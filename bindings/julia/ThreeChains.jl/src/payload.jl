# What can be a payload or a reply: bytes that mean the same in another process.

function check_bits(type::Type)
    isbitstype(type) || throw(ArgumentError(
        "a $type lives in this Julia's memory, expected numbers, and tuples, structs and arrays of them"))
    return type
end

# Calls f with the address and the size of a value's bytes, which stay there meanwhile.
with_bytes(f, ::Nothing) = f(Ptr{UInt8}(C_NULL), 0)
with_bytes(f, text::String) = GC.@preserve text f(pointer(text), sizeof(text))
function with_bytes(f, values::DenseArray{T}) where {T}
    check_bits(T)
    GC.@preserve values f(Ptr{UInt8}(pointer(values)), sizeof(values))
end
with_bytes(f, values::AbstractArray) = with_bytes(f, Array(values))
function with_bytes(f, value::T) where {T}
    check_bits(T)
    place = Ref(value)
    GC.@preserve place f(Ptr{UInt8}(Base.unsafe_convert(Ptr{T}, place)), sizeof(T))
end

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
