# Operations of active messages: functions that take a Unit and three Views.

struct AmUnit # tc_am_unit
    input::Ptr{Cvoid}
    output::Ptr{Cvoid}
    persistent::Ptr{Cvoid}
    persistent_bytes::UInt64
    input_bytes::UInt32
    output_bytes::UInt32
    segments::UInt32
    first::UInt32
    description::Ptr{UInt8}
    description_bytes::UInt32
    origin::UInt32
    status::Int32
    text::NTuple{160,UInt8}
end

struct AmNode # tc_am_node
    abi::UInt32
    unused::UInt32
    start::Ptr{Cvoid}
    finish::Ptr{Cvoid}
end

const AM_ABI = 0x00000001
const AM_STATUS = Int(fieldoffset(AmUnit, 12))
const AM_TEXT = Int(fieldoffset(AmUnit, 13))
const AM_TEXT_MAX = 160

"""
    Unit

In an operation of active messages: the run. `segments` and `first` number its segments, `origin` is the rank that
asks, `input_bytes` and `output_bytes` are those of one segment, `persistent_bytes` those of the range, and
`description` is the origin's, a `View{UInt8}`.
"""
struct Unit
    segments::Int
    first::Int
    origin::UInt32
    input_bytes::Int
    output_bytes::Int
    persistent_bytes::Int
    description::View{UInt8}
    at::Ptr{AmUnit}
end

@inline Unit(unit::AmUnit, at::Ptr{AmUnit}) =
    Unit(Int(unit.segments), Int(unit.first), unit.origin, Int(unit.input_bytes), Int(unit.output_bytes),
         unit.persistent_bytes % Int, View{UInt8}(unit.description, Int(unit.description_bytes)), at)

"""
    fail!(unit, status, c"TEXT")

In an operation of active messages: makes the unit fail. Its output is dropped; its stores to the window stay.
`status` is one of the library's, below 0.
"""
@inline function fail!(unit::Unit, status::Integer, text::CText{N}) where {N}
    place, start = Ref(text), Ptr{UInt8}(unit.at)
    GC.@preserve place begin
        from = Ptr{UInt8}(Base.unsafe_convert(Ptr{CText{N}}, place))
        ccall("extern memcpy", llvmcall, Ptr{Cvoid}, (Ptr{UInt8}, Ptr{UInt8}, UInt64), start + AM_TEXT, from,
              min(N, AM_TEXT_MAX - 1) % UInt64)
    end
    unsafe_store!(start + (AM_TEXT + min(N, AM_TEXT_MAX - 1)), 0x00)
    unsafe_store!(Ptr{Int32}(start + AM_STATUS), status < 0 ? status % Int32 : E_INVALID % Int32)
    return
end

@noinline function misfit(at::Ptr{AmUnit}, format::CText, found::UInt64, expected::UInt64)
    ccall("extern snprintf", llvmcall, Cint, (Ptr{UInt8}, UInt64, Ptr{UInt8}, UInt64, UInt64), Ptr{UInt8}(at) + AM_TEXT,
          AM_TEXT_MAX % UInt64, format, found, expected)
    unsafe_store!(Ptr{Int32}(Ptr{UInt8}(at) + AM_STATUS), E_INVALID % Int32)
    return
end

# Whether the bytes are elements of that type; if not, the unit has failed.
@inline function are_elements(::Type{T}, at::Ptr{AmUnit}, start::Ptr{Cvoid}, bytes::UInt64, whole::CText, lies::CText) where {T}
    element, alignment = sizeof(T) % UInt64, c_alignment_of(T)
    bytes % element == 0 || (misfit(at, whole, bytes, element); return false)
    is_aligned = bytes == 0 || UInt64(start) % alignment == 0
    is_aligned || misfit(at, lies, UInt64(start), alignment)
    return is_aligned
end
@generated c_alignment_of(::Type{T}) where {T} = UInt64(c_alignment(T))

elements_of(::Type{View{T}}, start::Ptr{Cvoid}, bytes::UInt64) where {T} =
    View{T}(Ptr{T}(start), (bytes ÷ (sizeof(T) % UInt64)) % Int)

