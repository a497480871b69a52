/* Its .deps list decides which library answers dep_answer. */
#include <stddef.h>

extern int dep_answer(void);
extern int dep_variable;

void uses_dep_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    *(int *)target_args = dep_answer() + dep_variable;
}
