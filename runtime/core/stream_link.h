/* A link over the endpoint's own connection: messages that other links send by UCX travel here
 * as records (wire/record.h), in the order in which they were sent, hello messages among them.
 *
 * Memory: a record that the connection does not take at once stays in its sender's buffer, as
 * with UCX; copied bytes are bounded by the stream's buffer. */
#ifndef TCI_STREAM_LINK_H
#define TCI_STREAM_LINK_H

#include "core/ep.h"

/* Opens a link over the endpoint's stream, which becomes wide. The link is closed after the
 * stream, or before it. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_stream_link_open(tc_ep *ep, tci_link **link_out, tc_error *err);

#endif
