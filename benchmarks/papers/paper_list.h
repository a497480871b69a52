/* The socket: the rows that this folder adds to tc-perf's table of experiments. */
#ifndef TC_PERF_PAPER_LIST_H
#define TC_PERF_PAPER_LIST_H

/* In the order of tc-perf --help, behind those of every build. */
#define PAPER_EXPERIMENTS(row)                                                                 \
    row(overhead) row(icache) row(cycles) row(tail) row(dapc) row(library) row(am)

#endif
