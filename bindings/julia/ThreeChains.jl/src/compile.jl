# A Julia function becomes one LLVM module for each architecture that nodes have.

const EXTERN_POLICY = 1 # CompilationPolicy: called functions go into the same module

function method_instance(f, types::Type{<:Tuple})
    found = Base._methods(f, types, -1, typemax(UInt))
    length(found) == 1 || error("no method of $f takes $(join(types.parameters, ", "))")
    type, parameters, method = found[1]
    return ccall(:jl_specializations_get_linfo, Ref{Core.MethodInstance}, (Any, Any, Any),
                 method, type, parameters)
end

# Julia's code for methods and all that they call, not optimised: its module, which stays Julia's, and the
# name of each method there.
function emit(instances::Vector{Core.MethodInstance})
    v"1.5" <= VERSION < v"1.6" ||
        error("this is Julia $VERSION, expected 1.5, whose compiler functions are made with")
    parameters = Base.CodegenParams(track_allocations=false, code_coverage=false, prefer_specsig=true)
    code = ccall(:jl_create_native, Handle,
                 (Vector{Core.MethodInstance}, Base.CodegenParams, Cint), instances, parameters,
                 EXTERN_POLICY)
    code == C_NULL && error("Julia could not compile $(first(instances))")
    mod = ccall(:jl_get_llvm_module, Handle, (Handle,), code)
    return mod, [code_name(code, instance) for instance in instances]
end

function code_name(code, instance::Core.MethodInstance)
    world = ccall(:jl_get_world_counter, UInt, ())
    made = ccall(:jl_rettype_inferred, Any, (Any, UInt, UInt), instance, world, world)
    generic, special = Ref{Int32}(0), Ref{Int32}(0)
    made === nothing || ccall(:jl_get_function_id, Cvoid, (Handle, Any, Ref{Int32}, Ref{Int32}), code, made, generic, special)
    special[] > 0 || error("Julia made no plain function of $instance")
    return name_of(ccall(:jl_get_llvm_function, Handle, (Handle, UInt32), code, special[] - 1))
end

# The machine that passes query for costs.
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
    # Julia's passes inline no calls that Julia itself has kept, the entry's for one.
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

# One function that others find: the function that Julia compiles, and the symbol and types that it
# has in C.
struct Entry
    callable::Any
    symbol::String
    arguments::Vector{DataType}
    result::DataType
end

# How messages call it.
title(entry::Entry, name::String) = entry.symbol == name * "_main" ? name : entry.symbol

# The types of the C interface, where Julia's functions have numbers for pointers.
function c_type(context, type::DataType)
    type == Nothing && return ccall(llvm(:LLVMVoidTypeInContext), Handle, (Handle,), context)
    type == Float32 && return ccall(llvm(:LLVMFloatTypeInContext), Handle, (Handle,), context)
    type == Float64 && return ccall(llvm(:LLVMDoubleTypeInContext), Handle, (Handle,), context)
    type <: Ptr || return ccall(llvm(:LLVMIntTypeInContext), Handle, (Handle, Cuint), context, 8 * sizeof(type))
    byte = ccall(llvm(:LLVMInt8TypeInContext), Handle, (Handle,), context)
    return ccall(llvm(:LLVMPointerType), Handle, (Handle, Cuint), byte, 0)
end

function add_attribute(f, at::Integer, attribute::String)
    context = ccall(llvm(:LLVMGetTypeContext), Handle, (Handle,), type_of(f))
    kind = ccall(llvm(:LLVMGetEnumAttributeKindForName), Cuint, (Cstring, Csize_t), attribute, sizeof(attribute))
    made = ccall(llvm(:LLVMCreateEnumAttribute), Handle, (Handle, Cuint, UInt64), context, kind, 0)
    ccall(llvm(:LLVMAddAttributeAtIndex), Cvoid, (Handle, Cuint, Handle), f, at % Cuint, made)
end

# C's callers expect of a number of less than 32 bits that it fills a register.
function widen(f, at::Integer, type::DataType)
    type <: Integer && sizeof(type) < 4 && add_attribute(f, at, type <: Signed ? "signext" : "zeroext")
end

# The numbers that Julia's function takes for a C function's parameters.
function given_arguments(builder, outer, entry::Entry, word)
    return map(enumerate(entry.arguments)) do (i, argument)
        value = ccall(llvm(:LLVMGetParam), Handle, (Handle, Cuint), outer, i - 1)
        widen(outer, i, argument)
        argument <: Ptr || return value
        ccall(llvm(:LLVMBuildPtrToInt), Handle, (Handle, Handle, Handle, Cstring), builder, value, word, "")
    end
end

