/* The object cache: what is in it, and emptying it. */
#ifndef INFO_CACHE_H
#define INFO_CACHE_H

#include "info_fields.h"

/* Both give the program's exit status. */
int report_cache(output_format format);
int clear_cache(output_format format);

#endif
