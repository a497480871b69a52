# libtchains, and its statuses as exceptions.

const library = Ref{Ptr{Cvoid}}(C_NULL)
const HEADER_VERSION = 0x000100 # TC_VERSION_NUMBER of the headers that this was written for

# A function of libtchains. The names are few and each is looked up once.
macro tc(name)
    place = Ref{Ptr{Cvoid}}(C_NULL)
    return :(function_at($place, $(QuoteNode(name))))
end

function function_at(place::Ref{Ptr{Cvoid}}, name::Symbol)
    place[] == C_NULL && (place[] = dlsym(open_library(), name))
    return place[]
end

# Where this was installed with the library: PREFIX/share/tchains/julia/ThreeChains.jl/src. Elsewhere "".
function prefix()
    folder, below = @__DIR__, joinpath("share", "tchains", "julia", "ThreeChains.jl", "src")
    return endswith(folder, below) ? folder[1:end-sizeof(below)] : ""
end

# A file of the same installation, if it is there, or its name, which is looked for on the usual paths.
function installed(folders::Vector{String}, name::String)
    prefix() == "" && return name
    for folder in folders
        path = joinpath(prefix(), folder, name)
        isfile(path) && return path
    end
    return name
end

library_folders() = ["lib", "lib64", "lib/$(Sys.ARCH)-linux-gnu"]

function open_library()
    library[] == C_NULL || return library[]
    # Julia stops its threads by SIGSEGV, which UCX would take for a crash.
    get!(ENV, "UCX_ERROR_SIGNALS", "SIGILL,SIGBUS,SIGFPE")
    path = get(() -> installed(library_folders(), "libtchains.so.1"), ENV, "TCHAINS_LIBRARY")
    # Functions that arrive find the library's calls, such as tc_reply, in the process.
    library[] = dlopen(path, RTLD_NOW | RTLD_GLOBAL)
    return library[]
end

"""
    TcError(status, text)

The library's error when a call fails: its status, such as `:TC_E_TIMEOUT`, and its text.
"""
struct TcError <: Exception
    status::Symbol
    text::String
end

Base.showerror(io::IO, e::TcError) = print(io, e.status, ": ", e.text)

# The statuses of <tc/status.h>, in its order: OK is 0, E_AGAIN -1, and so on.
const STATUSES = (:OK, :E_AGAIN, :E_TIMEOUT, :E_INVALID, :E_NO_MEMORY, :E_NOT_FOUND, :E_TOO_LARGE, :E_CORRUPT,
    :E_VERSION, :E_NO_SLICE, :E_UNRESOLVED, :E_NO_LIBRARY, :E_COMPILE, :E_REFUSED, :E_UNREACHABLE, :E_PEER_LOST,
    :E_IN_USE, :E_IO, :E_UCX, :E_UNSUPPORTED, :E_PAYLOAD, :E_CLOSED, :E_BUSY, :E_HOPS, :E_ABSENT, :E_THROWN)

for (place, name) in enumerate(STATUSES)
    @eval const $name = $(Cint(1 - place))
    @eval (const $(Symbol(:TC_, name)) = $name; export $(Symbol(:TC_, name)))
end

const ERROR_BYTES = 4 + 1024 # tc_error

status_name(status) = Symbol(unsafe_string(ccall(@tc(tc_status_name), Cstring, (Cint,), status)))
status_text(status) = unsafe_string(ccall(@tc(tc_status_text), Cstring, (Cint,), status))

error_space() = zeros(UInt8, ERROR_BYTES)

function error_text(space::Vector{UInt8})
    last = findnext(iszero, space, 5)
    return String(space[5:something(last, ERROR_BYTES + 1)-1])
end

function check(status::Cint, space::Vector{UInt8}=UInt8[])
    status == OK && return
    text = isempty(space) ? "" : error_text(space)
    throw(TcError(status_name(status), isempty(text) ? status_text(status) : text))
end

# A call in which the library makes progress. An interrupt waits until it has returned: functions that it
# runs, such as `call_ended`, have frames of C around it, which no exception may cross.
progressing(f) = disable_sigint(f)

const DEFAULT_SECONDS = 30.0

# Seconds to the library's nanoseconds; nothing: the option that the call names.
nanoseconds(::Nothing) = UInt64(0)
function nanoseconds(seconds::Real)
    seconds > 0 || throw(ArgumentError("the timeout is $seconds s, expected more than 0"))
    return seconds > 1e10 ? typemax(UInt64) : max(UInt64(1), round(UInt64, seconds * 1e9))
end
