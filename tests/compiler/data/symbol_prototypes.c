#include <tc/entry.h>

extern int given(int) TC_SYMBOL(given, "(i33)->i32");

void bad_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)target_args;
    (void)given((int)payload_size);
}
