#include "language.h"

#include "perf_value.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const language languages[] = {
    {"c", ""},         {"c++", "_cpp"},         {"python", "_python"}, {"julia", "_julia"},
    {"rust", "_rust"}, {"fortran", "_fortran"}, {"d", "_d"},
};

#define LANGUAGE_COUNT (sizeof languages / sizeof languages[0])
_Static_assert(LANGUAGE_COUNT <= LANGUAGES_MAX, "room for all");

const language *const language_c = &languages[0];

void language_function(const language *of, const char *function, char *name_out, size_t size)
{
    (void)snprintf(name_out, size, "%s%s", function, of != NULL ? of->suffix : "");
}

static bool is_there(const char *folders, const char *name)
{
    char path[PERF_PATH_MAX + 64];
    while (*folders != '\0') {
        size_t n = strcspn(folders, ":");
        (void)snprintf(path, sizeof path, "%.*s/%s.tca", (int)n, folders, name);
        if (access(path, R_OK) == 0)
            return true;
        folders += n + (folders[n] == ':');
    }
    return false;
}

/* CMake sets "python|why|rust|why|". */
static bool why_missing(const language *of, char *why_out, size_t size)
{
    const char *at = LANGUAGES_MISSING;
    while (*at != '\0') {
        size_t name = strcspn(at, "|"), why = strcspn(at + name + 1, "|");
        if (strlen(of->name) == name && memcmp(of->name, at, name) == 0) {
            (void)snprintf(why_out, size, "%.*s", (int)why, at + name + 1);
            return true;
        }
        at += name + why + 2;
    }
    return false;
}

/* Prints why there is no function in a language: that was asked for, or `without` it all the
 * others are measured. */
static void complain(const perf_options *options, const language *of, const char *name,
                     bool without)
{
    char why[512];
    (void)fprintf(stderr,
                  "tc-perf: --function %s%s: no %s.tca in %s: ", without ? "all: without " : "",
                  of->name, name, options->ifunc_path);
    if (why_missing(of, why, sizeof why))
        (void)fprintf(stderr, "%s was not built: %s\n", of->name, why);
    else
        (void)fprintf(stderr, "this benchmark has no function in that language\n");
}

bool language_choose(const perf_options *options, const char *function,
                     language_choice *choice_out)
{
    char name[64];
    const char *names = options->function != NULL ? options->function : language_c->name;
    const bool all = perf_value_lists(names, ',', "all");
    *choice_out = (language_choice){.count = 1, .of = {language_c}};
    for (size_t i = 1; i < LANGUAGE_COUNT; i++) {
        const language *of = &languages[i];
        const bool named = perf_value_lists(names, ',', of->name);
        language_function(of, function, name, sizeof name);
        if (!named && !all)
            continue;
        if (is_there(options->ifunc_path, name)) {
            choice_out->of[choice_out->count++] = of;
            continue;
        }
        complain(options, of, name, !named);
        if (named)
            return false;
    }
    return true;
}
