/* How ranks move data and notice that others' data are here: the operations that the versions
 * of all applications share, with their stamps. Each function returns false after a line on
 * stderr. */
#ifndef TC_MRPC_EXCHANGE_H
#define TC_MRPC_EXCHANGE_H

#include "mrpc_rank.h"

/* Sends a function, and progresses while its message is not taken. */
bool mrpc_exchange_send(mrpc_rank *r, uint32_t peer, tc_ifunc *fn, void *args, size_t size);

/* Blocks until the result is here, which has exactly result_size bytes. */
bool mrpc_exchange_ask(mrpc_rank *r, uint32_t peer, tc_ifunc *fn, const void *args, size_t size,
                       void *result, size_t result_size);

/* Blocks until the bytes at an offset of a peer's window are here. */
bool mrpc_exchange_get(mrpc_rank *r, uint32_t peer, uint64_t offset, void *bytes, size_t size);

/* Starts a call, as a message is sent. The result has up to `capacity` bytes. */
bool mrpc_exchange_call(mrpc_rank *r, uint32_t peer, tc_ifunc *fn, const void *args,
                        size_t size, void *result, size_t capacity);

/* Starts a chain, which is one message, likewise. */
bool mrpc_exchange_chain(mrpc_rank *r, uint32_t peer, const tc_window_step *steps,
                         size_t count);

/* Blocks until all calls and chains that were started have ended well. */
bool mrpc_exchange_end(mrpc_rank *r);

/* The position of the word that counts this rank's data at a peer. */
static inline tc_gptr mrpc_exchange_arrived_at(const mrpc_rank *r, uint32_t peer)
{
    return mrpc_rank_at(r, peer, mrpc_rank_arrived_offset(r->rank));
}

/* Notes at a peer with a mapped window that this rank's data of an exchange are there. */
bool mrpc_exchange_signal(mrpc_rank *r, uint32_t peer, uint64_t exchange);

/* Block until the data of one other rank for an exchange are here: data that come by messages,
 * and those that the other process stores, for which tc_wait would not end. */
bool mrpc_exchange_await_message(mrpc_rank *r, uint32_t peer, uint64_t exchange);
bool mrpc_exchange_await_store(mrpc_rank *r, uint32_t peer, uint64_t exchange);

/* Block until the data of all other ranks for r->exchange are here, likewise. */
bool mrpc_exchange_await_messages(mrpc_rank *r);
bool mrpc_exchange_await_stores(mrpc_rank *r);

#endif
