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
    type <: AbstractArray ? string(element_text(eltype(type)), "[]") : element_text(type)

arguments_text(type) = type == Nothing ? "" : type <: Tuple ? join(map(part_text, fieldtypes(type)), ",") : part_text(type)

result_text(type) = type in (Nothing, Vector{UInt8}) ? "*" : type <: Tuple ? opaque_text(type) : part_text(type)

# A constant of the compiled caller: it stays, at its address.
@generated prototype_text(::Type{T}, ::P) where {T,P} = string("(", arguments_text(P), ")->", result_text(T))

# Bytes have no types: they are a message that the caller has made.
check_prototype(::Type, ::Ifunc, ::Vector{UInt8}) = nothing
function check_prototype(::Type{T}, fn::Ifunc, payload) where {T}
    text, space = prototype_text(T, payload), error_space()
    check(ccall(@tc(tc_ifunc_check_prototype), Cint, (Ptr{Cvoid}, Ptr{UInt8}, Ptr{UInt8}), use(fn), pointer(text), space), space)
end
