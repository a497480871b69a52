# Functions that need Julia's runtime. Their text travels: NAME_main has the Julia that runs at the node
# compile it, the first time, and calls the result. The tables of types and methods that compiled code refers
# to are those of one process. A node without Julia lacks jl_eval_string and refuses the function.

# The text of a function that travels so; @ifunc adds a method for each.
function_text(f) = nothing

# The text of a definition without its lines, which are of a file that is not there.
text_of(definition::Expr) = string(Base.remove_linenums!(copy(definition)))

# The text that the node evaluates: the address of the body, or null when the text does not compile
# there. No exception leaves either; the caller is notified.
function node_text(f, name::String)
    types = argument_types(f)
    length(types) == 2 && is_payload(types[1]) || throw(ArgumentError(
        "$f has runtime=true and takes ($(join(types, ", "))), expected (View{T}, Ptr{U}) with T and U of bits"))
    home = string("ifunc_", name, "_", string(hash(function_text(f)); base=16))
    return """
    try
        isdefined(Main, :$home) || Base.include_string(Main, $(repr(module_text(f, home, types))), "$name")
        Main.$home.entry
    catch failure
        ccall(:tc_reply_error, Cint, (Cint, Cstring), $E_COMPILE, sprint(showerror, failure))
        C_NULL
    end
    """
end

module_text(f, home, types) = """
    module $home
    using ThreeChains
    $(function_text(f))
    function run(payload::Ptr{UInt8}, size::UInt64, target::Ptr{Cvoid})
        try
            ThreeChains.is_whole($(types[1]), size) || throw(ArgumentError(
                "payload of \$size bytes, expected a multiple of $(sizeof(eltype(types[1])))"))
            $(nameof(f))(ThreeChains.as_payload($(types[1]), payload, size), ThreeChains.as_target($(types[2]), target))
        catch failure
            ccall(:tc_reply_error, Cint, (Cint, Cstring), $E_PAYLOAD, sprint(showerror, failure))
        end
        return
    end
    const entry = @cfunction(run, Cvoid, (Ptr{UInt8}, UInt64, Ptr{Cvoid}))
    end
    """

# Text as LLVM writes it.
function llvm_text(text::String)
    bytes = join(map(byte -> string("\\", string(byte; base=16, pad=2)), codeunits(text)))
    return string("[", sizeof(text) + 1, " x i8] c\"", bytes, "\\00\"")
end

function embedded_module(f, name::String)
    source = node_text(f, name)
    array = string("[", sizeof(source) + 1, " x i8]")
    missing_text = "this process has libjulia and has not started Julia (jl_init), or a thread that is none of Julia's serves the context"
    missing_array = string("[", sizeof(missing_text) + 1, " x i8]")
    return """
    @source = private unnamed_addr constant $(llvm_text(source))
    @not_started = private unnamed_addr constant $(llvm_text(missing_text))
    @entry = internal global void (i8*, i64, i8*)* null
    declare i32 @jl_is_initialized()
    declare i8* @jl_get_current_task()
    declare i8* @jl_eval_string(i8*)
    declare i8* @jl_unbox_voidpointer(i8*)
    declare i32 @tc_reply_error(i32, i8*)
    define void @$(name)_main(i8* %payload, i64 %size, i8* %target) {
      %started = call i32 @jl_is_initialized()
      %runs = icmp ne i32 %started, 0
      br i1 %runs, label %thread, label %refuse
    thread:
      %task = call i8* @jl_get_current_task()
      %foreign = icmp eq i8* %task, null
      br i1 %foreign, label %refuse, label %look
    look:
      %known = load void (i8*, i64, i8*)*, void (i8*, i64, i8*)** @entry
      %first = icmp eq void (i8*, i64, i8*)* %known, null
      br i1 %first, label %make, label %known_run
    known_run:
      call void %known(i8* %payload, i64 %size, i8* %target)
      ret void
    refuse:
      %told = call i32 @tc_reply_error(i32 $E_UNSUPPORTED, i8* getelementptr ($missing_array, $missing_array* @not_started, i64 0, i64 0))
      ret void
    make:
      %boxed = call i8* @jl_eval_string(i8* getelementptr ($array, $array* @source, i64 0, i64 0))
      %failed = icmp eq i8* %boxed, null
      br i1 %failed, label %done, label %unbox
    unbox:
      %address = call i8* @jl_unbox_voidpointer(i8* %boxed)
      %made = bitcast i8* %address to void (i8*, i64, i8*)*
      %none = icmp eq i8* %address, null
      br i1 %none, label %done, label %run
    run:
      store void (i8*, i64, i8*)* %made, void (i8*, i64, i8*)** @entry
      call void %made(i8* %payload, i64 %size, i8* %target)
      br label %done
    done:
      ret void
    }
    """
end

function parse_text(text::String)
    context = ccall(llvm(:LLVMGetGlobalContext), Handle, ())
    memory = ccall(llvm(:LLVMCreateMemoryBufferWithMemoryRangeCopy), Handle, (Ptr{UInt8}, Csize_t, Cstring),
                   text, sizeof(text), "embedded")
    mod, message = Ref{Handle}(C_NULL), Ref{Ptr{UInt8}}(C_NULL)
    failed = ccall(llvm(:LLVMParseIRInContext), Cint, (Handle, Handle, Ref{Handle}, Ref{Ptr{UInt8}}), context,
                   memory, mod, message)
    failed == 0 || error(take_text(message[]))
    return mod[]
end

function compile_embedded(f, name::String)
    open_llvm()
    text = embedded_module(f, name)
    return map(TARGETS) do target
        mod = parse_text(text)
        ccall(llvm(:LLVMSetTarget), Cvoid, (Handle, Cstring), mod, target.triple)
        ccall(llvm(:LLVMSetDataLayout), Cvoid, (Handle, Cstring), mod, target.layout)
        bytes = write_bitcode(mod)
        ccall(llvm(:LLVMDisposeModule), Cvoid, (Handle,), mod)
        target.triple => bytes
    end
end