function add_return(builder, value, entry::Entry, type)
    if entry.result == Nothing
        ccall(llvm(:LLVMBuildRetVoid), Handle, (Handle,), builder)
        return
    end
    if entry.result <: Ptr
        value = ccall(llvm(:LLVMBuildIntToPtr), Handle, (Handle, Handle, Handle, Cstring), builder, value, type, "")
    end
    ccall(llvm(:LLVMBuildRet), Handle, (Handle, Handle), builder, value)
end

# Adds a function with these types, which calls Julia's.
function add_entry(mod, inner, entry::Entry)
    context = ccall(llvm(:LLVMGetModuleContext), Handle, (Handle,), mod)
    types = Handle[c_type(context, type) for type in entry.arguments]
    result = c_type(context, entry.result)
    type = ccall(llvm(:LLVMFunctionType), Handle, (Handle, Ptr{Handle}, Cuint, Cint), result, types,
                 length(types), 0)
    outer = ccall(llvm(:LLVMAddFunction), Handle, (Handle, Cstring, Handle), mod, entry.symbol, type)
    builder = ccall(llvm(:LLVMCreateBuilderInContext), Handle, (Handle,), context)
    block = ccall(llvm(:LLVMAppendBasicBlockInContext), Handle, (Handle, Handle, Cstring), context, outer, "top")
    ccall(llvm(:LLVMPositionBuilderAtEnd), Cvoid, (Handle, Handle), builder, block)
    given = Handle[given_arguments(builder, outer, entry, c_type(context, UInt64))...]
    made = ccall(llvm(:LLVMBuildCall), Handle, (Handle, Handle, Ptr{Handle}, Cuint, Cstring), builder,
                 inner, given, length(given), "")
    add_return(builder, made, entry, result)
    ccall(llvm(:LLVMDisposeBuilder), Cvoid, (Handle,), builder)
    widen(outer, 0, entry.result)
    add_attribute(inner, typemax(Cuint), "alwaysinline")
end

# Makes NAME_main and its like of the functions that the module is made for, by their names there, and
# removes code that only Julia's own calls need.
function name_entries(mod, entries)
    for f in functions(mod)
        is_declaration(f) && continue
        if startswith(name_of(f), "jfptr_")
            ccall(llvm(:LLVMDeleteFunction), Cvoid, (Handle,), f)
        else
            link!(f, INTERNAL)
        end
    end
    for (called, entry) in entries
        add_entry(mod, ccall(llvm(:LLVMGetNamedFunction), Handle, (Handle, Cstring), mod, called), entry)
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

# Julia numbers names by its earlier compilations. Without them equal functions are equal bytes, which
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

function complete(mod, target::Target)
    ccall(llvm(:LLVMStripModuleDebugInfo), Cint, (Handle,), mod)
    run_passes(mod, manager -> begin
        ccall(llvm(:LLVMAddGlobalDCEPass), Cvoid, (Handle,), manager)
        ccall(llvm(:LLVMAddStripDeadPrototypesPass), Cvoid, (Handle,), manager)
    end)
    drop_names(mod)
    ccall(llvm(:LLVMSetDataLayout), Cvoid, (Handle, Cstring), mod, target.layout)
end

# The bitcode of a module for one target. `entries`: each with the name of its code in the module.
function compile_for(original, target::Target, name::String, entries, names)
    mod = ccall(llvm(:LLVMCloneModule), Handle, (Handle,), original)
    try
        check_layout(mod, target, name)
        ccall(llvm(:LLVMSetTarget), Cvoid, (Handle, Cstring), mod, target.triple)
        name_entries(mod, entries)
        any(is_unit(entry) for (_, entry) in entries) && mark_unit(mod, name)
        optimise(mod, target)
        drop_julia_globals(mod)
        name_c_functions(mod, names)
        for (_, entry) in entries
            made = ccall(llvm(:LLVMGetNamedFunction), Handle, (Handle, Cstring), mod, entry.symbol)
            made == C_NULL && error("Julia made no function for $(entry.symbol)")
            check_runtime(made, title(entry, name))
        end
        complete(mod, target)
        return write_bitcode(mod)
    finally
        ccall(llvm(:LLVMDisposeModule), Cvoid, (Handle,), mod)
    end
end

# The bitcode of the entries of a function or library, by triple.
function compile(parts::Vector{Entry}, name::String)
    open_llvm()
    instances = [method_instance(part.callable, Tuple{part.arguments...}) for part in parts]
    original, called = emit(instances)
    entries = collect(zip(called, parts))
    names = merge(map(c_names, instances)...)
    return [target.triple => compile_for(original, target, name, entries, names) for target in TARGETS]
end
