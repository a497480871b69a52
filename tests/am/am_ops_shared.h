/* Operations that travel and are in the tests' program, too. */
#ifndef AM_OPS_SHARED_H
#define AM_OPS_SHARED_H

#include <tc/am_entry.h>

TC_AM_DECLARE(am_sum);
TC_AM_DECLARE(am_search);

#define AM_KEY_BYTES 20u

#endif
