/* Making keys that processes share; runtime/bootstrap/key_file.h has their form. */
#ifndef TOOL_KEY_H
#define TOOL_KEY_H

/* Writes a new key into a file that is not there yet, of mode 0600, and prints its name. 0: it
 * said why not, in the name of the program. */
int tool_key_make(const char *program, const char *path);

#endif
