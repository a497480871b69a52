"""A Python function, compiled by Numba, as a module of LLVM that runs in a process without Python.

Numba's own runtime for reference counts is replaced by a few functions that travel along (runtime_code.py), and the
function's exceptions become texts. A module that needs anything else of Python is refused, with the line.
"""
import dis
import os
import pickle
import re

from llvmlite import binding as llvm
from numba.core import compiler, cpu, errors, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.runtime import nrtdynmod

from . import _binding, answer_code, entry_code, maker_code, passes, runtime_code, unit_code
from .errors import CompileError

# Symbols that only a process with Python and Numba has.
_PYTHON_SYMBOL = re.compile(r"_?Py[A-Z_]|_?numba_|NRT_|numba\b")
_PICKLE = re.compile(r'^(@\.const\.pickledata\.\d+ = internal constant )\[(\d+) x i8\] c"((?:[^"])*)"', re.MULTILINE)
_DEFINED = re.compile(r'^(?:define internal .*?@("[^"]+"|[\w.$]+)\(|@("[^"]+"|[\w.$]+) = (?:internal|private) )', re.MULTILINE)


def _refuse(text):
    raise CompileError(_binding.lib.TC_E_COMPILE, text)


def _flags(fastmath, boundscheck, debug):
    flags = compiler.Flags()
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    flags.nrt = True
    flags.enable_pyobject = flags.force_pyobject = flags.enable_looplift = False
    flags.boundscheck = boundscheck
    flags.debuginfo = debug
    flags.error_model = "python"
    if fastmath:
        flags.fastmath = cpu.FastMathOptions(fastmath)
    return flags


def _check_result(name, result, declared):
    """The types that a reply can be made of."""
    if declared is not None and not (isinstance(result, types.Array) and result.ndim == len(declared.shape)):
        _refuse(f"{name} returns {result}; declared is an array of the shape {declared.shape}")
    if isinstance(result, types.Array):
        if result.layout != "C":
            _refuse(f"{name} returns {result}, which may have gaps; expected a contiguous one: numpy.ascontiguousarray(...)")
        return
    if answer_code.is_several(result) and all(answer_code.can_be_part(part) for part in result.types):
        return
    parts = result.types if isinstance(result, types.BaseTuple) else (result,)
    plain = (types.Number, types.Boolean, types.NoneType)
    if not all(isinstance(part, plain) for part in parts) or (len(parts) > 1 and types.none in parts):
        _refuse(f"{name} returns {result}; expected nothing, a number, an array of numbers, or a tuple "
                f"of numbers, of flat arrays and of tuples of numbers")


def _compile(part, name, options, write, debug=False):
    """Numba's library with a function and its entry, and its result type. `write` makes the entry."""
    function, argument_types, signature = part
    context = cpu_target.target_context.with_aot_codegen(name)
    context.tchains_signature = signature  # for here.forward
    try:
        result = compiler.compile_extra(cpu_target.typing_context, context, function, argument_types, None,
                                        _flags(options["fastmath"], options["boundscheck"], debug), locals={})
    except (errors.NumbaError, NameError) as error:
        raise CompileError(_binding.lib.TC_E_COMPILE, _with_line(function, str(error))) from error
    library, result_type = result.library, types.unliteral(result.signature.return_type)
    module = library.create_ir_module("tchains.entry")
    write(context, module, result_type)(context.declare_function(module, result.fndesc), result.signature.return_type, argument_types)
    library.add_ir_module(module)
    return library, result_type, context


def _main_part(function, name, signature):
    """(function, types of its arguments, signature of the message that it may send on), and the function that makes NAME_main."""
    def write(context, module, result_type):
        if signature.is_unit:
            if result_type != types.none:
                _refuse(f"{name} returns {result_type}; an operation of active messages writes its output, and returns nothing")
            return unit_code.UnitEntry(context, module, name, signature).write
        _check_result(name, result_type, signature.result)
        return entry_code.Entry(context, module, name, signature).write
    return (function, entry_code.argument_types(signature), signature), write


def _maker_parts(name, makers):
    """The same for each function that makes payloads."""
    def writing(function, entry):
        def write(context, module, result_type):
            if not entry.fits(result_type):
                _refuse(f"{function.__name__} returns {result_type}; expected {entry.expected}")
            return entry(context, module, name, makers).write
        return write
    for function, argument_types, entry in maker_code.parts(makers):
        yield (function, argument_types, None), writing(function, entry)


def _linked(libraries):
    """One module of all that the libraries have and need."""
    module = libraries[0]._final_module
    for library in libraries[1:]:
        module.link_in(library._final_module, preserve=True)
    for other in dict.fromkeys(other for library in libraries for other in library._linking_libraries):
        module.link_in(other._get_module_for_linking(), preserve=True)
    runtime = llvm.parse_assembly(runtime_code.TEXT)
    runtime.data_layout, runtime.triple = module.data_layout, module.triple
    module.link_in(runtime)
    return module


