/* ifuncs/tsi.c in C++. */
#include <stddef.h>
#include <stdint.h>

extern "C" void tsi_cpp_main(void *, size_t, void *target_args)
{
    ++*static_cast<uint64_t *>(target_args);
}
