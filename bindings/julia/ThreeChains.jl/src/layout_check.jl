# Checks whether the types of a module lie in memory as they do for this Julia, on another target
# too.

# A target's types as a node's LLVM lays them out. Julia is asked for code of this machine alone;
# code for the other one is the same, unless a type lies otherwise there (check_layout).
struct Target
    triple::String
    layout::String
end

const TARGETS = [
    Target("x86_64-pc-linux-gnu",
           "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"),
    Target("aarch64-unknown-linux-gnu", "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128"),
]

struct LayoutMismatch <: Exception
    name::String
    text::String
end

Base.showerror(io::IO, e::LayoutMismatch) = print(io, "LayoutMismatch: ", e.name, ": ", e.text)

const STRUCT_TYPE = 10 # LLVMTypeKind
const ARRAY_TYPE = 11
const POINTER_TYPE = 12

type_kind(type) = ccall(llvm(:LLVMGetTypeKind), Cint, (Handle,), type)

function struct_elements(type)
    elements = fill(C_NULL, ccall(llvm(:LLVMCountStructElementTypes), Cuint, (Handle,), type))
    ccall(llvm(:LLVMGetStructElementTypes), Cvoid, (Handle, Ptr{Handle}), type, elements)
    return elements
end

# Adds a type and all that it holds or points to.
function collect_types(type, into::Set{Handle})
    kind = type_kind(type)
    kind in (STRUCT_TYPE, ARRAY_TYPE, POINTER_TYPE) || return
    type in into && return
    push!(into, type)
    for inner in (kind == STRUCT_TYPE ? struct_elements(type) : [element_type(type)])
        collect_types(inner, into)
    end
end

function types_of(mod)
    types = Set{Handle}()
    for f in functions(mod), block in blocks(f), instruction in instructions(block)
        collect_types(type_of(instruction), types)
        for i in 0:operand_count(instruction)-1
            collect_types(type_of(operand(instruction, i)), types)
        end
    end
    return types
end

function offsets(layout, type)
    count = ccall(llvm(:LLVMCountStructElementTypes), Cuint, (Handle,), type)
    places = [ccall(llvm(:LLVMOffsetOfElement), Culonglong, (Handle, Handle, Cuint), layout, type, i)
              for i in 0:Int(count)-1]
    return push!(places, ccall(llvm(:LLVMABISizeOfType), Culonglong, (Handle, Handle), layout, type))
end

function check_layout(mod, target::Target, name::String)
    here = ccall(llvm(:LLVMGetModuleDataLayout), Handle, (Handle,), mod)
    there = ccall(llvm(:LLVMCreateTargetData), Handle, (Cstring,), target.layout)
    try
        for type in types_of(mod)
            type_kind(type) == STRUCT_TYPE || continue
            ccall(llvm(:LLVMIsOpaqueStruct), Cint, (Handle,), type) == 0 || continue
            expected, found = offsets(here, type), offsets(there, type)
            expected == found || throw(LayoutMismatch(name,
                string("the fields of ", type_text(type), " begin at ", join(Int.(expected), ", "),
                       " in this Julia and at ", join(Int.(found), ", "), " on ", target.triple,
                       " (last: the size); use a type whose fields lie alike, such as two UInt64 for one Int128")))
        end
    finally
        ccall(llvm(:LLVMDisposeTargetData), Cvoid, (Handle,), there)
    end
end