def _optimise(module, name, codegen):
    """Inlines and simplifies. Loops are left as they were written: the node widens them for its own processor."""
    entries = {name + entry.suffix for entry in (entry_code.Entry, maker_code.BoundEntry, maker_code.InitEntry)}
    entries.add(name + unit_code.SUFFIX)
    for value in [*module.functions, *module.global_variables]:
        if not value.is_declaration and value.name not in entries and not value.name.startswith("llvm."):
            value.linkage = "internal"
    passes.prune(module, codegen)
    # Numba's pruning of references, which has run now, needed two functions as calls.
    module = llvm.parse_assembly(re.sub(r"\bnoinline\b", "nounwind", str(module)))
    passes.simplify(module, codegen)
    module.verify()
    return module


def _plain_exceptions(text):
    """Replaces the pickle at the beginning of each constant that describes an exception by the exception's text."""
    def said(match):
        size = int(match.group(2))
        content = re.sub(rb"\\([0-9A-Fa-f]{2})", lambda digits: bytes([int(digits.group(1), 16)]), match.group(3).encode())
        try:
            raised, arguments, place = pickle.loads(content)
        except (ValueError, TypeError, pickle.UnpicklingError, AttributeError, ImportError):
            return match.group(0)
        what = raised.__name__ if raised is not None else "an exception"
        words = f"{what}: {', '.join(str(part) for part in arguments or ())}" if arguments else what
        if place is not None:
            words += f" ({os.path.basename(place[1])}:{place[2]})"
        plain = words.encode("ascii", "replace")[:size - 1].ljust(size, b"\0")
        return f'{match.group(1)}[{size} x i8] c"' + "".join(f"\\{byte:02X}" for byte in plain) + '"'
    return _PICKLE.sub(said, text)


def _plain_names(text):
    """The same function has the same bytes in every process: Numba's names hold addresses and counters."""
    text = re.sub(r'!"_ZN[^"]*"', '!"part"', text)
    names = dict.fromkeys(found for pair in _DEFINED.findall(text) for found in pair if found)
    fresh = {old: f"part.{number}" for number, old in enumerate(names)}
    return re.sub(r'@("[^"]+"|[\w.$]+)', lambda match: "@" + fresh.get(match.group(1), match.group(1)), text)


def _needs_python(module):
    return sorted(function.name for function in module.functions
                  if function.is_declaration and _PYTHON_SYMBOL.match(function.name))


def _refuse_python(parts, name, options, symbols):
    """Returns the function that needs them, and the first line that led there, found by compiling once more with debug
    information."""
    first = None
    for part, write in parts:
        function = part[0]
        library, _, _ = _compile(part, name, options, write, debug=True)
        text = str(library._final_module)
        calls = [number for symbol in symbols for number in re.findall(rf"@{re.escape(symbol)}\(.*!dbg !(\d+)", text)]
        lines = [int(line) for number in calls for line in re.findall(rf"^!{number} = !DILocation\(line: (\d+)", text, re.MULTILINE)]
        if lines or first is None:
            first = function, min(lines, default=function.__code__.co_firstlineno)
        if lines:
            break
    function, line = first
    _refuse(f'{function.__name__} needs the Python runtime ({", ".join(symbols)}), which a node does not have\n'
            f'File "{function.__code__.co_filename}", line {line}')


def _with_line(function, text):
    """Numba's text; where it has no line, with the line where the named variable is used."""
    if 'File "' in text:
        return text
    named, line = re.search(r"name '(\w+)'", text), function.__code__.co_firstlineno
    for instruction in dis.get_instructions(function):
        if named and instruction.argval == named.group(1):
            line = instruction.positions.lineno
            break
    return f'{text}\nFile "{function.__code__.co_filename}", line {line}'


@global_compiler_lock
def compile_text(function, name, signature, makers, options):
    """The module as LLVM's text, for the architecture of this process, and Numba's type of the result."""
    parts = [_main_part(function, name, signature), *(_maker_parts(name, makers) if makers is not None else ())]
    compiled = [_compile(part, name, options, write) for part, write in parts]
    libraries, context = [library for library, _, _ in compiled], compiled[0][2]
    if makers is not None and makers.bound is None:
        module = libraries[0].create_ir_module("tchains.bound")
        maker_code.FixedBound(context, module, name, makers)
        libraries[0].add_ir_module(module)
    libraries[0].add_ir_module(nrtdynmod.create_nrt_module(context)[0])
    module = _optimise(_linked(libraries), name, context.codegen())
    needed = _needs_python(module)
    if needed:
        _refuse_python(parts, name, options, needed)
    return _plain_names(_plain_exceptions(str(module))), compiled[0][1]
