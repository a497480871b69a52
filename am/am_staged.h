/* Segments that go through memory which their target has attached. */
#ifndef TCA_AM_STAGED_H
#define TCA_AM_STAGED_H

#include "am_message.h"

/* Begins with the next segment of an active message, unless that is on its way already. It is
 * counted as sent when the target has been asked to run it. Returns false: the queue goes on
 * with this one when that has happened. */
bool tca_staged_begin(tc_ams *ams, tca_message *m);

/* Continues segments of a rank that found no credit. */
void tca_staged_retry(tc_ams *ams, uint32_t rank);

#endif
