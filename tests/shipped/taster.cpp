// Catches exceptions of a library that it uses.
#include <exception>
#include <cstring>

#include <tc/entry.h>

extern "C" int sour_taste(int value);

extern "C" void taster_main(void *payload, size_t, void *)
{
    try {
        int value = sour_taste(*static_cast<char *>(payload) - '0');
        tc_reply(&value, sizeof value);
    } catch (const std::exception &e) {
        tc_reply(e.what(), std::strlen(e.what()));
    }
}
