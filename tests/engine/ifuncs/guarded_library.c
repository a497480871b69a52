/* A library that notices when its code runs: a constructor, a GNU ifunc's resolver; and one
 * that has names for the same code. */
#include <stdlib.h>

int guarded_answer(void);
int guarded_other_name(void) __attribute__((alias("guarded_answer")));
int guarded_chosen(void);
int wordexp(void);
int guarded_words(void) __attribute__((alias("wordexp")));

static int resolved;

int guarded_answer(void)
{
    return 42;
}

int wordexp(void)
{
    return 43;
}

/* How often the resolver ran. */
int guarded_resolved(void)
{
    return resolved;
}

typedef int answer(void);

static answer *choose(void)
{
    resolved++;
    return guarded_answer;
}

int guarded_chosen(void) __attribute__((ifunc("choose")));

__attribute__((constructor)) static void note_opening(void)
{
    (void)setenv("TC_TEST_GUARDED_OPENED", "1", 1);
}
