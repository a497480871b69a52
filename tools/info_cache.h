/* The report of tc-info on the object cache. */
#ifndef INFO_CACHE_H
#define INFO_CACHE_H

#include "info_fields.h"

#include <tc/status.h>

/* List the cache, and remove all of it. Statuses of tc_cache_list and tc_cache_clear. */
TC_MUST_CHECK tc_status info_cache_report(output_format format, tc_error *err);
TC_MUST_CHECK tc_status info_cache_clear(output_format format, tc_error *err);

#endif
