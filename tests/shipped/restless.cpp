// Waits outside and inside of handlers, and throws as the payload asks: its first letter is 'n'
// for a nap, 'b' to throw before a wait, 'a' to throw after one, 'i' to wait in a handler of a
// character, the second letter, and to answer with the character that was caught.
#include <stdexcept>

#include <tc/entry.h>
#include <tc/task.h>

static void nap()
{
    if (tc_task_sleep(2000000) != TC_OK)
        throw std::runtime_error("it cannot wait");
}

static char wait_in_handler(char letter)
{
    try {
        throw letter;
    } catch (char) {
        nap();
        try {
            throw; // the newest that is caught, although others have caught some meanwhile
        } catch (char again) {
            nap();
            return again;
        }
    }
}

TC_THREADED(restless)(void *payload, size_t size, void *)
{
    const char *letters = static_cast<const char *>(payload);
    char answer = 0;
    if (size < 2)
        throw std::length_error("two letters");
    if (letters[0] == 'b')
        throw std::out_of_range("before");
    if (letters[0] == 'i')
        answer = wait_in_handler(letters[1]);
    else
        nap();
    if (letters[0] == 'a')
        throw std::out_of_range("after");
    (void)tc_reply(&answer, 1);
}
