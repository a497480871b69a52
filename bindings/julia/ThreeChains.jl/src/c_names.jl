# Finds the C function at an address of this process. Julia writes the addresses of those that it
# knows into its code; another process has to find them by name.

# The C function whose symbol has an address, or "".
function linked_name(address::UInt64)
    info = zeros(UInt, 4) # Dl_info: file, base, name, address
    ccall(:dladdr, Cint, (UInt, Ptr{UInt}), address, info) != 0 || return ""
    return info[3] != 0 && info[4] == address ? unsafe_string(Ptr{UInt8}(info[3])) : ""
end

# The names that a method and the methods that it invokes give to ccall, by the addresses that they have
# here. For strlen and its like the symbol is not where the code is: the linker has chosen one for this
# processor.
function c_names(instance::Core.MethodInstance)
    names = Dict{UInt64,String}()
    collect_c_names(instance, names, Set{Core.MethodInstance}())
    return names
end

function collect_c_names(instance, names, seen)
    instance in seen && return
    push!(seen, instance)
    code, _ = Core.Compiler.typeinf_code(instance.def, instance.specTypes, instance.sparam_vals, true,
                                         Core.Compiler.Params(typemax(UInt)))
    code === nothing && return
    foreach(statement -> visit_c_names(statement, names, seen), code.code)
end

function visit_c_names(statement, names, seen)
    statement isa Expr || return
    if statement.head == :invoke
        collect_c_names(statement.args[1], names, seen)
    elseif statement.head == :foreigncall
        note_c_name(statement.args[1], names)
    end
    foreach(part -> visit_c_names(part, names, seen), statement.args)
end

function note_c_name(name, names)
    name isa QuoteNode && (name = name.value)
    name isa Tuple && !isempty(name) && (name = name[1])
    (name isa Symbol || name isa String) && !occursin(' ', string(name)) || return
    address = ccall(:dlsym, UInt, (Ptr{Cvoid}, Cstring), C_NULL, string(name))
    address == 0 || (names[address] = string(name))
end
