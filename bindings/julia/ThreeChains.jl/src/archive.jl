# Archives of functions and libraries in Julia, by tc-ar.

# One library in each line.
deps_text(deps) = join(string.(deps, "\n"))

# Programs other than Julia's find the machine's own libraries.
plain(command::Cmd) = setenv(command, filter(pair -> first(pair) != "LD_LIBRARY_PATH", ENV))

function pack(code, path, name, deps, options::Cmd)
    program = get(() -> installed(["bin"], "tc-ar"), ENV, "TC_AR")
    mktempdir() do folder
        files = map(code) do (triple, bytes)
            file = joinpath(folder, string(name, ".", triple, ".bc"))
            write(file, bytes)
            file
        end
        list = joinpath(folder, "deps")
        write(list, deps_text(deps))
        libraries = isempty(deps) ? `` : `--deps $list`
        run(plain(`$program create $name $files -o $path $libraries $options`))
    end
    return path
end

name_in_path(path) = first(splitext(basename(path)))

"""
    archive(f, "FOLDER/NAME.tca"; name = "NAME", deps = [])

Writes an archive for other programs, by `tc-ar create`: bitcode and images. `deps`: the libraries that the
function needs at a node, such as `"libz.so.1"`.
"""
archive(f::Function, path::AbstractString; name=name_in_path(path), deps=String[]) =
    pack(bitcode(f; name=name), path, name, deps, prototype_option(prototype_of_function(f)))
prototype_option(::Nothing) = ``
prototype_option(text) = `--prototype $text`

"""
    archive([f, "SYMBOL" => g, ...], "FOLDER/NAME.tca"; name = "NAME", deps = [], images = true)

Writes the archive of a library that travels: it exports the functions, as `?bitcode` describes.
"""
archive(functions::AbstractVector, path::AbstractString; name=name_in_path(path), deps=String[], images=true) =
    pack(bitcode(functions; name=name), path, name, deps,
         images ? `--library` : `--library --forms=bitcode`)
