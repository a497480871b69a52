/* What this process's pages may be used for. */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

/* Fails the test when there is a page that can be written and executed. */
void expect_no_page_writable_and_executable(void);

#endif