@inline fit(::Type{View{I}}, ::Type{View{O}}, ::Type{View{P}}, unit::AmUnit, at::Ptr{AmUnit}) where {I,O,P} =
    are_elements(I, at, unit.input, UInt64(unit.input_bytes),
                 c"segments of the input have the bytes %zu, expected a multiple of %zu",
                 c"the input lies at %zu, expected a multiple of %zu") &&
    are_elements(O, at, unit.output, UInt64(unit.output_bytes),
                 c"segments of the output have the bytes %zu, expected a multiple of %zu",
                 c"the output lies at %zu, expected a multiple of %zu") &&
    are_elements(P, at, unit.persistent, unit.persistent_bytes, c"the range has the bytes %zu, expected a multiple of %zu",
                 c"the range lies at %zu, expected a multiple of %zu")

# The runtime of the rank, or null, and the message has failed.
@inline function am_node()
    size = Ref{UInt64}(0)
    node = Ptr{AmNode}(ccall("extern tc_self_data", llvmcall, Ptr{Cvoid}, (Ptr{UInt8}, Ref{UInt64}), c"tc_ams", size))
    if node == C_NULL
        ccall("extern tc_self_fail", llvmcall, Cvoid, (Cint, Ptr{UInt8}), E_UNSUPPORTED,
              c"the rank has no active messages open")
    elseif size[] < sizeof(AmNode) || unsafe_load(Ptr{UInt32}(node)) != AM_ABI
        ccall("extern tc_self_fail", llvmcall, Cvoid, (Cint, Ptr{UInt8}), E_UNSUPPORTED,
              c"the rank has active messages of another version")
        node = Ptr{AmNode}(C_NULL)
    end
    return node
end

# Calls of the runtime's functions. A ccall of an address checks it, and would throw.
@inline start_unit(node::AmNode, at::Ptr{AmNode}, payload::Ptr{UInt8}, size::UInt64, unit::Ptr{AmUnit}) =
    Base.llvmcall("""
        %f = inttoptr i64 %0 to i32 (i64, i64, i64, i64)*
        %started = call i32 %f(i64 %1, i64 %2, i64 %3, i64 %4)
        ret i32 %started""", Cint, Tuple{UInt64,UInt64,UInt64,UInt64,UInt64}, UInt64(node.start), UInt64(at), UInt64(payload), size,
        UInt64(unit))
@inline finish_unit(node::AmNode, at::Ptr{AmNode}, unit::Ptr{AmUnit}) =
    Base.llvmcall("""
        %f = inttoptr i64 %0 to void (i64, i64, i32)*
        call void %f(i64 %1, i64 %2, i32 1)
        ret void""", Cvoid, Tuple{UInt64,UInt64,UInt64}, UInt64(node.finish), UInt64(at), UInt64(unit))

struct IfuncUnit{F,I,O,P} end

# No exception leaves a function that travels, so the end always comes.
function (::IfuncUnit{F,I,O,P})(payload::Ptr{UInt8}, size::UInt64, ::Ptr{Cvoid}) where {F,I,O,P}
    at = am_node()
    at == C_NULL && return nothing
    node, place = unsafe_load(at), Ref{AmUnit}()
    GC.@preserve place begin
        unit = Base.unsafe_convert(Ptr{AmUnit}, place)
        if start_unit(node, at, payload, size, unit) != 0
            u = unsafe_load(unit)
            fit(I, O, P, u, unit) &&
                F.instance(Unit(u, unit), elements_of(I, u.input, UInt64(u.segments) * u.input_bytes),
                           elements_of(O, u.output, UInt64(u.segments) * u.output_bytes),
                           elements_of(P, u.persistent, u.persistent_bytes))
            finish_unit(node, at, unit)
        end
    end
    return nothing
end

takes_unit(types) = length(types) == 4 && types[1] == Unit && all(is_payload, types[2:4])
is_unit(entry::Entry) = entry.callable isa IfuncUnit

# tc-ar names the entry's shape by it.
function mark_unit(mod, name::String)
    context = ccall(llvm(:LLVMGetModuleContext), Handle, (Handle,), mod)
    mark = ccall(llvm(:LLVMAddGlobal), Handle, (Handle, Handle, Cstring), mod, c_type(context, UInt64), name * "_payload_unit")
    ccall(llvm(:LLVMSetInitializer), Cvoid, (Handle, Handle), mark,
          ccall(llvm(:LLVMConstInt), Handle, (Handle, Culonglong, Cint), c_type(context, UInt64), 1, 0))
    ccall(llvm(:LLVMSetGlobalConstant), Cvoid, (Handle, Cint), mark, 1)
end
