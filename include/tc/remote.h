/* Words for headers that declare remote functions. `tc-clang --stubs=FOLDER HEADER.h` reads
 * such a header, and writes typed callers and the functions' entries (docs/stubs.md):
 *
 *   TC_REMOTE double dot(TC_COUNT(n) const double *a, TC_COUNT(n) const double *b, size_t n);
 *   TC_REMOTE void limits(TC_COUNT(n) const double *values, size_t n, TC_OUT struct limits *l);
 *
 * The words mean something to `tc-clang --stubs` alone. All compilers of C and C++ read nothing
 * instead of them, so they change no declaration, no code and no warning of a program. */
#ifndef TC_REMOTE_H
#define TC_REMOTE_H

#ifdef TC_STUBS_READER
#define TC_REMOTE __attribute__((annotate("tc_remote")))
#define TC_COUNT(n) __attribute__((annotate("tc_count " #n)))
#define TC_OUT __attribute__((annotate("tc_out")))
#else

/* In front of the declaration of a function: it is remote. */
#define TC_REMOTE

/* In front of a pointer among its arguments: it points to n elements. The pointer is the
 * function's for the call alone.
 *
 *   n  the name of an argument of the same function, of an unsigned type, by value; several
 *      pointers may have one n */
#define TC_COUNT(n)

/* In front of a pointer among its arguments: the function writes through it and does not read.
 * With TC_COUNT(n) it writes n elements. Without TC_OUT the memory behind a pointer to const
 * goes to the function, and the memory behind another pointer goes there and comes back. */
#define TC_OUT

#endif
#endif
