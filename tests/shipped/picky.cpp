// Makes its payload at the source, and throws there.
#include "thrower.h"

#include <cstring>
#include <stdexcept>

#include <tc/entry.h>

extern "C" size_t picky_payload_get_max_size(void *source_args, size_t size)
{
    if (*static_cast<char *>(source_args) == PICKY_SIZE)
        throw std::length_error("no size");
    return size;
}

extern "C" int picky_payload_init(void *payload, size_t, void *source_args, size_t size)
{
    if (*static_cast<char *>(source_args) == PICKY_INIT)
        throw std::runtime_error("no payload");
    std::memcpy(payload, source_args, size);
    return 0;
}

extern "C" void picky_main(void *payload, size_t size, void *)
{
    tc_reply(payload, size);
}
