/* The lines of tc-node on standard error: "tc-node: TEXT". Where that is the stream of a
 * journal (systemd.exec(5), JOURNAL_STREAM), they begin with a priority, as those of the
 * library's log do: "<4>tc-node: TEXT". */
#ifndef NODE_SAY_H
#define NODE_SAY_H

/* As in syslog(3). */
typedef enum node_say_level { NODE_ERROR = 3, NODE_WARNING = 4, NODE_INFO = 6 } node_say_level;

/* Called before the other functions here, and before there are threads. */
void node_say_begin(void);

/* Writes one line; beyond 8 KB its text is truncated. */
__attribute__((format(printf, 2, 3))) void node_say(node_say_level level, const char *fmt, ...);

/* Returns the text that a line begins with: "tc-node", in a journal behind the priority.
 * Async-signal-safe. */
const char *node_say_name(node_say_level level);

#endif
