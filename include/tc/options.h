/* Options. One table (runtime/base/option_table.c) gives every option its name, unit, range and
 * help; `tc-info --options` and docs/options.md print it.
 *
 * A value comes from tc_options_set, else from the environment variable (TC_ and the name in
 * upper case), else it is the default. Contexts and loaders copy the options that they are
 * created with. A tc_options belongs to one thread at a time. */
#ifndef TC_OPTIONS_H
#define TC_OPTIONS_H

#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_options tc_options;

/* A row of the table. The library makes this struct; later versions may append fields. */
typedef struct tc_option_info {
    const char *name;          /* "ring_bytes" */
    const char *env;           /* "TC_RING_BYTES" */
    const char *unit;          /* "bytes", "ns", "choice", "path list", ... */
    const char *default_value; /* as it would be written */
    const char *range; /* "4096..4194304, a power of two" or "auto|direct|am|put|stream" */
    const char *help;  /* one sentence */
} tc_option_info;

/* Creates a set of options from the environment, which a set-user-ID program is not to believe:
 * there it counts as empty.
 *
 *   opts_out        owned by the caller; see tc_options_destroy
 *
 *   TC_OK           every option has a value
 *   TC_E_INVALID    a TC_ variable is outside its range; the text has variable, value and range
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_options_create(tc_options **opts_out, tc_error *err);

/* Frees the options. NULL is allowed. */
TC_API void tc_options_destroy(tc_options *opts);

/* Sets one option from text. Sizes take the suffixes K, M and G (powers of 1024), times ns, us,
 * ms, s and h.
 *
 *   TC_OK           the option has the value
 *   TC_E_NOT_FOUND  no option has that name
 *   TC_E_INVALID    the value is outside the range; the text has both */
TC_MUST_CHECK TC_API tc_status tc_options_set(tc_options *opts, const char *name,
                                              const char *value, tc_error *err);

/* Writes an option's value as text, truncated to `size` bytes with the terminator.
 *
 *   TC_OK           the value is in buf
 *   TC_E_NOT_FOUND  no option has that name */
TC_MUST_CHECK TC_API tc_status tc_options_get(const tc_options *opts, const char *name,
                                              char *buf, size_t size);

/* The table by index, from 0 to tc_options_count() - 1; NULL for other indices. Any thread. */
TC_API size_t tc_options_count(void);
TC_API const tc_option_info *tc_options_info(size_t index);

#ifdef __cplusplus
}
#endif
#endif
