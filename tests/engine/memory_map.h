/* The access rights of this process's pages. */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

#include <stddef.h>

/* Fails the test when there is a page that can be written and executed. */
void expect_no_page_writable_and_executable(void);

/* Bytes of pages that belong to no file, can be read, and cannot be written. */
size_t fixed_memory_bytes(void);

/* Bytes that are resident. */
size_t resident_bytes(void);

#endif
