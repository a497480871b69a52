/* Archives that nodes send, made before the world runs: noise as bitcode, and an image that
 * stands for the function of the same name (simulation/sim_injector.h). */
#ifndef SIM_CODES_H
#define SIM_CODES_H

#include <tc/tc.h>

/* Returns a function. `deps` is static, or NULL. The archive stays for the process's life. */
tc_code codes_function(const char *name, size_t noise_bytes, const char *deps);
/* Returns a library that exports the variable `content`, which has these bytes. */
tc_code codes_library(const char *name, const void *content, size_t size);

#endif
