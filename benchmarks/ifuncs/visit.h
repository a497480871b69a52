/* Types shared by visit.c and its senders. */
#ifndef TC_PERF_VISIT_H
#define TC_PERF_VISIT_H

#define VISIT_TEXT 32 /* bytes of a payload that is a text; padded by zeros */

#endif
