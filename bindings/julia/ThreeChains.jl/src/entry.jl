# How a Julia function becomes NAME_main, and the operations that it may use there.

"""
    View{T}

A payload as a vector of `T`. An index outside it ends the process that runs the function, unless
`@inbounds` asserts that there is none.
"""
struct View{T} <: DenseVector{T}
    start::Ptr{T}
    count::Int
end

Base.size(view::View) = (view.count,)
Base.IndexStyle(::Type{<:View}) = IndexLinear()
Base.pointer(view::View) = view.start
Base.unsafe_convert(::Type{Ptr{T}}, view::View{T}) where {T} = view.start
Base.elsize(::Type{View{T}}) where {T} = sizeof(T)

# Ends the process, as a failed check in C does. An exception would need Julia's runtime.
stop() = ccall("llvm.trap", llvmcall, Cvoid, ())

@inline function Base.checkbounds(view::View, i::Int)
    (i - 1) % UInt < view.count % UInt || stop()
    return
end

Base.@propagate_inbounds @inline function Base.getindex(view::View, i::Int)
    @boundscheck checkbounds(view, i)
    return unsafe_load(view.start, i)
end

Base.@propagate_inbounds @inline function Base.setindex!(view::View{T}, value, i::Int) where {T}
    @boundscheck checkbounds(view, i)
    unsafe_store!(view.start, convert(T, value), i)
    return view
end

@inline Base.iterate(view::View, i::Int=1) = i > view.count ? nothing : (unsafe_load(view.start, i), i + 1)

"""
    reply(value)

In a function: replies to the call that the message is, with a value of bits, or a `View` of such.
Returns the library's status, 0 when the reply is under way.
"""
@inline function reply(value::T) where {T}
    place = Ref(value)
    GC.@preserve place begin
        status = reply(Ptr{Cvoid}(Base.unsafe_convert(Ptr{T}, place)), sizeof(T))
    end
    return status
end
@inline reply(bytes::Ptr, size::Integer) =
    ccall("extern tc_reply", llvmcall, Cint, (Ptr{Cvoid}, UInt64), bytes, size % UInt64)
@inline reply(view::View{T}) where {T} = reply(Ptr{Cvoid}(view.start), (view.count * sizeof(T)) % UInt64)

@inline self_rank() = ccall("extern tc_self_rank", llvmcall, UInt32, ())
@inline self_size() = ccall("extern tc_self_size", llvmcall, UInt32, ())
@inline self_hops() = ccall("extern tc_self_hops", llvmcall, UInt32, ())

"""
    forward(rank, view)

In a function: sends the running function on to a member of the group, with another payload.
"""
@inline forward(rank::Integer, view::View{T}) where {T} =
    ccall("extern tc_forward", llvmcall, Cint, (UInt32, Ptr{Cvoid}, UInt64), rank % UInt32,
          Ptr{Cvoid}(view.start), (view.count * sizeof(T)) % UInt64)

"""
    state(T)

In a function: its own memory in the process that runs it, a `Ptr{T}`, kept from message to message. All
its bytes are 0 at first.
"""
@inline state(::Type{T}) where {T} =
    Ptr{T}(ccall("extern tc_self_state", llvmcall, Ptr{Cvoid}, (UInt64,), sizeof(T) % UInt64))

# A text as C takes it, in the function itself: a String is an object of this Julia.
struct CText{N}
    bytes::NTuple{N,UInt8}
end

"""
    c"TEXT"

In a function: a text for `published`, `reply_error`, or an argument `Ptr{UInt8}` of `ccall`.
"""
macro c_str(text)
    return CText(Tuple(vcat(codeunits(unescape_string(text)), 0x00)))
end

@inline Base.cconvert(::Type{Ptr{UInt8}}, text::CText) = Ref(text)
@inline Base.unsafe_convert(::Type{Ptr{UInt8}}, place::Base.RefValue{CText{N}}) where {N} =
    Ptr{UInt8}(Base.unsafe_convert(Ptr{CText{N}}, place))

"""
    published(T, c"NAME")

In a function: the data that the node has published under a name, a `View{T}`; without elements if it
has not.
"""
@inline function published(::Type{T}, name::CText) where {T}
    size = Ref{UInt64}(0)
    start = ccall("extern tc_self_data", llvmcall, Ptr{Cvoid}, (Ptr{UInt8}, Ref{UInt64}), name, size)
    return as_payload(View{T}, start, size[])
end

"""
    reply_error(status, c"TEXT")

In a function: answers a call with a failure. `status` is one of the library's, such as `TC_E_INVALID`
([julia.md](julia.md) lists them); the caller's `TcError` has its name.
"""
@inline reply_error(status::Integer, text::CText) =
    ccall("extern tc_reply_error", llvmcall, Cint, (Cint, Ptr{UInt8}), status % Cint, text)

