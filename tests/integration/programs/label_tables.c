/* prints: 10 21 32 43 54 65 */
/* An interpreter with labels in its code as instructions: tables of them that are constant, of
 * distances, and on the stack. */
#include <stdio.h>
#include <tc/entry.h>

enum { PUSH, ADD, TWICE, END };

static const unsigned char code[] = {PUSH, 3, PUSH, 2, ADD, TWICE, END};

static long by_address(const unsigned char *at)
{
    static const void *const places[] = {&&push, &&add, &&twice, &&end};
    long stack[8] = {0}, *top = stack;
    goto *places[*at++];
push:
    *top++ = *at++;
    goto *places[*at++];
add:
    top--;
    top[-1] += top[0];
    goto *places[*at++];
twice:
    top[-1] *= 2;
    goto *places[*at++];
end:
    return top[-1];
}

static long by_distance(const unsigned char *at)
{
    static const int places[] = {&&push - &&push, &&add - &&push, &&twice - &&push,
                                 &&end - &&push};
    long stack[8] = {0}, *top = stack;
    goto *(&&push + places[*at++]);
push:
    *top++ = *at++;
    goto *(&&push + places[*at++]);
add:
    top--;
    top[-1] += top[0];
    goto *(&&push + places[*at++]);
twice:
    top[-1] *= 2;
    goto *(&&push + places[*at++]);
end:
    return top[-1];
}

static long by_choice(size_t size)
{
    void *places[3] = {&&none, &&one, &&more};
    goto *places[size > 2 ? 2 : size];
none:
    return 0;
one:
    return 1;
more:
    return 2;
}

void label_tables_main(void *payload, size_t size, void *target_args)
{
    static int calls;
    (void)payload, (void)target_args;
    long one = by_address(code), other = by_distance(code);
    (void)printf("%ld\n", one == other && by_choice(size) == 2 ? one + 11 * calls++ : -1);
    (void)fflush(stdout);
}
