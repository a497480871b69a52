# Loads, stores and atomic operations on memory that others change meanwhile.

const WORD_BYTES = 8

# Operands: integers of at most 64 bits. Results of theirs are Int64, or UInt64 if an operand is.
const Word = Base.BitInteger64

word_type(operands::Word...) = any(operand -> operand isa UInt64, operands) ? UInt64 : Int64

@static if VERSION >= v"1.10"
    load_word(at::Ptr{UInt64}) = unsafe_load(at, :acquire)
    store_word(at::Ptr{UInt64}, value::UInt64) = unsafe_store!(at, value, :release)
    add_word(at::Ptr{UInt64}, value::UInt64) = first(unsafe_modify!(at, +, value, :sequentially_consistent))
    swap_word(at::Ptr{UInt64}, expected::UInt64, desired::UInt64) =
        unsafe_replace!(at, expected, desired, :sequentially_consistent, :sequentially_consistent).old
else
    # Older ones have atomic operations on objects of Julia's alone, and LLVM with types of pointers.
    load_word(at::Ptr{UInt64}) = Base.llvmcall("""
        %at = inttoptr i64 %0 to i64*
        %value = load atomic i64, i64* %at acquire, align 8
        ret i64 %value""", UInt64, Tuple{Ptr{UInt64}}, at)
    store_word(at::Ptr{UInt64}, value::UInt64) = Base.llvmcall("""
        %at = inttoptr i64 %0 to i64*
        store atomic i64 %1, i64* %at release, align 8
        ret void""", Cvoid, Tuple{Ptr{UInt64},UInt64}, at, value)
    add_word(at::Ptr{UInt64}, value::UInt64) = Base.llvmcall("""
        %at = inttoptr i64 %0 to i64*
        %before = atomicrmw add i64* %at, i64 %1 seq_cst
        ret i64 %before""", UInt64, Tuple{Ptr{UInt64},UInt64}, at, value)
    swap_word(at::Ptr{UInt64}, expected::UInt64, desired::UInt64) = Base.llvmcall("""
        %at = inttoptr i64 %0 to i64*
        %both = cmpxchg i64* %at, i64 %1, i64 %2 seq_cst seq_cst
        %before = extractvalue { i64, i1 } %both, 0
        ret i64 %before""", UInt64, Tuple{Ptr{UInt64},UInt64,UInt64}, at, expected, desired)
end

is_word(at::Ptr{UInt8}, bytes) = bytes == WORD_BYTES && UInt(at) % WORD_BYTES == 0

function copy_plain(to::Vector{UInt8}, from::Ptr{UInt8})
    GC.@preserve to unsafe_copyto!(pointer(to), from, length(to))
    return to
end

# Copies bytes into an array of Julia's: a word as a whole.
copy_out(to::Vector{UInt8}, from::Ptr{UInt8}) = is_word(from, length(to)) ?
    copyto!(to, reinterpret(UInt8, [load_word(Ptr{UInt64}(from))])) : copy_plain(to, from)

function copy_in(to::Ptr{UInt8}, from::Ptr{UInt8}, bytes::Int)
    if is_word(to, bytes)
        word = Ref{UInt64}()
        GC.@preserve word unsafe_copyto!(Ptr{UInt8}(Base.unsafe_convert(Ptr{UInt64}, word)), from, bytes)
        store_word(Ptr{UInt64}(to), word[])
    else
        unsafe_copyto!(to, from, bytes)
    end
    return
end
