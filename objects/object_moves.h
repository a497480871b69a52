/* Requests between the runtimes of ranks: moves, destruction, facts. */
#ifndef TCO_OBJECT_MOVES_H
#define TCO_OBJECT_MOVES_H

#include "objects_state.h"

/* The library's own function: NAME_main of its archive. */
void tco_moves_main(void *payload, size_t size, void *target_args);

/* A request without the fields of pieces. */
tco_request tco_moves_request(tco_request_kind kind, tc_gptr object, uint32_t rank,
                              uint64_t moves);

/* Sends a request that the receiver can do without: one that is lost costs detours, or memory
 * of an arrival that was given up. */
void tco_moves_notify(const tc_objects *objects, uint32_t rank, const tco_request *request);

/* Asks the rank that an arriving object comes from whether it still moves it, in a task, and
 * gives the arrival up if not, or without an answer. */
void tco_moves_probe(tc_objects *objects, tc_gptr object);

/* Destroys the object that `self` holds alone; self->record is NULL afterwards. In a task it
 * may wait for credit to notify the home. */
void tco_moves_destroy(tc_object_self *self);

#endif
