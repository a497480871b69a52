/* The options of a context: a row each, of which the table that programs list and set and the
 * fields of struct tc_options are made.
 *
 *     SIZE, POWER, TIME, COUNT(name, variable, default, range, least, most, help)
 *     CHOICE(name, variable, default, choices in the order of their values, the last, help)
 *     FLAG(name, variable, default, help)
 *     TEXT(name, variable, unit, default, range, help)
 *
 * POWER is a size that is a power of two. The range is the text that a refusal prints. */
#ifndef TCI_OPTION_LIST_H
#define TCI_OPTION_LIST_H

#define TCI_SECOND 1000000000ull
#define TCI_HOUR (3600 * TCI_SECOND)
#define TCI_DAY (24 * TCI_HOUR)

/* clang-format off */
#define TCI_OPTION_LIST(SIZE, POWER, TIME, COUNT, CHOICE, FLAG, TEXT) \
    CHOICE(delivery, "TC_DELIVERY", "auto", "auto|direct|am|put|stream", TCI_DELIVERY_STREAM, \
      "transport of messages to a peer: stores into its mapped ring (direct), UCX active " \
      "messages (am), UCX puts (put: both sides choose it), or records of the connection " \
      "(stream: one side suffices). auto: direct where the ring can be mapped, put or am " \
      "with an RDMA adapter, else stream") \
    POWER(ring_bytes, "TC_RING_BYTES", "256K", "4K..2M, a power of two", 4096, 2u << 20, \
      "size of the receive ring of each endpoint") \
    SIZE(ring_memory_max, "TC_RING_MEMORY_MAX", "256M", "0..64G", 0, 64ull << 30, \
      "receive rings of all endpoints together: beyond it one gets 16K at most, filled by " \
      "active messages; likewise copies of peers' rings (am, put): beyond it a peer with " \
      "more than 16K is refused") \
    SIZE(send_queue_bytes, "TC_SEND_QUEUE_BYTES", "1M", "0..1G", 0, 1u << 30, \
      "largest queue of messages that an ifunc sends without credit, per endpoint; above " \
      "it, answers included, the peer's messages wait, and above eight times it (64K at " \
      "least) the endpoint fails") \
    SIZE(code_bytes_max, "TC_CODE_BYTES_MAX", "16M", "4K..1G", 4096, 1u << 30, \
      "largest archive that is opened, or accepted from a peer") \
    FLAG(code_push, "TC_CODE_PUSH", "yes", \
      "the first message of a function carries its code; no: only its id, and the code " \
      "when the peer asks for it") \
    FLAG(dictionaries, "TC_DICTIONARIES", "yes", \
      "announce to peers the dictionaries with which code sent here may be compressed; no: " \
      "for measurements, and to behave as a library without any") \
    CHOICE(payload, "TC_PAYLOAD", "writable", "writable|readonly", TCI_PAYLOAD_READONLY, \
      "functions may change payloads in place (writable), or only read them (readonly): " \
      "then a store ends the process, by a signal whose message names the function") \
    SIZE(payload_bytes_max, "TC_PAYLOAD_BYTES_MAX", "1G", "64K..64G", 65536, 64ull << 30, \
      "largest payload that is sent, or accepted from a peer") \
    SIZE(staging_bytes, "TC_STAGING_BYTES", "4M", "0..256M", 0, 256u << 20, \
      "memory shared with a peer on this host, per endpoint, for payloads larger than a " \
      "frame; 0: no such memory") \
    COUNT(functions_max, "TC_FUNCTIONS_MAX", "4096", "1..65535", 1, 65535, \
      "largest number of functions of a context at a time, opened here or received") \
    TIME(connect_timeout, "TC_CONNECT_TIMEOUT", "10s", "1ms..24h", 1000000, TCI_DAY, \
      "longest duration of a connection attempt when the call gives no timeout") \
    TIME(close_timeout, "TC_CLOSE_TIMEOUT", "2s", "0..24h", 0, TCI_DAY, \
      "longest time for which closing waits for messages under way when the call gives no " \
      "timeout") \
    TIME(call_timeout, "TC_CALL_TIMEOUT", "10s", "1ms..24h", 1000000, TCI_DAY, \
      "longest time until the answer of a call when the call gives no timeout") \
    TIME(call_time_max, "TC_CALL_TIME_MAX", "0", "0..24h", 0, TCI_DAY, \
      "time after which the log names a running function and its sender; 0: never. The " \
      "function goes on: see tc-node --isolate. Above 0, peers that connect while a " \
      "function runs for a second get its name. tc-node without --isolate: 10s") \
    COUNT(hop_limit, "TC_HOP_LIMIT", "65536", "1..1000000000", 1, 1000000000, \
      "largest number of times that a message which began here, or passes here, may be sent " \
      "on") \
    TIME(spin, "TC_SPIN", "2us", "0..1s", 0, TCI_SECOND, \
      "time for which a waiting call polls without yielding the processor") \
    CHOICE(wait, "TC_WAIT", "adaptive", \
      "adaptive|spin|block|pause|line|yield", TCI_WAIT_YIELD, \
      "method of calls that wait: poll, yield, then sleep (adaptive), sleep at once " \
      "(block), or only poll: without a pause (spin), with the processor's pause (pause), " \
      "with its instruction that waits for a cache line, where it has one (line), or " \
      "yielding after each poll (yield)") \
    TIME(sleep_max, "TC_SLEEP_MAX", "100ms", "1ms..1h", 1000000, TCI_HOUR, \
      "longest sleep of a waiting call that no event wakes, before it polls again") \
    CHOICE(check_threads, "TC_CHECK_THREADS", "auto", "auto|no|yes", TCI_CHECK_YES, \
      "abort when two threads are in calls of one context at the same time, after a log " \
      "line that names both and their calls: always (yes), or in debug builds of this " \
      "library and under tc-run (auto)") \
    FLAG(listen_any, "TC_LISTEN_ANY", "no", \
      "allow listening outside loopback without keys (key_file, tls_cert): every process " \
      "that connects can run code in this process") \
    TEXT(key_file, "TC_KEY_FILE", "file", "", "a file of mode 0600, or empty", \
      "key that this side and its peers share: connections are TLS 1.3, and refuse peers " \
      "without it; tc-node --make-key makes one") \
    TEXT(tls_ca, "TC_TLS_CA", "file", "", "a PEM file, or empty", \
      "authority that has to sign the certificates of peers; with tls_cert and tls_key " \
      "connections are TLS 1.3, and refuse peers without one") \
    TEXT(tls_cert, "TC_TLS_CERT", "file", "", "a PEM file, or empty", \
      "certificate of this side, and those between it and the authority; its subject is " \
      "this side's identity") \
    TEXT(tls_key, "TC_TLS_KEY", "file", "", "a PEM file of mode 0600, or empty", \
      "private key of tls_cert, without a password") \
    CHOICE(local_users, "TC_LOCAL_USERS", "own", "own|any", 1, \
      "without keys, the users whose processes on this host may connect, and be connected " \
      "to: this user and root (own), or all (any)") \
    CHOICE(protect, "TC_PROTECT", "seal", "seal|auth|off", TCI_PROTECT_OFF, \
      "protection of the bytes on connections with keys: encryption and integrity (seal), " \
      "integrity alone (auth: refused until a TLS library has it), or no protection (off: " \
      "refused with keys; without keys bytes go in clear text)") \
    CHOICE(network, "TC_NETWORK", "auto", "auto|no|yes", TCI_NETWORK_YES, \
      "network port of UCX, by which others can read and write this process's memory: open " \
      "when something needs it (auto: an address of UCX's; and, with an RDMA adapter or the " \
      "delivery am or put, a listener or peer beyond this host), never (no), or from the " \
      "start (yes)") \
    TEXT(group_hosts, "TC_GROUP_HOSTS", "list", "", "host:port,host:port,..., or empty", \
      "addresses at which the members of a group listen, in the order of their ranks, for " \
      "processes that neither tc-run nor PMIx started; see tc_group_join") \
    TEXT(group_rank, "TC_GROUP_RANK", "rank", "", "a number, or empty", \
      "rank of this process in group_hosts") \
    TEXT(group_secret, "TC_GROUP_SECRET", "secret", "", "any text, or empty", \
      "secret of the members of group_hosts: a process that connects without it is refused") \
    TEXT(group_address, "TC_GROUP_ADDRESS", "address", "", \
      "an address, a name or a network interface of this host; or empty", \
      "address at which tc_group_join listens, with a port or without; empty: on loopback, " \
      "if all members are on this host. Members of a job have a key of its own there") \
    CHOICE(form, "TC_FORM", "auto", "auto|image|bitcode", TCI_CHOICE_BITCODE, \
      "form of the functions that run here: the image (image), compiled bitcode (bitcode), " \
      "or the image where one fits this CPU (auto)") \
    FLAG(debug_code, "TC_DEBUG_CODE", "no", \
      "show debuggers names and callers of all functions that run here; bitcode is " \
      "preferred to an image. no: only of bitcode compiled with -g") \
    FLAG(perf_map, "TC_PERF_MAP", "no", \
      "write names and addresses of functions that run here to /tmp/perf-PID.map, for perf " \
      "report") \
    CHOICE(tier, "TC_TIER", "auto", "auto|fast|best", TCI_TIER_BEST, \
      "quality of code: compiled soonest and no more (fast), for this very CPU before the " \
      "first call (best), or soonest and then, when it is called often or runs for long, " \
      "for this CPU (auto)") \
    COUNT(tier_calls, "TC_TIER_CALLS", "1000", "1..1000000000", 1, 1000000000, \
      "number of calls of quickly compiled code after which it is compiled again, in the " \
      "background; of an image a hundred times as many") \
    TIME(tier_time, "TC_TIER_TIME", "10ms", "0..24h", 0, TCI_DAY, \
      "total duration of calls of quickly compiled code after which it is compiled again, " \
      "even if they are fewer; of an image ten times as long; 0: no limit") \
    COUNT(compile_threads, "TC_COMPILE_THREADS", "2", "1..64", 1, 64, \
      "number of threads that compile received functions, or read compiled code; one more " \
      "loads functions that need a library but no compiler, and one, of low priority, makes " \
      "better code") \
    SIZE(code_memory_max, "TC_CODE_MEMORY_MAX", "256M", "4K..64G", 4096, 64ull << 30, \
      "largest size of all code that a context received, ready to run; above it " \
      "functions not called for longest leave, and come again when called; those with " \
      "variables stay while their peer is connected, and take at most three quarters of " \
      "what those of others leave") \
    CHOICE(compiler, "TC_COMPILER", "process", "process|thread|auto", TCI_COMPILER_AUTO, \
      "process that compiles bitcode: one of its own, which ends when code crashes LLVM " \
      "(process), this one, without limits, where assembly may read files (thread), or this " \
      "one when no other can be started (auto)") \
    CHOICE(compiler_wall, "TC_COMPILER_WALL", "auto", "auto|yes|no", TCI_CHOICE_WALL_NO, \
      "restrictions of that process (no files, sockets or other processes, no executable " \
      "memory): those that this machine has (auto), all of them or nothing is compiled " \
      "(yes), or no restrictions (no)") \
    CHOICE(compiled, "TC_COMPILED", "auto", "orc|image|auto", TCI_COMPILED_AUTO, \
      "output of the compiler: objects, which LLVM links here and debuggers can read (orc), " \
      "images, which this library checks and loads (image), or images except of code for " \
      "debuggers and what an image cannot hold (auto)") \
    TIME(compile_time_max, "TC_COMPILE_TIME_MAX", "10s", \
      "10ms..24h", 10000000, TCI_DAY, \
      "longest time to compile one function in a process of its own, and to start that " \
      "process, 10s at least; for better code, for which no message waits, in processor " \
      "time; the value of the first context holds for all") \
    SIZE(compile_memory_max, "TC_COMPILE_MEMORY_MAX", "2G", \
      "512M..1024G", 512ull << 20, 1024ull << 30, \
      "largest address space of a process that compiles, of which LLVM itself takes 200M") \
    TEXT(ifunc_path, "TC_IFUNC_PATH", "path list", ".", "folders, separated by ':'", \
      "folders in which tc_ifunc_open looks for NAME.tca; a folder may begin with $ORIGIN, " \
      "the folder of the program") \
    CHOICE(missing_library, "TC_MISSING_LIBRARY", "refuse", "refuse|warn", TCI_MISSING_WARN, \
      "result of a library of a function's .deps list that cannot be loaded: the function " \
      "is refused, or runs without it after a line in the log, unless it then lacks a " \
      "symbol") \
    COUNT(quota_connections, "TC_QUOTA_CONNECTIONS", "0", "0..65535", 0, 65535, \
      "largest number of connections of the peers of one identity to a context; 0: any " \
      "number; peers that have proved no identity share one") \
    COUNT(quota_functions, "TC_QUOTA_FUNCTIONS", "0", "0..65535", 0, 65535, \
      "largest number of functions from the peers of one identity that a context holds; 0: " \
      "any number") \
    SIZE(quota_code_bytes, "TC_QUOTA_CODE_BYTES", "0", "0..64G", 0, 64ull << 30, \
      "largest size of the code of these functions, as it was sent and ready to run; 0: any " \
      "size") \
    TIME(quota_compile_time, "TC_QUOTA_COMPILE_TIME", "0", "0..60s", 0, 60 * TCI_SECOND, \
      "longest time in a minute for compiling functions from the peers of one identity: " \
      "beyond it none is loaded until the minute is over; 0: any time") \
    SIZE(quota_queue_bytes, "TC_QUOTA_QUEUE_BYTES", "0", "0..64G", 0, 64ull << 30, \
      "largest size of the data that waits for the peers of one identity that do not read; " \
      "above it their messages wait, and above eight times it the connection is closed; 0: " \
      "any size") \
    COUNT(quota_message_rate, "TC_QUOTA_MESSAGE_RATE", "0", "0..1000000000", 0, 1000000000, \
      "largest number of messages from the peers of one identity that run in a second; " \
      "further ones wait; 0: any number") \
    COUNT(quota_tasks, "TC_QUOTA_TASKS", "0", "0..1048576", 0, 1048576, \
      "largest number of functions from the peers of one identity that wait; further ones " \
      "cannot; 0: any number") \
    TEXT(audit, "TC_AUDIT", "file", "", "a file, log, or empty", \
      "destination of a line of JSON for each connection, refusal and function that peers " \
      "load (docs/audit.md): a file of mode 0600, or the log. Empty: no audit") \
    TEXT(symbols, "TC_SYMBOLS", "file", "", "@FILE, or empty", \
      "symbols and libraries that received code may bind, by rules in a file " \
      "(docs/policy.md); under them code may hold no assembly. A check of trusted code, no " \
      "sandbox. Empty: any") \
    TEXT(engine_path, "TC_ENGINE_PATH", "folder", "", "a folder, or empty", \
      "folder of modules (libtchains-orc.so, libtchains-pmix.so); empty: beside the " \
      "library, then where it was installed") \
    TEXT(trust, "TC_TRUST", "folder", "", "a folder, or empty", \
      "folder of the public keys whose signatures of code are accepted, a file NAME.pub " \
      "each, with the code that each may sign; only this user and root may write there; see " \
      "tc-ar(1)") \
    CHOICE(require_signature, "TC_REQUIRE_SIGNATURE", "no", "no|yes|all", TCI_SIGNATURE_ALL, \
      "run only code that a key of trust has signed: of the code from peers (yes), or of " \
      "the code that this program opens, too (all)") \
    FLAG(take_libraries, "TC_TAKE_LIBRARIES", "yes", \
      "let peers push libraries, which functions of all peers can use, and withdraw their " \
      "own") \
    TEXT(code_allow, "TC_CODE_ALLOW", "list", "", "@FILE, or empty", \
      "run for peers only code that the file lists, a content id or a digest of content per " \
      "line; signatures are still required") \
    TEXT(code_revoked, "TC_CODE_REVOKED", "list", "", "@FILE, or empty", \
      "code and keys that are no longer trusted, by id, one per line") \
    TEXT(cache_dir, "TC_CACHE_DIR", "folder", "auto", "auto, a folder, or empty", \
      "folder in which compiled functions are kept for the next process, of mode 0700; " \
      "auto: tchains in $XDG_CACHE_HOME or $HOME/.cache; empty: no cache") \
    SIZE(cache_max, "TC_CACHE_MAX", "256M", "64K..1024G", 65536, 1ull << 40, \
      "largest size of that folder's files together; above it those unused for longest are " \
      "deleted") \
    TCI_USAGE_OPTION(CHOICE)

/* Options of modules that a build lacks, and that cost the smallest library too much. */
#ifdef TCI_WITHOUT_USAGE
#define TCI_USAGE_OPTION(CHOICE)
#else
#define TCI_USAGE_OPTION(CHOICE) \
    CHOICE(usage, "TC_USAGE", "off", "off|counts|times", TCI_USAGE_TIMES, \
      "statistics of functions, peers and identities: off, calls and bytes (counts), or also " \
      "the run time of a sample of the calls (times). tc-node: counts")
#endif
/* clang-format on */

#endif
