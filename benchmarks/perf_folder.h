/* A folder for the time of a run, and its files. */
#ifndef TC_PERF_FOLDER_H
#define TC_PERF_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Accessible to the user alone. False after a complaint. */
bool perf_folder_make(char *folder, size_t size);
void perf_folder_remove(const char *folder);

/* Writes bytes to FOLDER/NAME, a new file. False after a complaint. */
bool perf_folder_write(const char *folder, const char *name, const void *bytes, size_t size);

#endif
