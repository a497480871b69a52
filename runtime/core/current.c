#include "core/current.h"

/* Set for each batch of frames, so it is worth the static TLS block: one instruction to reach
 * it instead of a call. */
_Thread_local tci_current tci_current_call __attribute__((tls_model("initial-exec")));
