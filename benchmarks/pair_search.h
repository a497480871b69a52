/* A near and a far pair among the processors of this process, for machines with more than
 * two. */
#ifndef TC_PERF_PAIR_SEARCH_H
#define TC_PERF_PAIR_SEARCH_H

/* Measures words between the first processor and others, of which there are at most
 * PAIR_SEARCH_MAX, evenly spaced. Returns how many pairs there are, near before far: 0 with at
 * most two processors, or when nothing could be measured. Both begin with the first
 * processor. */
#define PAIR_SEARCH_MAX 15u
unsigned pair_search_find(int pairs[2][2]);

#endif
