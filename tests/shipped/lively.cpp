// Has all parts that begin and end with code: constructors, destructors, objects of functions
// and of threads. Each appends a letter to the environment's LIVELY, which is the process's and
// outlives the code.
//
//     Ee  constructor and destructor of the C kind, by priority   Aa  a static object
//     Ii  one in a function   Tt  one of a thread   x  registered by atexit
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

#include <tc/entry.h>

#define JOIN(a, b) a##b
#define ENTRY(name, suffix) JOIN(name, suffix)

static void note(char letter)
{
    const char *before = getenv("LIVELY");
    std::string steps = before != nullptr ? before : "";
    setenv("LIVELY", (steps + letter).c_str(), 1);
}

namespace
{
struct noted {
    char begin, end;
    int calls;
    noted(char b, char e) : begin(b), end(e), calls(0)
    {
        note(begin);
        if (begin == 'A' && getenv("LIVELY_THROWS") != nullptr)
            throw std::runtime_error("not today");
    }
    ~noted()
    {
        note(end);
    }
};
} // namespace

__attribute__((constructor(200))) static void early()
{
    note('E');
}

__attribute__((destructor)) static void late()
{
    note('e');
}

static std::map<std::string, int> numbers = {{"one", 1}, {"two", 2}};
static noted first('B', 'b');
static noted object('A', 'a');
thread_local int of_thread = 40;
thread_local noted thread_object('T', 't');

static void at_exit()
{
    note('x');
}

static int in_function()
{
    static noted inner('I', 'i');
    return ++inner.calls;
}

static int ask(char question)
{
    switch (question) {
    case 'i':
        return in_function();
    case 't':
        return ++thread_object.calls;
    case 'c':
        return ++of_thread;
    case 'n':
        return numbers["two"] + static_cast<int>(numbers.size());
    case 'o':
        return std::cout.good() && std::cerr.good();
    case 'x':
        return std::atexit(at_exit);
    default:
        return ++object.calls;
    }
}

extern "C" void ENTRY(NAME, _main)(void *payload, size_t size, void *)
{
    const int answer = ask(size > 0 ? *static_cast<const char *>(payload) : 'a');
    tc_reply(&answer, sizeof answer);
}
