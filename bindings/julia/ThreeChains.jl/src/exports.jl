# Functions in Julia that a library exports under names of C, with types that C has, too.

const C_NUMBERS = (Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64)
const C_TYPES = "expected numbers of at most 64 bits and pointers, which C passes alike on every processor"

is_c_type(type) = type in C_NUMBERS || type isa DataType && type <: Ptr && isconcretetype(type)

# The exports of a library: a function by its own name, or "NAME" => function.
export_pair(f::Function) = string(nameof(f)) => f
export_pair(pair::Pair{<:AbstractString,<:Function}) = String(first(pair)) => last(pair)
export_pair(other) = throw(ArgumentError(string("a library in Julia exports functions and no data, found a ",
    typeof(other), ": it would be an object of this Julia; variables are exported by libraries in C")))

function export_entry(pair)
    symbol, f = export_pair(pair)
    is_name(symbol) || throw(ArgumentError("$symbol is no name in C: export it by another, \"NAME\" => $symbol"))
    function_text(f) === nothing ||
        throw(ArgumentError("$symbol has runtime=true: a library exports what needs no Julia"))
    found = methods(f)
    length(found) == 1 ||
        throw(ArgumentError("$symbol has $(length(found)) methods, expected one, with its types declared"))
    types = Tuple(Base.unwrap_unionall(first(found).sig).parameters[2:end])
    all(is_c_type, types) || throw(ArgumentError("$symbol takes ($(join(types, ", "))), $C_TYPES"))
    result = only(Base.return_types(f, Tuple{types...}))
    result == Nothing || is_c_type(result) || throw(ArgumentError("$symbol returns $result, $C_TYPES"))
    return Entry(f, symbol, collect(DataType, types), result)
end

function export_entries(functions::AbstractVector)
    isempty(functions) && throw(ArgumentError("a library exports at least one function"))
    entries = Entry[export_entry(f) for f in functions]
    symbols = [entry.symbol for entry in entries]
    allunique(symbols) || throw(ArgumentError("a library exports each name once, found $(join(symbols, ", "))"))
    allunique(entry.callable for entry in entries) ||
        throw(ArgumentError("a library exports each function once, found $(join(symbols, ", "))"))
    return entries
end

"""
    bitcode([f, "SYMBOL" => g, ...]; name)

The bitcode of a library that travels, which `tc-ar create NAME ... --library` packs: it exports the functions,
each by its own name or by another. A function has one method, with declared types and a result that are
numbers of at most 64 bits and pointers; arrays come as `(Ptr{T}, Int64)`, of which `View{T}(start, count)`
makes a vector.
"""
function bitcode(functions::AbstractVector; name::AbstractString)
    check_name(name)
    return compiled_once(() -> compile(Base.invokelatest(export_entries, functions), String(name)),
                         (collect(Any, functions), name))
end
