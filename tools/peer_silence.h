/* The reason why a connected peer does not answer. */
#ifndef PEER_SILENCE_H
#define PEER_SILENCE_H

#include <stdbool.h>
#include <tc/endpoint.h>

/* Asks by a second connection, for three tenths of a second at most: a node that runs one
 * function for long answers that (tc/endpoint.h). Writes "it is busy for 12 s in function
 * 'spin' of uid:1000", or the reason why no connection was possible. Returns false if the peer
 * has accepted it, so that it is silent no more. */
bool peer_silence_ask(tc_context *ctx, const char *host_port, char *why_out, size_t why_size);

#endif
