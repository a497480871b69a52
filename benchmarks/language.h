/* The languages that a benchmark's function is there in. C has it always; each other one where
 * its compiler was found when this was built (functions/, one .cmake for each). */
#ifndef TC_PERF_LANGUAGE_H
#define TC_PERF_LANGUAGE_H

#include "perf_options.h"

#define LANGUAGES_MAX 8u
#define LANGUAGES_BESIDE "c++,python,julia,rust,fortran,d,all"
#define LANGUAGE_NAMES "c," LANGUAGES_BESIDE
#define LANGUAGE_TOLD "in c and " LANGUAGES_BESIDE

typedef struct language {
    const char *name;   /* as --function and reports have it */
    const char *suffix; /* of the function's name: tsi_cpp; empty: C */
} language;

/* C first. */
typedef struct language_choice {
    unsigned count;
    const language *of[LANGUAGES_MAX];
} language_choice;

/* C, which stands beside all others. */
extern const language *const language_c;

/* The name of `function` in that language; NULL: C. */
void language_function(const language *of, const char *function, char *name_out, size_t size);

/* C and those that the option --function names, with `function` in the folders of --ifunc-path;
 * with "all" those that are there. False after a complaint: a language that is named is not
 * there, and why. */
bool language_choose(const perf_options *options, const char *function,
                     language_choice *choice_out);

#endif
