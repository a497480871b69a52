// Throws the exception that the first letter of its payload selects: some inside alone, the
// rest past its end.
#include "thrower.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <tc/entry.h>

namespace
{
struct unnamed {
    int number;
};
} // namespace

struct complaint : std::runtime_error {
    using runtime_error::runtime_error;
};

// Both are exceptions of the standard library, and it is none of the two alone.
struct ambiguous : std::runtime_error, std::logic_error {
    ambiguous() : runtime_error("run"), logic_error("logic")
    {
    }
};

struct counted {
    explicit counted(int *number) : count(number)
    {
        ++*count;
    }
    ~counted()
    {
        --*count;
    }
    int *count;
};

static int alive;

static void sorted(const char *text, size_t size)
{
    std::vector<char> letters(text, text + size);
    std::string answer;
    std::sort(letters.begin(), letters.end());
    try {
        answer = letters.at(size);
    } catch (const std::out_of_range &) {
        answer.assign(letters.begin(), letters.end());
    }
    tc_reply(answer.data(), answer.size());
}

extern "C" void thrower_main(void *payload, size_t size, void *)
{
    const char *text = static_cast<const char *>(payload);
    counted one(&alive);
    switch (size > 0 ? *text : '\0') {
    case THROWS_INSIDE:
        sorted(text, size);
        break;
    case THROWS_INT:
        throw 5;
    case THROWS_OUT_OF_RANGE:
        tc_reply(&std::string(text, size).at(size), 1);
        break;
    case THROWS_OWN:
        throw complaint("it is too late");
    case THROWS_AGAIN:
        try {
            throw complaint("it is too late again");
        } catch (...) {
            throw;
        }
    case THROWS_UNNAMED:
        throw unnamed{1};
    case THROWS_NULL:
        throw static_cast<const char *>(nullptr);
    case THROWS_AMBIGUOUS:
        throw ambiguous();
    case THROWS_AFTER_ANSWER:
        tc_reply("answered", 8);
        throw complaint("and then it failed");
    default:
        tc_reply(&alive, sizeof alive);
    }
}
