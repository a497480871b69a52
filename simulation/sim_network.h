/* The network between hosts: ways that carry bytes in order, with delay, and connections made
 * of two ways. A connection lives while a socket or an event refers to it. */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include "sim_descriptor.h"

typedef struct sim_network_way sim_network_way;

/* Returns the time to a host, with jitter. */
uint64_t sim_network_delay(tc_sim_world *world, unsigned from, unsigned to);
/* Returns whether nothing arrives. */
bool sim_network_is_cut(const tc_sim_world *world, unsigned from, unsigned to);

/* Makes a connection. Each of its two ways has a sending and a receiving end, which the caller
 * holds; see sim_network_leave_in and _out. Returns false when there is no memory. */
bool sim_network_join(tc_sim_world *world, unsigned from, unsigned to,
                      sim_network_way **forth_out, sim_network_way **back_out);
/* Names the socket at an end, which changes are reported to. */
void sim_network_sender(sim_network_way *way, sim_descriptor *descriptor);
void sim_network_receiver(sim_network_way *way, sim_descriptor *descriptor);
/* Returns whether its receiving end was given up. */
bool sim_network_is_deaf(const sim_network_way *way);
/* Gives up an end. */
void sim_network_leave_in(sim_network_way *way);
void sim_network_leave_out(sim_network_way *way);

/* Answers an attempt to connect, by the way back: 0 or the error. */
void sim_network_answer(sim_network_way *back, int errnum);
bool sim_network_is_answered(const sim_network_way *back);
/* Runs an event of an attempt again, later. */
void sim_network_retry(sim_network_way *forth, void (*run)(void *subject, uint64_t argument),
                       void *subject);

/* Returns how many bytes can be written, or read. */
size_t sim_network_space(const sim_network_way *way);
size_t sim_network_unread(const sim_network_way *way);
/* Returns how many of the written bytes have not arrived. */
size_t sim_network_under_way(const sim_network_way *way);
/* At most so many. */
bool sim_network_write(sim_network_way *way, const void *bytes, size_t size);
void sim_network_read(sim_network_way *way, void *bytes, size_t size, bool keep);
/* The last bytes were written; or the connection is aborted. */
void sim_network_end(sim_network_way *way);
void sim_network_reset(sim_network_way *way);
/* At the receiver: all bytes were read and no more follow; the error that ended it, or 0. */
bool sim_network_has_ended(const sim_network_way *way);
int sim_network_error(const sim_network_way *way);

#endif
