/* The ways of this library, NULL at the end. */
#ifndef TC_GAM_WAYS_H
#define TC_GAM_WAYS_H

#include "gam_case.h"

extern const gam_way *const gam_ways[];

#endif
