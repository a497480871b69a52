/* Why a message was not sent, for calls that have no room for a text: the core keeps the newest. */
#ifndef TCI_SEND_ERROR_H
#define TCI_SEND_ERROR_H

#include "core/ep.h"

/* Keeps what failed with a status other than TC_E_AGAIN. `error` is kept if it has that status;
 * otherwise nothing below has said why, and the text is made of what is known of ep. Returns
 * status. */
tc_status tci_send_error_keep(const tc_ep *ep, tc_status status, const tc_error *error);

#endif