# Ends a message with a payload that the function does not take: a call gets the text, in which %zu is the
# size.
@noinline function refuse_payload(size::UInt64, format::CText)
    text = Ref(CText(ntuple(_ -> 0x00, Val(128))))
    GC.@preserve text begin
        start = Base.unsafe_convert(Ptr{UInt8}, text)
        ccall("extern snprintf", llvmcall, Cint, (Ptr{UInt8}, UInt64, Ptr{UInt8}, UInt64), start, UInt64(128), format, size)
        ccall("extern tc_self_fail", llvmcall, Cvoid, (Cint, Ptr{UInt8}), E_INVALID, start)
    end
    return
end

# The argument that a function asks for, made of those of NAME_main.
@inline as_payload(::Type{View{T}}, payload, size) where {T} =
    View{T}(Ptr{T}(payload), (size ÷ (sizeof(T) % UInt64)) % Int)
@inline as_target(::Type{Ptr{T}}, target) where {T} = Ptr{T}(target)
@inline as_target(::Type{View{T}}, target) where {T} = View{T}(Ptr{T}(target), typemax(Int))

# The compiled objects: callables without fields, so that the functions are known by their types.
struct IfuncMain{F,P,T} end
struct IfuncBound{F,S} end
struct IfuncInit{F,P,S} end

function (::IfuncMain{F,P,T})(payload::Ptr{UInt8}, size::UInt64, target::Ptr{Cvoid}) where {F,P,T}
    values = parameters_of(P, payload, size)
    values === nothing || F.instance(values..., as_target(T, target))
    return nothing
end

is_whole(::Type{View{T}}, size::UInt64) where {T} = size % (sizeof(T) % UInt64) == 0

# Source arguments that are no whole number of elements cancel the message.
(::IfuncBound{F,S})(source::Ptr{Cvoid}, size::UInt64) where {F,S} =
    is_whole(S, size) ? F.instance(as_payload(S, source, size)) % UInt64 : typemax(UInt64)

(::IfuncInit{F,P,S})(payload::Ptr{Cvoid}, size::UInt64, source::Ptr{Cvoid}, source_size::UInt64) where {F,P,S} =
    is_whole(S, source_size) ? F.instance(as_payload(P, payload, size), as_payload(S, source, source_size)) % Int32 : Int32(1)

const RAW = Tuple{Ptr{UInt8},UInt64,Ptr{Cvoid}}

# The types that a function asks for, or those of NAME_main.
function argument_types(f)
    found = methods(f)
    length(found) == 1 ||
        throw(ArgumentError("$f has $(length(found)) methods, expected one, with its types declared"))
    types = Tuple(Base.unwrap_unionall(first(found).sig).parameters[2:end])
    (Tuple{types...} == RAW || takes_message(types) || takes_unit(types)) && return types
    throw(ArgumentError(string(f, " takes (", join(types, ", "),
        "), expected (View{T}, Ptr{U}) with T and U of bits, perhaps with more views and values of bits beside or in place of ",
        "the View, (Unit, View{I}, View{O}, View{P}), or (Ptr{UInt8}, UInt64, Ptr{Cvoid})")))
end

takes_message(types) = length(types) >= 2 && is_target(types[end]) && all(type -> is_payload(type) || is_value(type), types[1:end-1])
is_value(type) = isconcretetype(type) && isbitstype(type) && sizeof(type) > 0 && !(type <: Union{View,Ptr,Unit}) &&
    lies_as_in_c(type)

is_payload(type) = type <: View && isconcretetype(type) && isbitstype(eltype(type)) && sizeof(eltype(type)) > 0
is_target(type) = type <: Union{Ptr,View} && isconcretetype(type)

function mainly(f::Function)
    types = argument_types(f)
    takes_unit(types) && return IfuncUnit{typeof(f),types[2:4]...}()
    return Tuple{types...} == RAW ? f : IfuncMain{typeof(f),Tuple{types[1:end-1]...},types[end]}()
end

# The type that a function states of its answer: @ifunc answer=T adds a method. Nothing: it states none.
answer_type(f) = nothing
check_answer(::Nothing) = nothing
function check_answer(type::Type)
    foreach(part -> check_bits(varies(part) ? eltype(part) : part), type <: Tuple ? fieldtypes(type) : (type,))
    return type
end

# The functions that make a function's payloads where it is sent: @ifunc payload=(...) adds a method.
payload_functions(f) = nothing

# The views that such a function takes.
function view_types(f, count::Int)
    found = methods(f)
    length(found) == 1 || throw(ArgumentError("$f has $(length(found)) methods, expected one, with its types declared"))
    types = Tuple(Base.unwrap_unionall(first(found).sig).parameters[2:end])
    length(types) == count && all(is_payload, types) && return types
    throw(ArgumentError(string(f, " takes (", join(types, ", "), "), expected ",
        count == 1 ? "(View{S})" : "(View{T}, View{S})", ", of bits: it ",
        count == 1 ? "tells how many bytes" : "writes", " the payload, of the source's arguments")))
end

# All that is compiled for a function.
function entries_of(f::Function, name::String)
    parts = [Entry(mainly(f), name * "_main", [Ptr{UInt8}, UInt64, Ptr{Cvoid}], Nothing)]
    makers = Base.invokelatest(payload_functions, f)
    makers === nothing && return parts
    bound, init = makers
    push!(parts, Entry(IfuncBound{typeof(bound),view_types(bound, 1)...}(), name * "_payload_get_max_size",
                       [Ptr{Cvoid}, UInt64], UInt64))
    return push!(parts, Entry(IfuncInit{typeof(init),view_types(init, 2)...}(), name * "_payload_init",
                              [Ptr{Cvoid}, UInt64, Ptr{Cvoid}, UInt64], Int32))
