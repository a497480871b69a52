# Writes the bitcode of functions, for builds that pack it by `tc-ar create`.
#   julia compile.jl FILE.jl FOLDER NAME...
# Writes FOLDER/NAME.x86_64.bc and FOLDER/NAME.aarch64.bc of each function NAME that FILE.jl defines.
#   julia compile.jl FILE.jl FOLDER --library NAME FUNCTION...
# The same of a library NAME that exports these, for `tc-ar create --library`.
pushfirst!(LOAD_PATH, @__DIR__)
using ThreeChains

length(ARGS) >= (get(ARGS, 3, "") == "--library" ? 5 : 3) ||
    (println(stderr, "usage: compile.jl FILE.jl FOLDER NAME...\n       compile.jl FILE.jl FOLDER --library NAME FUNCTION..."); exit(2))

defined(name) = getfield(Main, Symbol(name))

function write_slices(name, code)
    for (triple, bytes) in code
        write(joinpath(ARGS[2], string(name, ".", first(split(triple, '-')), ".bc")), bytes)
    end
end

try
    include(abspath(ARGS[1]))
    if ARGS[3] == "--library"
        write_slices(ARGS[4], bitcode(map(defined, ARGS[5:end]); name=ARGS[4]))
    else
        foreach(name -> write_slices(name, bitcode(defined(name); name=name)), ARGS[3:end])
    end
catch failure
    showerror(stderr, failure)
    println(stderr)
    exit(1)
end
