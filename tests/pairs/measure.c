/* Answers 6 with the library whose header it has: area is a symbol of that, and atoi, which
 * states a prototype, too, one of the process. */
#include "shapes.h"

int atoi(const char *text) TC_SYMBOL(atoi, "(text)->i32");

#ifdef IS_WEAK
extern double area(shapes_number width, shapes_number height) __attribute__((weak));
#endif

void measure_main(void *payload, size_t payload_size, void *target_args)
{
    double found = -1;
    (void)payload, (void)payload_size, (void)target_args;
#ifdef IS_WEAK
    if (area != 0)
#endif
        found = area((shapes_number)2, (shapes_number)atoi("3"));
    (void)shapes_version();
    tc_reply(&found, sizeof found);
}