end

const compile_lock = ReentrantLock()
const compiled = Dict{Any,Any}()

"""
    bitcode(f; name = nameof(f))

The LLVM bitcode of a function for each architecture, as pairs of a target triple and bytes. Throws
`RefusedFunction`, with the lines, when some part of it only runs inside Julia.
"""
function bitcode(f::Function; name=string(nameof(f)))
    check_name(name)
    return compiled_once((f, name)) do
        function_text(f) === nothing ? compile(entries_of(f, name), name) : compile_embedded(f, name)
    end
end

is_name(name) = occursin(r"^[A-Za-z_][A-Za-z0-9_]*$", name)
check_name(name) = is_name(name) || throw(ArgumentError("the name is \"$name\", expected a C identifier"))

# A method that is defined anywhere may be one that the code calls.
function compiled_once(make, key)
    lock(compile_lock) do
        world = ccall(:jl_get_world_counter, UInt, ())
        kept = get(compiled, key, nothing)
        kept === nothing || kept[1] != world || return kept[2]
        code = make()
        compiled[key] = (world, code)
        return code
    end
end

# In a package that is precompiled, addresses are those of another process: there it waits for Ifunc.
is_precompiling() = ccall(:jl_generating_output, Cint, ()) != 0

"""
    @ifunc function NAME(payload::View{T}, target::Ptr{U}) ... end

Defines a function that can be sent, and compiles it at once: operations that it cannot do elsewhere
are reported here.

    @ifunc function NAME(unit::Unit, input::View{I}, output::View{O}, mine::View{P}) ... end

An operation of active messages: input and output have the elements of all segments of the unit, `mine` those of the
range of the rank's window. A unit fails by `fail!`.

    @ifunc payload=(BOUND, INIT) function NAME(payload::View{T}, target::Ptr{U}) ... end

A function with a payload made of the arguments of `send` and `call`, here, when it is sent:
`BOUND(source::View{S})` returns its maximal size in bytes, and `INIT(payload::View{P}, source::View{S})` writes
them and returns 0; any other number cancels the message (`:TC_E_PAYLOAD`).

    @ifunc answer=T function NAME(payload::View{T}, target::Ptr{U}) ... end

A function that states the type of its answer: callers in all languages compare it with theirs before they send.
`T` is a type of bits, a `View`, or a tuple with views of an answer of several values (`begin_reply`). It is the
function's statement, and not compared with the `reply` that it makes.

    @ifunc runtime=true function NAME(payload::View{T}, target::Ptr{U}) ... end

One that may use all of Julia. It runs at nodes that have Julia and ThreeChains in their process; others
refuse it. Its text travels, without the functions and globals around it, and Julia compiles it there. An
exception ends a call with `:TC_E_PAYLOAD` and its text.
"""
macro ifunc(definition)
    return sendable(definition, nothing, nothing)
end

macro ifunc(option, definition)
    option isa Expr && option.head == :(=) || throw(ArgumentError("$UNKNOWN_OPTION $option"))
    name, value = option.args
    name == :payload && value isa Expr && value.head == :tuple && length(value.args) == 2 &&
        return sendable(definition, value, nothing)
    name == :answer && return sendable(definition, nothing, value)
    name == :runtime && value == true || throw(ArgumentError("$UNKNOWN_OPTION $option"))
    defined = gensym("defined")
    return quote
        $defined = $(esc(definition))
        ThreeChains.function_text(::typeof($(esc(name_in(definition))))) = $(text_of(definition))
        argument_types($defined)
        $defined
    end
end

const UNKNOWN_OPTION = "@ifunc has the options runtime=true, answer=T and payload=(BOUND, INIT), found"

# A method is added where an earlier definition of the same name has left one, too.
function sendable(definition, makers, answer)
    defined, type = gensym("defined"), :(typeof($(esc(name_in(definition)))))
    return quote
        $defined = $(esc(definition))
        function_text($defined) === nothing || (ThreeChains.function_text(::$type) = nothing)
        $(makers === nothing) && payload_functions($defined) === nothing ||
            (ThreeChains.payload_functions(::$type) = $(esc(makers)))
        $(answer === nothing) && answer_type($defined) === nothing ||
            (ThreeChains.answer_type(::$type) = check_answer($(esc(answer))))
        is_precompiling() || bitcode($defined)
        $defined
    end
end

function name_in(definition)
    definition isa Expr && definition.head in (:function, :(=)) ||
        throw(ArgumentError("@ifunc expects the definition of a function, found $definition"))
    signature = definition.args[1]
    while signature isa Expr && signature.head in (:where, :(::), :call)
        signature = signature.args[1]
    end
    signature isa Symbol || throw(ArgumentError("@ifunc expects a function with a name, found $signature"))
    return signature
end
