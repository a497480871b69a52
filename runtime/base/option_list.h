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
      "how messages reach a peer: stores into its mapped ring (direct), UCX active " \
      "messages (am), UCX puts (put: the peer has to choose it, too; auto takes them where " \
      "an RDMA adapter carries them), or records of the connection, without UCX (stream: " \
      "one side's word is enough)") \
    POWER(ring_bytes, "TC_RING_BYTES", "256K", "4K..2M, a power of two", 4096, 2u << 20, \
      "size of the receive ring of each endpoint") \
    SIZE(ring_memory_max, "TC_RING_MEMORY_MAX", "256M", "0..64G", 0, 64ull << 30, \
      "receive rings of all endpoints together: beyond it one gets 16K at most, filled by " \
      "active messages; likewise copies of peers' rings (am, put): beyond it a peer with " \
      "more than 16K is refused") \
    SIZE(send_queue_bytes, "TC_SEND_QUEUE_BYTES", "1M", "0..1G", 0, 1u << 30, \
      "queue of messages that an ifunc sends without credit, per endpoint; with more, " \
      "answers included, the peer's messages wait, and with eight times this (64K at " \
      "least) it is ended") \
    SIZE(code_bytes_max, "TC_CODE_BYTES_MAX", "16M", "4K..1G", 4096, 1u << 30, \
      "largest archive that is opened, or accepted from a peer") \
    FLAG(code_push, "TC_CODE_PUSH", "yes", \
      "the first message of a function carries its code; no: only its id, and the code " \
      "when the peer asks for it") \
    FLAG(dictionaries, "TC_DICTIONARIES", "yes", \
      "tell peers which dictionaries code sent here may be packed with; no: for measuring, " \
      "and to be what a library from before dictionaries is") \
    CHOICE(payload, "TC_PAYLOAD", "writable", "writable|readonly", TCI_PAYLOAD_READONLY, \
      "functions may change payloads in place (writable), or only read them (readonly): a " \
      "store ends the process, by a signal whose line names the function") \
    SIZE(payload_bytes_max, "TC_PAYLOAD_BYTES_MAX", "1G", "64K..64G", 65536, 64ull << 30, \
      "largest payload that is sent, or accepted from a peer") \
    SIZE(staging_bytes, "TC_STAGING_BYTES", "4M", "0..256M", 0, 256u << 20, \
      "memory shared with a peer on this host, per endpoint, for payloads above a frame; " \
      "0: none") \
    COUNT(functions_max, "TC_FUNCTIONS_MAX", "4096", "1..65535", 1, 65535, \
      "how many functions a context knows at once, opened here or received") \
    TIME(connect_timeout, "TC_CONNECT_TIMEOUT", "10s", "1ms..24h", 1000000, TCI_DAY, \
      "how long a connection attempt may take when the call gives no timeout") \
    TIME(close_timeout, "TC_CLOSE_TIMEOUT", "2s", "0..24h", 0, TCI_DAY, \
      "how long closing an endpoint waits for messages under way") \
    TIME(call_timeout, "TC_CALL_TIMEOUT", "10s", "1ms..24h", 1000000, TCI_DAY, \
      "how long the answer of a call may take when the call gives no timeout") \
    TIME(call_time_max, "TC_CALL_TIME_MAX", "0", "0..24h", 0, TCI_DAY, \
      "how long a function may run before the log names it and its sender; 0: any time. It " \
      "is not ended: see tc-node --isolate. Above 0, peers that connect while one has been " \
      "running for a second get its name. tc-node without --isolate: 10s") \
    COUNT(hop_limit, "TC_HOP_LIMIT", "65536", "1..1000000000", 1, 1000000000, \
      "how often a message that began here, or comes through here, may be sent on") \
    TIME(spin, "TC_SPIN", "2us", "0..1s", 0, TCI_SECOND, \
      "how long a waiting call polls without giving up the processor") \
    CHOICE(wait, "TC_WAIT", "adaptive", \
      "adaptive|spin|block|pause|line|yield", TCI_WAIT_YIELD, \
      "calls that wait poll, yield, then sleep (adaptive), sleep at once (block), or only " \
      "poll: without a rest (spin), with the processor's pause (pause), with its wait for " \
      "a line of memory, where it has one (line), or yielding after each look (yield)") \
    TIME(sleep_max, "TC_SLEEP_MAX", "100ms", "1ms..1h", 1000000, TCI_HOUR, \
      "how long a waiting call sleeps before it looks around, should nothing wake it") \
    CHOICE(check_threads, "TC_CHECK_THREADS", "auto", "auto|no|yes", TCI_CHECK_YES, \
      "abort when two threads are in calls of one context at the same time, after a line " \
      "that names both and their calls: always (yes), or in debug builds of this library " \
      "and under tc-run (auto)") \
    FLAG(listen_any, "TC_LISTEN_ANY", "no", \
      "allow listening outside loopback without keys (key_file, tls_cert): whoever " \
      "connects can run code in this process") \
    TEXT(key_file, "TC_KEY_FILE", "file", "", "a file of mode 0600, or empty", \
      "the key that this side and its peers share: connections are TLS 1.3, and take " \
      "nobody without it; tc-node --make-key makes one") \
    TEXT(tls_ca, "TC_TLS_CA", "file", "", "a PEM file, or empty", \
      "the authority whose signature peers' certificates need; with tls_cert and tls_key " \
      "connections are TLS 1.3, and take nobody without one") \
    TEXT(tls_cert, "TC_TLS_CERT", "file", "", "a PEM file, or empty", \
      "this side's certificate, and those between it and the authority; its subject is " \
      "this side's identity") \
    TEXT(tls_key, "TC_TLS_KEY", "file", "", "a PEM file of mode 0600, or empty", \
      "the private key of tls_cert, without a password") \
    CHOICE(local_users, "TC_LOCAL_USERS", "own", "own|any", 1, \
      "without keys, whose processes on this host may connect, and be connected to: this " \
      "user's and root's (own), or everybody's (any)") \
    CHOICE(protect, "TC_PROTECT", "seal", "seal|auth|off", TCI_PROTECT_OFF, \
      "what connections with keys do to bytes: encrypt them and notice every change " \
      "(seal), only the latter (auth: refused until a TLS library has it), or nothing " \
      "(off: refused with keys; without keys bytes go in clear text)") \
    CHOICE(network, "TC_NETWORK", "auto", "auto|no|yes", TCI_NETWORK_YES, \
      "whether UCX has a network port, by which others can read and write this process's " \
      "memory: when something needs it (auto: a listener, peer or address beyond this " \
      "host), never, or from the start") \
    TEXT(group_hosts, "TC_GROUP_HOSTS", "list", "", "host:port,host:port,..., or empty", \
      "where the members of a group listen, in the order of their ranks, for processes " \
      "that neither tc-run nor PMIx started; see tc_group_join") \
    TEXT(group_rank, "TC_GROUP_RANK", "rank", "", "a number, or empty", \
      "which of group_hosts this process is") \
    TEXT(group_secret, "TC_GROUP_SECRET", "secret", "", "any text, or empty", \
      "what the members of group_hosts know and others do not: who connects without it is " \
      "none of them") \
    TEXT(group_address, "TC_GROUP_ADDRESS", "address", "", \
      "an address, a name or a network interface of this host; or empty", \
      "where tc_group_join listens, with a port or without; empty: on loopback, if all " \
      "members are on this host. Members of a job have a key of its own there") \
    CHOICE(form, "TC_FORM", "auto", "auto|image|bitcode", TCI_CHOICE_BITCODE, \
      "which form of a function runs here: its native image (image), what LLVM compiles of " \
      "its bitcode (bitcode), or the image where it has one that fits this CPU (auto)") \
    FLAG(debug_code, "TC_DEBUG_CODE", "no", \
      "debuggers know the names of all functions that run here, and see their callers; " \
      "bitcode is taken before an image. no: of bitcode compiled with -g alone") \
    FLAG(perf_map, "TC_PERF_MAP", "no", \
      "write the names and addresses of functions that run here to /tmp/perf-PID.map, " \
      "where perf report looks for them") \
    CHOICE(tier, "TC_TIER", "auto", "auto|fast|best", TCI_TIER_BEST, \
      "how well code is made: soonest and no more (fast), for this very CPU before the " \
      "first call (best), or soonest and then, when it is called often or runs for long, " \
      "for this CPU (auto)") \
    COUNT(tier_calls, "TC_TIER_CALLS", "1000", "1..1000000000", 1, 1000000000, \
      "calls of quickly compiled code after which it is compiled again, in the background; " \
      "of an image a hundred times as many") \
    TIME(tier_time, "TC_TIER_TIME", "10ms", "0..24h", 0, TCI_DAY, \
      "how long the calls of quickly compiled code may take in all until it is compiled " \
      "again, in the background, though they are fewer; those of an image ten times as " \
      "long; 0: any time") \
    COUNT(compile_threads, "TC_COMPILE_THREADS", "2", "1..64", 1, 64, \
      "threads that compile received functions, or read what was compiled before; one more " \
      "loads what needs a library but no compiler, and one, of low priority, makes better " \
      "code") \
    SIZE(code_memory_max, "TC_CODE_MEMORY_MAX", "256M", "4K..64G", 4096, 64ull << 30, \
      "code of all functions that a context received, ready to run; beyond it those not " \
      "called for longest leave, and come again when called; those with variables stay " \
      "while their peer is there, and take at most three quarters of what those of others " \
      "leave") \
    CHOICE(compiler, "TC_COMPILER", "process", "process|thread|auto", TCI_COMPILER_AUTO, \
      "where bitcode is compiled: in a process of its own, which code that LLVM does not " \
      "survive ends (process), in this one, without limits, where assembly may read files " \
      "(thread), or so when no other can be had (auto)") \
    CHOICE(compiler_wall, "TC_COMPILER_WALL", "auto", "auto|yes|no", TCI_CHOICE_WALL_NO, \
      "walls around that process (no files, sockets or other processes, no memory that " \
      "runs): those that this machine has (auto), all of them or nothing is compiled " \
      "(yes), or none (no)") \
    CHOICE(compiled, "TC_COMPILED", "orc", "orc|image", TCI_COMPILED_IMAGE, \
      "what the compiler hands over: objects, which LLVM links here and debuggers can look " \
      "into (orc), or images, which this library checks and loads (image)") \
    TIME(compile_time_max, "TC_COMPILE_TIME_MAX", "10s", \
      "10ms..24h", 10000000, TCI_DAY, \
      "how long one function may take to compile in a process of its own, and that process " \
      "to start, 2s at least; for better code, which nobody waits for, in processor time; " \
      "the first context's holds for all") \
    SIZE(compile_memory_max, "TC_COMPILE_MEMORY_MAX", "2G", \
      "512M..1024G", 512ull << 20, 1024ull << 30, \
      "address space of a process that compiles, of which LLVM itself takes 200M") \
    TEXT(ifunc_path, "TC_IFUNC_PATH", "path list", ".", "folders, separated by ':'", \
      "where tc_ifunc_open looks for NAME.tca; a folder may begin with $ORIGIN, the one " \
      "that the program lies in") \
    CHOICE(missing_library, "TC_MISSING_LIBRARY", "refuse", "refuse|warn", TCI_MISSING_WARN, \
      "a library of a function's .deps list that cannot be loaded: the function is " \
      "refused, or runs without it after a line in the log, unless it then lacks a symbol") \
    COUNT(quota_connections, "TC_QUOTA_CONNECTIONS", "0", "0..65535", 0, 65535, \
      "how many connections the peers of one identity may have made to a context; 0: any " \
      "number; peers that have proved nothing share one identity") \
    COUNT(quota_functions, "TC_QUOTA_FUNCTIONS", "0", "0..65535", 0, 65535, \
      "how many functions that came from the peers of one identity a context holds; 0: any " \
      "number") \
    SIZE(quota_code_bytes, "TC_QUOTA_CODE_BYTES", "0", "0..64G", 0, 64ull << 30, \
      "what the code of these functions may take, as it was sent and ready to run; 0: any " \
      "number") \
    TIME(quota_compile_time, "TC_QUOTA_COMPILE_TIME", "0", "0..60s", 0, 60 * TCI_SECOND, \
      "how long functions of the peers of one identity may be compiled in a minute: beyond " \
      "it none is loaded until it is over; 0: any time") \
    SIZE(quota_queue_bytes, "TC_QUOTA_QUEUE_BYTES", "0", "0..64G", 0, 64ull << 30, \
      "what may wait for the peers of one identity that do not read; with more, their " \
      "messages wait, and with eight times this the connection is ended; 0: any number") \
    COUNT(quota_message_rate, "TC_QUOTA_MESSAGE_RATE", "0", "0..1000000000", 0, 1000000000, \
      "how many messages of the peers of one identity are run in a second; what is more " \
      "waits; 0: any number") \
    TEXT(audit, "TC_AUDIT", "file", "", "a file, log, or empty", \
      "where a line of JSON is written for each connection, refusal and function that " \
      "peers load (docs/audit.md): a file of mode 0600, or the log. Empty: nowhere") \
    TEXT(symbols, "TC_SYMBOLS", "file", "", "@FILE, or empty", \
      "which symbols and libraries received code may bind, by rules in a file " \
      "(docs/policy.md); under them it may hold no assembly. A check of trusted code, no " \
      "sandbox. Empty: any") \
    TEXT(engine_path, "TC_ENGINE_PATH", "folder", "", "a folder, or empty", \
      "where modules (libtchains-orc.so, libtchains-pmix.so) are; empty: beside the " \
      "library, then where it was installed") \
    TEXT(trust, "TC_TRUST", "folder", "", "a folder, or empty", \
      "public keys whose signatures of code are believed, a file NAME.pub each, and for " \
      "what; nobody but this user and root may write there; see tc-ar(1)") \
    CHOICE(require_signature, "TC_REQUIRE_SIGNATURE", "no", "no|yes|all", TCI_SIGNATURE_ALL, \
      "run only code that a key of trust has signed: of what peers send (yes), or of what " \
      "this program opens, too (all)") \
    FLAG(take_libraries, "TC_TAKE_LIBRARIES", "yes", \
      "peers may push libraries, which functions of all peers can use, and withdraw their " \
      "own") \
    TEXT(code_allow, "TC_CODE_ALLOW", "list", "", "@FILE, or empty", \
      "run for peers only code that the file lists, a content id or a digest of content " \
      "per line; signatures are asked for all the same") \
    TEXT(code_revoked, "TC_CODE_REVOKED", "list", "", "@FILE, or empty", \
      "code and keys that are not trusted any more, by id, one per line") \
    TEXT(cache_dir, "TC_CACHE_DIR", "folder", "auto", "auto, a folder, or empty", \
      "where compiled functions are kept for the next process: a folder of mode 0700; " \
      "auto: tchains in $XDG_CACHE_HOME or $HOME/.cache; empty: nowhere") \
    SIZE(cache_max, "TC_CACHE_MAX", "256M", "64K..1024G", 65536, 1ull << 40, \
      "what the files of that folder may take; beyond it those that were not used for " \
      "longest are deleted")
/* clang-format on */

#endif
