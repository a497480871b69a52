#include <tc/entry.h>

TC_PROTOTYPE(typed, "(f64,i32,f32[])->f64");

void typed_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(size_t *)target_args += payload_size;
}
