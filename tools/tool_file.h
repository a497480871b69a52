/* Files that the programs write for others to read. */
#ifndef TOOL_FILE_H
#define TOOL_FILE_H

/* A reader sees the number's line whole or not at all. 0: errno says why. */
int tool_file_write_number(const char *path, unsigned number);

#endif
