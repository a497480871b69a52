/* The reason why a message was not sent, for calls without a parameter for a text: the core
 * keeps the newest. */
#ifndef TCI_SEND_ERROR_H
#define TCI_SEND_ERROR_H

#include "core/ep.h"

/* Fills err (NULL: unwanted) with the reason of a failure for which no lower function has given
 * one: the text is made from the state of ep. Returns status. */
tc_status tci_send_error_explain(const tc_ep *ep, tc_status status, tc_error *err);

/* Keeps a failure. Its text is lost where there is no memory for it. */
void tci_send_error_store(tci_core *core, const tc_error *error);

/* See tc_send_error. */
tc_status tci_send_error_read(const tci_core *core, tc_error *err);

/* Keeps the reason of a failure with a status other than TC_E_AGAIN. `error` is kept if it has
 * that status; otherwise it becomes the reason as above. Returns status. */
tc_status tci_send_error_keep(const tc_ep *ep, tc_status status, tc_error *error);

#endif
