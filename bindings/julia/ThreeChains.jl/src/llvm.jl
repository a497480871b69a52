# The LLVM that this Julia compiles with, through its C API.

const Handle = Ptr{Cvoid}

const llvm_library = Ref{Ptr{Cvoid}}(C_NULL)

llvm(name::Symbol) = dlsym(llvm_library[], name)

function open_llvm()
    llvm_library[] == C_NULL || return
    paths = filter(path -> occursin("libLLVM", basename(path)), dllist())
    isempty(paths) && error("this Julia has its LLVM inside, expected a libLLVM beside it")
    llvm_library[] = dlopen(first(paths))
    for target in ("X86", "AArch64"), part in ("TargetInfo", "Target", "TargetMC")
        ccall(llvm(Symbol("LLVMInitialize", target, part)), Cvoid, ())
    end
end

# A list for which the C API has functions that return the first and next element.
struct Chain
    owner::Handle
    first::Symbol
    next::Symbol
end

function Base.iterate(chain::Chain, at::Handle=ccall(llvm(chain.first), Handle, (Handle,), chain.owner))
    at == C_NULL && return nothing
    return at, ccall(llvm(chain.next), Handle, (Handle,), at)
end

Base.IteratorSize(::Type{Chain}) = Base.SizeUnknown()
Base.eltype(::Type{Chain}) = Handle

functions(mod) = collect(Chain(mod, :LLVMGetFirstFunction, :LLVMGetNextFunction))
globals(mod) = collect(Chain(mod, :LLVMGetFirstGlobal, :LLVMGetNextGlobal))
blocks(f) = Chain(f, :LLVMGetFirstBasicBlock, :LLVMGetNextBasicBlock)
instructions(block) = Chain(block, :LLVMGetFirstInstruction, :LLVMGetNextInstruction)

is_declaration(f) = ccall(llvm(:LLVMIsDeclaration), Cint, (Handle,), f) != 0
is_a(value, kind::Symbol) = ccall(llvm(kind), Handle, (Handle,), value) != C_NULL
type_of(value) = ccall(llvm(:LLVMTypeOf), Handle, (Handle,), value)
element_type(type) = ccall(llvm(:LLVMGetElementType), Handle, (Handle,), type)
operand_count(value) = ccall(llvm(:LLVMGetNumOperands), Cint, (Handle,), value)
operand(value, i) = ccall(llvm(:LLVMGetOperand), Handle, (Handle, Cuint), value, i)

function set_operand!(value, i, to)
    ccall(llvm(:LLVMSetOperand), Cvoid, (Handle, Cuint, Handle), value, i, to)
end

function name_of(value)
    size = Ref{Csize_t}(0)
    text = ccall(llvm(:LLVMGetValueName2), Ptr{UInt8}, (Handle, Ref{Csize_t}), value, size)
    return unsafe_string(text, size[])
end

function rename!(value, name::String)
    ccall(llvm(:LLVMSetValueName2), Cvoid, (Handle, Ptr{UInt8}, Csize_t), value, name, sizeof(name))
end

const EXTERNAL = 0 # LLVMLinkage
const INTERNAL = 8

link!(value, linkage) = ccall(llvm(:LLVMSetLinkage), Cvoid, (Handle, Cint), value, linkage)

# LLVM's own text of something, which it allocates.
function take_text(text::Ptr{UInt8})
    copy = unsafe_string(text)
    ccall(llvm(:LLVMDisposeMessage), Cvoid, (Ptr{UInt8},), text)
    return copy
end

value_text(value) = take_text(ccall(llvm(:LLVMPrintValueToString), Ptr{UInt8}, (Handle,), value))
type_text(type) = take_text(ccall(llvm(:LLVMPrintTypeToString), Ptr{UInt8}, (Handle,), type))
module_text(mod) = take_text(ccall(llvm(:LLVMPrintModuleToString), Ptr{UInt8}, (Handle,), mod))

# Where an instruction comes from: the line of a Julia source and all that it was inlined into,
# innermost first, as (file, line, function).
function lines_of(instruction)
    found = Tuple{String,Int,String}[]
    context = ccall(llvm(:LLVMGetTypeContext), Handle, (Handle,), type_of(instruction))
    at = ccall(llvm(:LLVMInstructionGetDebugLoc), Handle, (Handle,), instruction)
    while at != C_NULL
        scope = ccall(llvm(:LLVMDILocationGetScope), Handle, (Handle,), at)
        file = ccall(llvm(:LLVMDIScopeGetFile), Handle, (Handle,), scope)
        line = ccall(llvm(:LLVMDILocationGetLine), Cuint, (Handle,), at)
        name = file == C_NULL ? "?" : file_name(file)
        push!(found, (name, Int(line), subprogram_name(scope, context)))
        at = ccall(llvm(:LLVMDILocationGetInlinedAt), Handle, (Handle,), at)
    end
    return found
end

function file_name(file)
    size = Ref{Cuint}(0)
    text = ccall(llvm(:LLVMDIFileGetFilename), Ptr{UInt8}, (Handle, Ref{Cuint}), file, size)
    return text == C_NULL ? "?" : unsafe_string(text, size[])
end

# The C API has no getter for the name of a DISubprogram; it is the node's third operand.
function subprogram_name(scope, context)
    node = ccall(llvm(:LLVMMetadataAsValue), Handle, (Handle, Handle), context, scope)
    parts = fill(C_NULL, ccall(llvm(:LLVMGetMDNodeNumOperands), Cuint, (Handle,), node))
    ccall(llvm(:LLVMGetMDNodeOperands), Cvoid, (Handle, Ptr{Handle}), node, parts)
    length(parts) > 2 && parts[3] != C_NULL || return "?"
    size = Ref{Cuint}(0)
    text = ccall(llvm(:LLVMGetMDString), Ptr{UInt8}, (Handle, Ref{Cuint}), parts[3], size)
    return text == C_NULL ? "?" : String(rstrip(unsafe_string(text, size[]), ';'))
end

function write_bitcode(mod)
    memory = ccall(llvm(:LLVMWriteBitcodeToMemoryBuffer), Handle, (Handle,), mod)
    start = ccall(llvm(:LLVMGetBufferStart), Ptr{UInt8}, (Handle,), memory)
    size = ccall(llvm(:LLVMGetBufferSize), Csize_t, (Handle,), memory)
    bytes = copy(unsafe_wrap(Array, start, size))
    ccall(llvm(:LLVMDisposeMemoryBuffer), Cvoid, (Handle,), memory)
    return bytes
end
