/* Beginning sends of tc_send_start, and what their endpoint's end does to them. */
#ifndef TCI_STARTED_H
#define TCI_STARTED_H

#include "transfer/started_end.h"

/* Ends the send whose payload is leaving, after its endpoint has ended. Closes the link if that
 * still reads the payload. */
void tci_started_lose(tc_ep *ep);

#endif
