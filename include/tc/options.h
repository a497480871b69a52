/* Options: one table (runtime/base/option_table.c) gives every option its name, unit, range and
 * help.
 *
 * Precedence: tc_options_set, then the environment (TC_ and the upper-case name), then the
 * default. `tc-info --options` and docs/options.md print the same table. */
#ifndef TC_OPTIONS_H
#define TC_OPTIONS_H

#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_options tc_options;

typedef struct tc_option_info {
    const char *name;          /* "ring_bytes" */
    const char *env;           /* "TC_RING_BYTES" */
    const char *unit;          /* "bytes", "ns", "choice", "path list", ... */
    const char *default_value; /* as one would write it */
    const char *range;         /* "4096..4194304, a power of two" or "auto|direct|am|put" */
    const char *help;          /* one sentence */
} tc_option_info;

/* Reads the environment. TC_E_INVALID when a TC_ variable is outside its range (err names the
 * variable, the value and the range); TC_E_NO_MEMORY. The caller owns *opts_out. err may be
 * NULL. */
TC_MUST_CHECK TC_API tc_status tc_options_create(tc_options **opts_out, tc_error *err);
TC_API void tc_options_destroy(tc_options *opts);

/* Sizes take K, M, G suffixes (powers of 1024); times take ns, us, ms, s. TC_E_NOT_FOUND for an
 * unknown name, TC_E_INVALID for a value outside the range. err may be NULL. */
TC_MUST_CHECK TC_API tc_status tc_options_set(tc_options *opts, const char *name,
                                              const char *value, tc_error *err);

/* Writes the effective value as text, cut to size. TC_E_NOT_FOUND for an unknown name. */
TC_MUST_CHECK TC_API tc_status tc_options_get(const tc_options *opts, const char *name,
                                              char *buf, size_t size);

/* The table itself: index 0 .. tc_options_count()-1. */
TC_API size_t tc_options_count(void);
TC_API const tc_option_info *tc_options_info(size_t index);

#ifdef __cplusplus
}
#endif
#endif
