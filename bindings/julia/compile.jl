# Writes the bitcode of functions, for builds that pack it by `tc-ar create`.
#   julia compile.jl FILE.jl FOLDER NAME...
# Writes FOLDER/NAME.x86_64.bc and FOLDER/NAME.aarch64.bc of each function NAME that FILE.jl defines.
pushfirst!(LOAD_PATH, @__DIR__)
using ThreeChains

length(ARGS) >= 3 || (println(stderr, "usage: compile.jl FILE.jl FOLDER NAME..."); exit(2))
try
    include(abspath(ARGS[1]))
    for name in ARGS[3:end], (triple, bytes) in bitcode(getfield(Main, Symbol(name)); name=name)
        write(joinpath(ARGS[2], string(name, ".", first(split(triple, '-')), ".bc")), bytes)
    end
catch failure
    showerror(stderr, failure)
    println(stderr)
    exit(1)
end
