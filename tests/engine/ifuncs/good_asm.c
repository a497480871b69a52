#include <stddef.h>
#include <stdint.h>

void good_asm_main(void *payload, size_t payload_size, void *target_args)
{
    uint64_t value = 20;
    (void)payload;
    (void)payload_size;
#if defined(__x86_64__)
    __asm__("addq %1, %0" : "+r"(value) : "r"((uint64_t)22));
#else
    __asm__("add %0, %0, %1" : "+r"(value) : "r"((uint64_t)22));
#endif
    *(uint64_t *)target_args = value;
}
