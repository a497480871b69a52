# A Julia function becomes one LLVM module for each architecture that nodes have.

const EXTERN_POLICY = 1 # CompilationPolicy: what the function calls goes into the same module

function method_instance(f, types::Type{<:Tuple})
    found = Base._methods(f, types, -1, typemax(UInt))
    length(found) == 1 || error("no method of $f takes $(join(types.parameters, ", "))")
    type, parameters, method = found[1]
    return ccall(:jl_specializations_get_linfo, Ref{Core.MethodInstance}, (Any, Any, Any),
                 method, type, parameters)
end

# Julia's module for methods and all that they call, not optimised. It stays Julia's.
function emit(instances::Vector{Core.MethodInstance})
    v"1.5" <= VERSION < v"1.6" ||
        error("this is Julia $VERSION, expected 1.5, whose compiler functions are made with")
    parameters = Base.CodegenParams(track_allocations=false, code_coverage=false, prefer_specsig=true)
    code = ccall(:jl_create_native, Handle,
                 (Vector{Core.MethodInstance}, Base.CodegenParams, Cint), instances, parameters,
                 EXTERN_POLICY)
    code == C_NULL && error("Julia could not compile $(first(instances))")
    return ccall(:jl_get_llvm_module, Handle, (Handle,), code)
end

# The machine that passes ask what pays.
function target_machine(target::Target)
    kind = Ref{Handle}(C_NULL)
    message = Ref{Ptr{UInt8}}(C_NULL)
    failed = ccall(llvm(:LLVMGetTargetFromTriple), Cint, (Cstring, Ref{Handle}, Ref{Ptr{UInt8}}),
                   target.triple, kind, message)
    failed == 0 || error(take_text(message[]))
    level, position_independent, code_model = 2, 2, 3
    return ccall(llvm(:LLVMCreateTargetMachine), Handle,
                 (Handle, Cstring, Cstring, Cstring, Cint, Cint, Cint), kind[], target.triple,
                 "generic", "", level, position_independent, code_model)
end

function run_passes(mod, add_passes)
    manager = ccall(llvm(:LLVMCreatePassManager), Handle, ())
    add_passes(manager)
    ccall(llvm(:LLVMRunPassManager), Cint, (Handle, Handle), manager, mod)
    ccall(llvm(:LLVMDisposePassManager), Cvoid, (Handle,), manager)
end

function optimise(mod, target::Target)
    machine = target_machine(target)
    run_passes(mod, manager -> begin
        ccall(llvm(:LLVMAddAnalysisPasses), Cvoid, (Handle, Handle), machine, manager)
        ccall(:jl_add_optimization_passes, Cvoid, (Handle, Cint, Cint), manager, 2, 1)
    end)
    # Julia's passes inline nothing of what Julia itself has left as calls, the entry's for one.
    builder = ccall(llvm(:LLVMPassManagerBuilderCreate), Handle, ())
    ccall(llvm(:LLVMPassManagerBuilderSetOptLevel), Cvoid, (Handle, Cuint), builder, 2)
    ccall(llvm(:LLVMPassManagerBuilderUseInlinerWithThreshold), Cvoid, (Handle, Cuint), builder, 225)
    run_passes(mod, manager -> begin
        ccall(llvm(:LLVMAddAnalysisPasses), Cvoid, (Handle, Handle), machine, manager)
        ccall(llvm(:LLVMPassManagerBuilderPopulateModulePassManager), Cvoid, (Handle, Handle), builder, manager)
    end)
    ccall(llvm(:LLVMPassManagerBuilderDispose), Cvoid, (Handle,), builder)
    ccall(llvm(:LLVMDisposeTargetMachine), Cvoid, (Handle,), machine)
end

# One function of a library of functions: what Julia compiles, and NAME_main or what else it becomes.
struct Entry
    callable::Any
    suffix::String
    arguments::Vector{DataType}
    result::DataType
end

public(entry::Entry, name::String) = name * entry.suffix

# The types of the C interface, where Julia's functions have numbers for pointers.
function c_type(context, type::DataType)
    type == Nothing && return ccall(llvm(:LLVMVoidTypeInContext), Handle, (Handle,), context)
    type == Int32 && return ccall(llvm(:LLVMInt32TypeInContext), Handle, (Handle,), context)
    type == UInt64 && return ccall(llvm(:LLVMInt64TypeInContext), Handle, (Handle,), context)
    byte = ccall(llvm(:LLVMInt8TypeInContext), Handle, (Handle,), context)
    return ccall(llvm(:LLVMPointerType), Handle, (Handle, Cuint), byte, 0)
end

