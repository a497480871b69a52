/* Makes keys that processes share; runtime/bootstrap/key_file.h has their format. */
#ifndef TOOL_KEY_H
#define TOOL_KEY_H

/* Writes a new key into a new file of mode 0600, and prints the key's name. Returns 0 after
 * printing the reason, in the name of the program. */
int tool_key_make(const char *program, const char *path);

#endif
