/* Operations: those of this program by number, and functions that travel. */
#ifndef TCA_AM_OPS_H
#define TCA_AM_OPS_H

#include "am_state.h"

/* Finds a registered operation by the word of a header.
 *
 *   TC_E_NOT_FOUND  no operation has the number
 *   TC_E_VERSION    the one that has it has another name or signature; the text has both of
 *                   this rank */
TC_MUST_CHECK tc_status tca_ops_find(const tc_ams *ams, uint32_t word, tc_am_op **op_out,
                                     tc_error *err);

/* Frees all. */
void tca_ops_free(tc_ams *ams);

#endif
