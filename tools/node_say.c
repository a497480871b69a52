#include "node_say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_MAX_BYTES 8192

/* What JOURNAL_STREAM names. */
static bool has_journal;
static uintmax_t journal_device, journal_inode;

void node_say_begin(void)
{
    const char *text = secure_getenv("JOURNAL_STREAM");
    char *end = NULL;
    if (text == NULL)
        return;
    journal_device = strtoumax(text, &end, 10);
    if (end == text || *end != ':')
        return;
    const char *inode = end + 1;
    journal_inode = strtoumax(inode, &end, 10);
    has_journal = end != inode && *end == '\0';
}

/* The variable stays when the program or its parent has sent standard error elsewhere. */
static bool is_journal(void)
{
    struct stat found;
    return has_journal && fstat(STDERR_FILENO, &found) == 0 &&
           (uintmax_t)found.st_dev == journal_device &&
           (uintmax_t)found.st_ino == journal_inode;
}

const char *node_say_name(node_say_level level)
{
    static const char *const names[] = {
        [NODE_ERROR] = "<3>tc-node", [NODE_WARNING] = "<4>tc-node", [NODE_INFO] = "<6>tc-node"};
    return is_journal() ? names[level] : "tc-node";
}

void node_say(node_say_level level, const char *fmt, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    /* In one piece, as other processes write there, too. */
    fprintf(stderr, "%s: %s\n", node_say_name(level), line);
}
