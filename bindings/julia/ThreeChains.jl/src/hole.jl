# Values for the holes of functions: constants that the sender sets.

struct HoleInfo # tc_hole_info
    name::Cstring
    size::Csize_t
    kind::Cint
end

struct HoleValue # tc_hole_value
    name::Cstring
    value::Ptr{UInt8}
    size::Csize_t
    kind::Cint
end

const HOLE_BYTES, HOLE_INTEGER, HOLE_FLOATING = Cint(0), Cint(1), Cint(2)

function hole_infos(fn::Ifunc)
    list(infos) = Int(ccall(@tc(tc_ifunc_holes_sized), Csize_t, (Ptr{Cvoid}, Ptr{HoleInfo}, Csize_t, Csize_t),
                            use(fn), infos, length(infos), sizeof(HoleInfo)))
    infos = Vector{HoleInfo}(undef, list(HoleInfo[]))
    list(infos)
    return infos
end

"""
    holes(fn)

The constants that `fill_holes` sets: the bytes of each, by name; empty for a function that has its values.
"""
holes(fn::Ifunc) = Dict(Symbol(unsafe_string(info.name)) => Int(info.size) for info in hole_infos(fn))

const INTEGERS = Dict(1 => (Int8, UInt8), 2 => (Int16, UInt16), 4 => (Int32, UInt32), 8 => (Int64, UInt64),
                      16 => (Int128, UInt128))
const FLOATS = Dict(2 => Float16, 4 => Float32, 8 => Float64)

# (bytes, kind). Numbers that Julia converts exactly, or rounds, take the hole's type.
bytes_of(value) = collect(reinterpret(UInt8, [value]))
function hole_bytes(value::Integer, info)
    info.kind == HOLE_FLOATING && return bytes_of(FLOATS[info.size](value)), HOLE_FLOATING
    info.kind == HOLE_INTEGER || return bytes_of(value), HOLE_INTEGER
    return bytes_of(INTEGERS[info.size][value < 0 ? 1 : 2](value)), HOLE_INTEGER # InexactError
end
hole_bytes(value::AbstractFloat, info) =
    info.kind == HOLE_FLOATING ? (bytes_of(FLOATS[info.size](value)), HOLE_FLOATING) : (bytes_of(value), HOLE_FLOATING)
function hole_bytes(value::T, _) where {T}
    isbitstype(T) || throw(ArgumentError("a hole takes a number, a tuple or a struct of bits; found a $T"))
    return bytes_of(value), HOLE_BYTES
end

"""
    fill_holes(fn; name = value, ...)

The function with a value for each hole, a function of its own: `fill_holes(line; slope = 2.5, rise = 3)`. Numbers
are converted to the hole's type, and `InexactError` is thrown where one does not fit; tuples and structs of bits
are taken as they are.
"""
function fill_holes(fn::Ifunc; values...)
    infos = Dict(Symbol(unsafe_string(info.name)) => info for info in hole_infos(fn))
    names = [String(name) for name in keys(values)]
    # The library explains a hole that is not there.
    parts = [haskey(infos, name) ? hole_bytes(value, infos[name]) : (UInt8[0], HOLE_BYTES) for (name, value) in values]
    space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
    GC.@preserve names parts begin
        given = [HoleValue(c_string(name), pointer(bytes), length(bytes), kind) for (name, (bytes, kind)) in zip(names, parts)]
        check(ccall(@tc(tc_ifunc_fill_sized), Cint,
                    (Ptr{Cvoid}, Ptr{HoleValue}, Csize_t, Csize_t, Ref{Ptr{Cvoid}}, Ptr{UInt8}), use(fn), given,
                    length(given), sizeof(HoleValue), made, space), space)
    end
    return Ifunc(fn.context, made[])
end