# Adds a function with these types, which calls Julia's.
function add_entry(mod, inner, entry::Entry, name::String)
    context = ccall(llvm(:LLVMGetModuleContext), Handle, (Handle,), mod)
    word = c_type(context, UInt64)
    types = [c_type(context, type) for type in entry.arguments]
    type = ccall(llvm(:LLVMFunctionType), Handle, (Handle, Ptr{Handle}, Cuint, Cint),
                 c_type(context, entry.result), types, length(types), 0)
    outer = ccall(llvm(:LLVMAddFunction), Handle, (Handle, Cstring, Handle), mod, public(entry, name), type)
    builder = ccall(llvm(:LLVMCreateBuilderInContext), Handle, (Handle,), context)
    block = ccall(llvm(:LLVMAppendBasicBlockInContext), Handle, (Handle, Handle, Cstring), context, outer, "top")
    ccall(llvm(:LLVMPositionBuilderAtEnd), Cvoid, (Handle, Handle), builder, block)
    given = map(enumerate(entry.arguments)) do (i, argument)
        value = ccall(llvm(:LLVMGetParam), Handle, (Handle, Cuint), outer, i - 1)
        argument <: Ptr || return value
        ccall(llvm(:LLVMBuildPtrToInt), Handle, (Handle, Handle, Handle, Cstring), builder, value, word, "")
    end
    result = ccall(llvm(:LLVMBuildCall), Handle, (Handle, Handle, Ptr{Handle}, Cuint, Cstring), builder,
                   inner, given, length(given), "")
    if entry.result == Nothing
        ccall(llvm(:LLVMBuildRetVoid), Handle, (Handle,), builder)
    else
        ccall(llvm(:LLVMBuildRet), Handle, (Handle, Handle), builder, result)
    end
    ccall(llvm(:LLVMDisposeBuilder), Cvoid, (Handle,), builder)
    inline = ccall(llvm(:LLVMGetEnumAttributeKindForName), Cuint, (Cstring, Csize_t), "alwaysinline", 12)
    always = ccall(llvm(:LLVMCreateEnumAttribute), Handle, (Handle, Cuint, UInt64), context, inline, 0)
    ccall(llvm(:LLVMAddAttributeAtIndex), Cvoid, (Handle, Cuint, Handle), inner, typemax(Cuint), always)
end

# Makes NAME_main and its like of the functions that the module is made for, by their names in Julia, and
# takes away what only Julia's own calls need.
function name_entries(mod, entries, name::String)
    for f in functions(mod)
        is_declaration(f) && continue
        if startswith(name_of(f), "jfptr_")
            ccall(llvm(:LLVMDeleteFunction), Cvoid, (Handle,), f)
            continue
        end
        link!(f, INTERNAL)
        plain = match(r"^julia_(.*)_\d+$", name_of(f))
        plain === nothing || !haskey(entries, plain[1]) || add_entry(mod, f, entries[plain[1]], name)
    end
end

# Julia writes the address of a C function that it knows; a node knows its name.
function name_c_functions(mod, names)
    for f in functions(mod), block in blocks(f), instruction in instructions(block)
        is_a(instruction, :LLVMIsACallInst) || continue
        at = called(instruction)
        address = address_of(at)
        address == 0 && continue
        symbol = get(names, address, linked_name(address))
        (isempty(symbol) || is_runtime(symbol)) && continue
        declared = ccall(llvm(:LLVMGetNamedFunction), Handle, (Handle, Cstring), mod, symbol)
        if declared == C_NULL
            type = element_type(type_of(at))
            declared = ccall(llvm(:LLVMAddFunction), Handle, (Handle, Cstring, Handle), mod, symbol, type)
        end
        if type_of(declared) != type_of(at)
            declared = ccall(llvm(:LLVMConstBitCast), Handle, (Handle, Handle), declared, type_of(at))
        end
        set_operand!(instruction, operand_count(instruction) - 1, declared)
    end
end

function drop_julia_globals(mod)
    for g in globals(mod)
        name_of(g) == "llvm.compiler.used" && ccall(llvm(:LLVMDeleteGlobal), Cvoid, (Handle,), g)
    end
end

# Julia numbers names by what it has compiled before. Without them equal functions are equal bytes, which
# nodes know again.
function drop_names(mod)
    for (i, f) in enumerate(filter(f -> !is_declaration(f), functions(mod)))
        startswith(name_of(f), "julia_") && rename!(f, "inner_$i")
        for block in blocks(f)
            rename!(block, "")
            foreach(instruction -> rename!(instruction, ""), instructions(block))
        end
    end
end

function finish(mod, target::Target)
    ccall(llvm(:LLVMStripModuleDebugInfo), Cint, (Handle,), mod)
    run_passes(mod, manager -> begin
        ccall(llvm(:LLVMAddGlobalDCEPass), Cvoid, (Handle,), manager)
        ccall(llvm(:LLVMAddStripDeadPrototypesPass), Cvoid, (Handle,), manager)
    end)
    drop_names(mod)
    ccall(llvm(:LLVMSetDataLayout), Cvoid, (Handle, Cstring), mod, target.layout)
end

# The bitcode of a module for one target. `entries`: by their names in Julia.
function compile_for(original, target::Target, name::String, entries, names)
    mod = ccall(llvm(:LLVMCloneModule), Handle, (Handle,), original)
    try
        check_layout(mod, target, name)
        ccall(llvm(:LLVMSetTarget), Cvoid, (Handle, Cstring), mod, target.triple)
        name_entries(mod, entries, name)
        optimise(mod, target)
        drop_julia_globals(mod)
        name_c_functions(mod, names)
        for entry in values(entries)
            made = ccall(llvm(:LLVMGetNamedFunction), Handle, (Handle, Cstring), mod, public(entry, name))
            made == C_NULL && error("Julia made no function for $(public(entry, name))")
            check_runtime(made, entry.suffix == "_main" ? name : public(entry, name))
        end
        finish(mod, target)
        return write_bitcode(mod)
    finally
        ccall(llvm(:LLVMDisposeModule), Cvoid, (Handle,), mod)
    end
end

# The bitcode of a function and of those that make its payloads, by triple.
function compile(parts::Vector{Entry}, name::String)
    open_llvm()
    instances = [method_instance(part.callable, Tuple{part.arguments...}) for part in parts]
    original = emit(instances)
    entries = Dict(string(instance.def.name) => part for (instance, part) in zip(instances, parts))
    names = merge(map(c_names, instances)...)
    return [target.triple => compile_for(original, target, name, entries, names) for target in TARGETS]
end
