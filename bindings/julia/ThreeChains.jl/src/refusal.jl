# Finds the parts of a compiled function that only run inside Julia, and reports them with the line
# of the Julia source.

struct RefusedFunction <: Exception
    name::String
    findings::Vector{String}
end

function Base.showerror(io::IO, refused::RefusedFunction)
    print(io, "RefusedFunction: ", refused.name, " cannot run without Julia's runtime:")
    for finding in refused.findings
        print(io, "\n  ", finding)
    end
end

const EXCEPTION = "throws an exception"
const OBJECT = "uses an object that lives in this Julia, such as a String, a Symbol or a constant Array"

const THREAD = "uses the state of a Julia thread"

const REASONS = [
    r"^i?jl_(apply|invoke|f_|gf_|call|get_nth)" => "dynamic dispatch: which method runs is only known while it runs",
    r"^(i?jl_(gc|alloc|box|new|array|pchar|string|svec|copy|idtable)|julia\.gc)" => "allocates memory of Julia's garbage collector",
    r"^i?jl_(throw|error|.*_error|enter_handler|pop_handler|rethrow|.*exc)" => EXCEPTION,
    r"^i?jl_(get_binding|global|checked_assignment|declare)" => "uses a global variable that is not constant",
]

function reason_of(symbol::String)
    for (pattern, reason) in REASONS
        occursin(pattern, symbol) && return reason
    end
    return "calls Julia's runtime"
end

is_runtime(symbol::String) = occursin(r"^(i?jl_|julia\.|jlplt_|jlsys_)", symbol)

const INT_TO_PTR = 40 # LLVMOpcode
const SMALLEST_ADDRESS = 65536 # below it are null and values that programs use as marks

# The address of this process that a constant is, or 0.
function address_of(value)
    is_a(value, :LLVMIsAConstantExpr) || return UInt64(0)
    if ccall(llvm(:LLVMGetConstOpcode), Cint, (Handle,), value) == INT_TO_PTR
        number = operand(value, 0)
        is_a(number, :LLVMIsAConstantInt) || return UInt64(0)
        address = ccall(llvm(:LLVMConstIntGetZExtValue), UInt64, (Handle,), number)
        return address >= SMALLEST_ADDRESS ? address : UInt64(0)
    end
    for i in 0:operand_count(value)-1
        address = address_of(operand(value, i))
        address == 0 || return address
    end
    return UInt64(0)
end

# The function or variable below casts.
function root_of(value)
    while is_a(value, :LLVMIsAConstantExpr) && address_of(value) == 0 && operand_count(value) > 0
        value = operand(value, 0)
    end
    return value
end

called(call) = operand(call, operand_count(call) - 1)

# The error of one instruction, or nothing; `inner` is the Julia function that it calls, if any.
function finding_of(instruction)
    if is_a(instruction, :LLVMIsACallInst) && is_a(called(instruction), :LLVMIsAInlineAsm)
        return THREAD, ""
    end
    for i in operand_count(instruction)-1:-1:0
        value = operand(instruction, i)
        if is_a(value, :LLVMIsAConstant)
            symbol = name_of(root_of(value))
            is_runtime(symbol) && return reason_of(symbol), symbol
        end
        address = address_of(value)
        address == 0 && continue
        symbol = linked_name(address)
        is_runtime(symbol) && return reason_of(symbol), symbol
        return OBJECT, ""
    end
    return nothing
end

# One thing that a function cannot do elsewhere, and the lines that lead there, innermost first.
struct Finding
    reason::String
    symbol::String
    lines::Vector{Tuple{String,Int,String}}
end

const OWN_FILES = [joinpath(@__DIR__, name) for name in ("entry.jl", "am_unit.jl")]

# The lines of the function's author. Below them is only the code that makes NAME_main of the
# function.
function own_lines(lines)
    last(lines)[1] in OWN_FILES && length(lines) > 1 ? lines[1:end-1] : lines
end

place(line) = string(line[3], " at ", line[1], ":", line[2])

function explain(finding::Finding)
    what = isempty(finding.symbol) ? finding.reason : string(finding.reason, " (", finding.symbol, ")")
    lines = own_lines(finding.lines)
    isempty(lines) && return what
    text = string(last(lines)[1], ":", last(lines)[2], ": ", what)
    return length(lines) == 1 ? text : string(text, "\n    in ", join(map(place, lines), "\n    in "))
end

# Looks at a function and all that it calls.
function look(f, outer::Vector, seen::Set{Handle}, findings::Vector{Finding})
    f in seen && return
    push!(seen, f)
    for block in blocks(f), instruction in instructions(block)
        lines = vcat(lines_of(instruction), outer)
        callee = is_a(instruction, :LLVMIsACallInst) ? root_of(called(instruction)) : C_NULL
        if callee != C_NULL && is_a(callee, :LLVMIsAFunction) && !is_declaration(callee)
            thrower = match(r"^julia_(throw_\w+?)_\d+$", name_of(callee))
            if thrower === nothing
                look(callee, lines, seen, findings)
            else
                push!(findings, Finding(EXCEPTION, thrower[1], lines))
            end
        else
            found = finding_of(instruction)
            found === nothing || push!(findings, Finding(found[1], found[2], lines))
        end
    end
end

# The first of each kind in each line suffices, and others are why a thread's state is needed.
function check_runtime(entry, name::String)
    findings = Finding[]
    look(entry, [], Set{Handle}(), findings)
    isempty(findings) && return
    causes = filter(finding -> finding.reason != THREAD, findings)
    said = isempty(causes) ? findings : causes
    unique!(finding -> (finding.reason, isempty(finding.lines) ? 0 : last(own_lines(finding.lines))), said)
    throw(RefusedFunction(name, map(explain, said)))
end
