/* Connecting, flushing and closing. */
#ifndef TCI_CONNECT_H
#define TCI_CONNECT_H

#include "context/context_object.h"

/* Closes without waiting: says goodbye if there is somebody to say it to, frees. */
void tci_connect_end(tc_ep *ep);

#endif
