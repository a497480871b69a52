# Notes of finalizers. A finalizer may neither allocate nor wait, and runs in whichever thread collects
# garbage: it puts its note in front of a list in C's memory. The reader takes the list as a whole.

const CONTEXT = 0
const ENDPOINT = 1
const LISTENER = 2
const IFUNC = 3
const GROUP = 4
const LIBRARY = 5
const WINDOW = 6
const WINDOW_VIEW = 7

struct Note
    next::UInt
    kind::Int
    handle::Ptr{Cvoid}
end

struct NoteList
    first::Threads.Atomic{UInt}
    NoteList() = new(Threads.Atomic{UInt}(0))
end

Base.isempty(list::NoteList) = list.first[] == 0

function note!(list::NoteList, kind::Int, handle::Ptr{Cvoid})
    place = Ptr{Note}(Libc.malloc(sizeof(Note)))
    place == C_NULL && return # it stays open until its context ends
    while true
        first = list.first[]
        unsafe_store!(place, Note(first, kind, handle))
        Threads.atomic_cas!(list.first, first, UInt(place)) == first && return
    end
end

# Calls f with the kind and the handle of each note, the newest first.
function take_notes(f, list::NoteList)
    place = Ptr{Note}(Threads.atomic_xchg!(list.first, UInt(0)))
    while place != C_NULL
        note = unsafe_load(place)
        Libc.free(place)
        f(note.kind, note.handle)
        place = Ptr{Note}(note.next)
    end
end

drop_notes(list::NoteList) = take_notes((_, _) -> nothing, list)
