/* The public function of the module usage in a build without it. */
#include "context/absent.h"

#include <tc/usage.h>

TCI_ABSENT_VALUE(TC_E_UNSUPPORTED, tc_status, tc_usage_visit, tc_context *ctx,
                 tc_usage_visitor visit, void *user)
