/* with: label_sources_other.c */
/* prints: 10 10 10 10 */
/* Label tables in two sources; the second calls back into the first. */
#include <stdio.h>
#include <tc/entry.h>

long label_sources_other(const char *text);
long label_sources_digit(char c);

long label_sources_digit(char c)
{
    static const void *const places[] = {&&zero, &&one, &&two, &&three, &&four};
    goto *places[(unsigned)(c - '0') % 5];
zero:
    return 0;
one:
    return 1;
two:
    return 2;
three:
    return 3;
four:
    return 4;
}

void label_sources_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    (void)printf("%ld\n", label_sources_other("01234!"));
    (void)fflush(stdout);
}
