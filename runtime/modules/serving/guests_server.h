/* Between the thread that serves a context and its guests: both files of the module. */
#ifndef TCI_GUESTS_SERVER_H
#define TCI_GUESTS_SERVER_H

#include "context/guests.h"

extern const tci_guests_ops tci_guests_table;

/* Takes the lock, for the serving thread. */
void tci_guests_take(tc_context *ctx);
/* Ends the serving thread's sleep, if it sleeps. */
void tci_guests_wake_server(tc_context *ctx);
/* Wakes all guests, so that they check again. */
void tci_guests_tell_all(tc_context *ctx);

#endif
