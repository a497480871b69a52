/* The value of the info key "am_ordering". */
#ifndef TCM_MPIX_INFO_H
#define TCM_MPIX_INFO_H

#include <stdint.h>

/* Returns 1, and the orders that are given up as TC_AM_UNORDERED_ bits; 0 if it is
 * malformed. */
int tcm_info_read(const char *value, uint32_t *unordered_out);

#endif
