/* The counters of a context: their numbers, their names for tc_stats_name, and their meanings.
 * The manual page tc_context(3) is made of names and meanings. A new counter is a row at the
 * end: programs may store indices. */
#ifndef TCI_COUNTER_LIST_H
#define TCI_COUNTER_LIST_H

/* clang-format off */
#define TCI_COUNTER_LIST(ROW)                                                                  \
    ROW(TCI_MESSAGES_RUN, "messages_run", "Messages whose function ran here.")                 \
    ROW(TCI_MESSAGES_DROPPED, "messages_dropped", "Messages for a function that was refused.") \
    ROW(TCI_CODE_RECEIVED, "code_received", "Functions whose code a peer sent.")               \
    ROW(TCI_CODE_SENT, "code_sent", "Messages that carried a function's code to a peer.")      \
    ROW(TCI_CODE_REFUSED, "code_refused", "Functions of peers that were refused here.")        \
    ROW(TCI_SENDS_QUEUED, "sends_queued", "Messages that waited in a send queue for credit.")  \
    ROW(TCI_CREDITS_SENT, "credits_sent", "Credit messages sent to peers.")                    \
    ROW(TCI_ENDPOINTS_OPENED, "endpoints_opened", "Endpoints whose handshake succeeded.")      \
    ROW(TCI_ENDPOINTS_FAILED, "endpoints_failed", "Endpoints that ended in an error.")         \
    ROW(TCI_RINGS_CLOSED, "rings_closed", "Rings made small and private: `ring_memory_max`.")  \
    ROW(TCI_CODE_EVICTED, "code_evicted", "Functions evicted to keep to `code_memory_max`.")   \
    ROW(TCI_CODE_IMPROVED, "code_improved",                                                    \
        "Functions whose code was replaced by faster code.")                                   \
    ROW(TCI_CALLS_STARTED, "calls_started",                                                    \
        "Calls that **tc_call**(3) or **tc_call_start**(3) sent.")                             \
    ROW(TCI_MESSAGES_FORWARDED, "messages_forwarded", "Messages that **tc_forward**(3) sent.") \
    ROW(TCI_REPLIES_LATE, "replies_late", "Replies to a call that was over already.")          \
    ROW(TCI_REPLIES_UNSENT, "replies_unsent", "Replies whose origin could not be reached.")    \
    ROW(TCI_CALLS_LONG, "calls_long", "Calls that ran longer than `call_time_max`.")           \
    ROW(TCI_STRANGERS_REFUSED, "strangers_refused",                                            \
        "Connections and hellos that were refused before anybody proved who it is.")       \
    ROW(TCI_CODE_UNTRUSTED, "code_untrusted",                                                  \
        "Of `code_refused`, those that are not trusted: signature, lists.")                \
    ROW(TCI_IDLE_LOOKS, "idle_looks", "Looks in vain at all rings by calls that wait.")        \
    ROW(TCI_YIELDS, "yields", "How often such calls gave the processor to others.")            \
    ROW(TCI_SLEEPS, "sleeps", "How often such calls slept until something woke them.")        \
    ROW(TCI_MESSAGES_LOST, "messages_lost",                                                    \
        "Messages, and replies, that had not run at the peer when their endpoint ended.")

typedef enum tci_counter {
#define ROW(id, name, meaning) id,
    TCI_COUNTER_LIST(ROW)
#undef ROW
    TCI_COUNTER_COUNT
} tci_counter;
/* clang-format on */
_Static_assert(TCI_MESSAGES_LOST == 22, "a new counter is a row at the end");

#endif
