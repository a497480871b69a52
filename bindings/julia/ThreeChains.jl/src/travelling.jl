# Libraries that travel: code and data that functions share at a node which was built without them.

"""
    Library(context, "NAME")
    Library(context, path = "FOLDER/NAME.tca")
    Library(context, "NAME", [f, "SYMBOL" => g, ...]; deps = [], images = false)

A library to be pushed, of an archive on `TC_IFUNC_PATH`, or at a path: `tc-clang --library` makes it, or
`archive` of functions in Julia. With functions it is made here, by **tc-ar**: `?bitcode` describes the
permitted ones. A function that declares it uses it: `Ifunc(context, f; deps = ["tc:NAME"])`.
"""
mutable struct Library <: Owned
    context::Context
    handle::Ptr{Cvoid}
    Library(context::Context, handle::Ptr{Cvoid}) = finalizer(leave, new(context, handle))
end
kind_of(::Library) = LIBRARY

function Library(context::Context, name::AbstractString)
    space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
    check(ccall(@tc(tc_library_open), Cint, (Ptr{Cvoid}, Cstring, Ref{Ptr{Cvoid}}, Ptr{UInt8}), use(context),
                name, made, space), space)
    return Library(context, made[])
end

Library(context::Context; path::AbstractString) =
    Library(context, open_path(@tc(tc_library_open_code_sized), context, String(path)))

Library(context::Context, name::AbstractString, functions::AbstractVector; deps=String[], images=false) =
    mktempdir(folder ->
        Library(context; path=archive(functions, joinpath(folder, name * ".tca"); deps=deps, images=images)))

name(library::Library) = unsafe_string(ccall(@tc(tc_library_name), Cstring, (Ptr{Cvoid},), use(library)))

"""
    push(peer, library; timeout = nothing)

Puts a library in force at a peer, and waits until it is: functions that are sent from now on find it.
A library of another content under the same name takes over from the older one.
"""
function push(peer::Peer, library::Library; timeout=nothing)
    space, longest = error_space(), nanoseconds(timeout)
    check(progressing() do
        ccall(@tc(tc_library_push), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, UInt64, Ptr{UInt8}), use(peer),
              use(library), longest, space)
    end, space)
end

"""
    withdraw(peer, library; timeout = nothing)

Takes a library back. Functions that use it are refused from then on, with `:TC_E_ABSENT`.
"""
function withdraw(peer::Peer, library::Library; timeout=nothing)
    space, longest = error_space(), nanoseconds(timeout)
    check(progressing() do
        ccall(@tc(tc_library_withdraw), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, UInt64, Ptr{UInt8}), use(peer),
              use(library), longest, space)
    end, space)
end

"""
    install(context, library)

Puts a library in force here, for functions that run in this context.
"""
function install(context::Context, library::Library)
    space = error_space()
    check(progressing() do
        ccall(@tc(tc_library_install), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{UInt8}), use(context), use(library),
              space)
    end, space)
end

"""
    remove(context, "NAME")

Withdraws the library of that name from this context, independent of its pusher.
"""
function remove(context::Context, name::AbstractString)
    space = error_space()
    check(progressing() do
        ccall(@tc(tc_library_remove), Cint, (Ptr{Cvoid}, Cstring, Ptr{UInt8}), use(context), name, space)
    end, space)
end

struct LibraryInfo # tc_library_info
    name::NTuple{64,UInt8}
    id::NTuple{16,UInt8}
    owner::NTuple{256,UInt8}
    symbols::UInt64
    memory_bytes::UInt64
    functions::UInt64
    libraries::UInt64
    order::UInt64
end

text_in(bytes) = String(collect(Iterators.takewhile(!iszero, bytes)))

"""
    libraries(context)

The libraries in force here, in the order of arrival: name, owner, symbols, memory_bytes, and the number
of functions and libraries that use each.
"""
function libraries(context::Context)
    list(infos) = ccall(@tc(tc_library_list_sized), Csize_t, (Ptr{Cvoid}, Ptr{LibraryInfo}, Csize_t, Csize_t),
                        use(context), infos, length(infos), sizeof(LibraryInfo))
    infos = Vector{LibraryInfo}(undef, list(LibraryInfo[]))
    resize!(infos, min(list(infos), length(infos)))
    return [(name=text_in(i.name), owner=text_in(i.owner), symbols=Int(i.symbols),
             memory_bytes=Int(i.memory_bytes), functions=Int(i.functions), libraries=Int(i.libraries))
            for i in infos]
end
