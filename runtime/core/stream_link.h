/* A link that is the endpoint's own connection: what others send as UCX's messages travels here as
 * records (wire/record.h), in the order in which it was sent, hello messages among them.
 *
 * Memory: a record that the connection does not take at once stays where its sender has it, as with
 * UCX; what is copied is bounded by the stream's buffer. */
#ifndef TCI_STREAM_LINK_H
#define TCI_STREAM_LINK_H

#include "core/ep.h"

/* Over the endpoint's stream, which becomes wide and outlives the link. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_stream_link_open(tc_ep *ep, tci_link **link_out, tc_error *err);

#endif
