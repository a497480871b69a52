/* The table of all options, and the functions that set and list them. */
#include "option_table.h"

#include "error_text.h"
#include "option_names.h"
#include "option_value.h"

#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct tc_options, name)
#define TIME_MAX (24ull * 3600 * 1000000000)

/* To add an option, add a row here and a field in option_table.h. For TCI_OPTION_CHOICE the
 * range text lists the choices in the order of their values. */
/* clang-format off */
static const tci_option_row option_rows[] = {
    {{"delivery", "TC_DELIVERY", "choice", "auto", "auto|direct|am|put|stream",
      "how messages reach a peer: stores into its mapped ring (direct), UCX active messages "
      "(am), UCX puts (put: the peer has to choose it, too; auto takes them where an RDMA "
      "adapter carries them), or records of the connection, without UCX (stream: one side's "
      "word is enough)"},
     TCI_OPTION_CHOICE, FIELD(delivery), 0, 4, false},
    {{"ring_bytes", "TC_RING_BYTES", "bytes", "256K", "4K..2M, a power of two",
      "size of the receive ring of each endpoint"},
     TCI_OPTION_SIZE, FIELD(ring_bytes), 4096, 2u << 20, true},
    {{"ring_memory_max", "TC_RING_MEMORY_MAX", "bytes", "256M", "0..64G",
      "receive rings of all endpoints together: beyond it one gets 16K at most, filled by "
      "active messages; likewise copies of peers' rings (am, put): beyond it a peer with "
      "more than 16K is refused"},
     TCI_OPTION_SIZE, FIELD(ring_memory_max), 0, 64ull << 30, false},
    {{"send_queue_bytes", "TC_SEND_QUEUE_BYTES", "bytes", "1M", "0..1G",
      "queue of messages that an ifunc sends without credit, per endpoint; with more, answers "
      "included, the peer's messages wait, and with eight times this (64K at least) it is "
      "ended"},
     TCI_OPTION_SIZE, FIELD(send_queue_bytes), 0, 1u << 30, false},
    {{"code_bytes_max", "TC_CODE_BYTES_MAX", "bytes", "16M", "4K..1G",
      "largest archive that is opened, or accepted from a peer"},
     TCI_OPTION_SIZE, FIELD(code_bytes_max), 4096, 1u << 30, false},
    {{"code_push", "TC_CODE_PUSH", "flag", "yes", "no|yes",
      "the first message of a function carries its code; no: only its id, and the code when "
      "the peer asks for it"},
     TCI_OPTION_FLAG, FIELD(code_push), 0, 1, false},
    {{"dictionaries", "TC_DICTIONARIES", "flag", "yes", "no|yes",
      "tell peers which dictionaries code sent here may be packed with; no: for measuring, "
      "and to be what a library from before dictionaries is"},
     TCI_OPTION_FLAG, FIELD(dictionaries), 0, 1, false},
    {{"payload", "TC_PAYLOAD", "choice", "writable", "writable|readonly",
      "functions may change payloads in place (writable), or only read them (readonly): a "
      "store ends the process, by a signal whose line names the function"},
     TCI_OPTION_CHOICE, FIELD(payload), 0, 1, false},
    {{"payload_bytes_max", "TC_PAYLOAD_BYTES_MAX", "bytes", "1G", "64K..64G",
      "largest payload that is sent, or accepted from a peer"},
     TCI_OPTION_SIZE, FIELD(payload_bytes_max), 65536, 64ull << 30, false},
    {{"staging_bytes", "TC_STAGING_BYTES", "bytes", "4M", "0..256M",
      "memory shared with a peer on this host, per endpoint, for payloads above a frame; 0: "
      "none"},
     TCI_OPTION_SIZE, FIELD(staging_bytes), 0, 256u << 20, false},
    {{"functions_max", "TC_FUNCTIONS_MAX", "count", "4096", "1..65535",
      "how many functions a context knows at once, opened here or received"},
     TCI_OPTION_COUNT, FIELD(functions_max), 1, 65535, false},
    {{"connect_timeout", "TC_CONNECT_TIMEOUT", "time", "10s", "1ms..24h",
      "how long a connection attempt may take when the call gives no timeout"},
     TCI_OPTION_TIME, FIELD(connect_timeout), 1000000, TIME_MAX, false},
    {{"close_timeout", "TC_CLOSE_TIMEOUT", "time", "2s", "0..24h",
      "how long closing an endpoint waits for messages under way"},
     TCI_OPTION_TIME, FIELD(close_timeout), 0, TIME_MAX, false},
    {{"call_timeout", "TC_CALL_TIMEOUT", "time", "10s", "1ms..24h",
      "how long the answer of a call may take when the call gives no timeout"},
     TCI_OPTION_TIME, FIELD(call_timeout), 1000000, TIME_MAX, false},
    {{"call_time_max", "TC_CALL_TIME_MAX", "time", "0", "0..24h",
      "how long a function may run before the log names it and its sender; 0: any time. It "
      "is not ended: see tc-node --isolate. Above 0, peers that connect while one has been "
      "running for a second get its name. tc-node without --isolate: 10s"},
     TCI_OPTION_TIME, FIELD(call_time_max), 0, TIME_MAX, false},
    {{"hop_limit", "TC_HOP_LIMIT", "count", "65536", "1..1000000000",
      "how often a message that began here, or comes through here, may be sent on"},
     TCI_OPTION_COUNT, FIELD(hop_limit), 1, 1000000000, false},
    {{"spin", "TC_SPIN", "time", "2us", "0..1s",
      "how long a waiting call polls without giving up the processor"},
     TCI_OPTION_TIME, FIELD(spin), 0, 1000000000, false},
    {{"wait", "TC_WAIT", "choice", "adaptive", "adaptive|spin|block|pause|line|yield",
      "calls that wait poll, yield, then sleep (adaptive), sleep at once (block), or only "
      "poll: without a rest (spin), with the processor's pause (pause), with its wait for a "
      "line of memory, where it has one (line), or yielding after each look (yield)"},
     TCI_OPTION_CHOICE, FIELD(wait), 0, 5, false},
    {{"sleep_max", "TC_SLEEP_MAX", "time", "100ms", "1ms..1h",
      "how long a waiting call sleeps before it looks around, should nothing wake it"},
     TCI_OPTION_TIME, FIELD(sleep_max), 1000000, 3600ull * 1000000000, false},
    {{"check_threads", "TC_CHECK_THREADS", "choice", "auto", "auto|no|yes",
      "abort when two threads are in calls of one context at the same time, after a line "
      "that names both and their calls: always (yes), or in debug builds of this library and "
      "under tc-run (auto)"},
     TCI_OPTION_CHOICE, FIELD(check_threads), 0, 2, false},
    {{"listen_any", "TC_LISTEN_ANY", "flag", "no", "no|yes",
      "allow listening outside loopback without keys (key_file, tls_cert): whoever connects "
      "can run code in this process"},
     TCI_OPTION_FLAG, FIELD(listen_any), 0, 1, false},
    {{"key_file", "TC_KEY_FILE", "file", "", "a file of mode 0600, or empty",
      "the key that this side and its peers share: connections are TLS 1.3, and take nobody "
      "without it; tc-node --make-key makes one"},
     TCI_OPTION_TEXT, FIELD(key_file), 0, 0, false},
    {{"tls_ca", "TC_TLS_CA", "file", "", "a PEM file, or empty",
      "the authority whose signature peers' certificates need; with tls_cert and tls_key "
      "connections are TLS 1.3, and take nobody without one"},
     TCI_OPTION_TEXT, FIELD(tls_ca), 0, 0, false},
    {{"tls_cert", "TC_TLS_CERT", "file", "", "a PEM file, or empty",
      "this side's certificate, and those between it and the authority; its subject is this "
      "side's identity"},
     TCI_OPTION_TEXT, FIELD(tls_cert), 0, 0, false},
    {{"tls_key", "TC_TLS_KEY", "file", "", "a PEM file of mode 0600, or empty",
      "the private key of tls_cert, without a password"},
     TCI_OPTION_TEXT, FIELD(tls_key), 0, 0, false},
    {{"local_users", "TC_LOCAL_USERS", "choice", "own", "own|any",
      "without keys, whose processes on this host may connect, and be connected to: this "
      "user's and root's (own), or everybody's (any)"},
     TCI_OPTION_CHOICE, FIELD(local_users), 0, 1, false},
    {{"protect", "TC_PROTECT", "choice", "seal", "seal|auth|off",
      "what connections with keys do to bytes: encrypt them and notice every change (seal), "
      "only the latter (auth: refused until a TLS library has it), or nothing (off: refused "
      "with keys; without keys bytes go in clear text)"},
     TCI_OPTION_CHOICE, FIELD(protect), 0, 2, false},
    {{"network", "TC_NETWORK", "choice", "auto", "auto|no|yes",
      "whether UCX has a network port, by which others can read and write this process's "
      "memory: when something needs it (auto: a listener, peer or address beyond this host), "
      "never, or from the start"},
     TCI_OPTION_CHOICE, FIELD(network), 0, 2, false},
    {{"group_hosts", "TC_GROUP_HOSTS", "list", "", "host:port,host:port,..., or empty",
      "where the members of a group listen, in the order of their ranks, for processes that "
      "neither tc-run nor PMIx started; see tc_group_join"},
     TCI_OPTION_TEXT, FIELD(group_hosts), 0, 0, false},
    {{"group_rank", "TC_GROUP_RANK", "rank", "", "a number, or empty",
      "which of group_hosts this process is"},
     TCI_OPTION_TEXT, FIELD(group_rank), 0, 0, false},
    {{"group_secret", "TC_GROUP_SECRET", "secret", "", "any text, or empty",
      "what the members of group_hosts know and others do not: who connects without it is "
      "none of them"},
     TCI_OPTION_TEXT, FIELD(group_secret), 0, 0, false},
    {{"group_address", "TC_GROUP_ADDRESS", "address", "",
      "an address, a name or a network interface of this host; or empty",
      "where tc_group_join listens, with a port or without; empty: on loopback, if all "
      "members are on this host. Members of a job have a key of its own there"},
     TCI_OPTION_TEXT, FIELD(group_address), 0, 0, false},
    {{"form", "TC_FORM", "choice", "auto", "auto|image|bitcode",
      "which form of a function runs here: its native image (image), what LLVM compiles of "
      "its bitcode (bitcode), or the image where it has one that fits this CPU (auto)"},
     TCI_OPTION_CHOICE, FIELD(form), 0, 2, false},
    {{"debug_code", "TC_DEBUG_CODE", "flag", "no", "no|yes",
      "debuggers know the names of all functions that run here, and see their callers; "
      "bitcode is taken before an image. no: of bitcode compiled with -g alone"},
     TCI_OPTION_FLAG, FIELD(debug_code), 0, 1, false},
    {{"perf_map", "TC_PERF_MAP", "flag", "no", "no|yes",
      "write the names and addresses of functions that run here to /tmp/perf-PID.map, where "
      "perf report looks for them"},
     TCI_OPTION_FLAG, FIELD(perf_map), 0, 1, false},
    {{"tier", "TC_TIER", "choice", "auto", "auto|fast|best",
      "how well code is made: soonest and no more (fast), for this very CPU before the first "
      "call (best), or soonest and then, when it is called often or runs for long, for this "
      "CPU (auto)"},
     TCI_OPTION_CHOICE, FIELD(tier), 0, 2, false},
    {{"tier_calls", "TC_TIER_CALLS", "count", "1000", "1..1000000000",
      "calls of quickly compiled code after which it is compiled again, in the background; "
      "of an image a hundred times as many"},
     TCI_OPTION_COUNT, FIELD(tier_calls), 1, 1000000000, false},
    {{"tier_time", "TC_TIER_TIME", "time", "10ms", "0..24h",
      "how long the calls of quickly compiled code may take in all until it is compiled "
      "again, in the background, though they are fewer; those of an image ten times as long; "
      "0: any time"},
     TCI_OPTION_TIME, FIELD(tier_time), 0, TIME_MAX, false},
    {{"compile_threads", "TC_COMPILE_THREADS", "count", "2", "1..64",
      "threads that compile received functions, or read what was compiled before; one more "
      "loads what needs a library but no compiler, and one, of low priority, makes better "
      "code"},
     TCI_OPTION_COUNT, FIELD(compile_threads), 1, 64, false},
    {{"code_memory_max", "TC_CODE_MEMORY_MAX", "bytes", "256M", "4K..64G",
      "code of all functions that a context received, ready to run; beyond it those not "
      "called for longest leave, and come again when called; those with variables stay while "
      "their peer is there, and take at most three quarters of what those of others leave"},
     TCI_OPTION_SIZE, FIELD(code_memory_max), 4096, 64ull << 30, false},
    {{"compiler", "TC_COMPILER", "choice", "process", "process|thread|auto",
      "where bitcode is compiled: in a process of its own, which code that LLVM does not "
      "survive ends (process), in this one, without limits, where assembly may read files "
      "(thread), or so when no other can be had (auto)"},
     TCI_OPTION_CHOICE, FIELD(compiler), 0, 2, false},
    {{"compiler_wall", "TC_COMPILER_WALL", "choice", "auto", "auto|yes|no",
      "walls around that process (no files, sockets or other processes, no memory that "
      "runs): those that this machine has (auto), all of them or nothing is compiled (yes), "
      "or none (no)"},
     TCI_OPTION_CHOICE, FIELD(compiler_wall), 0, 2, false},
    {{"compiled", "TC_COMPILED", "choice", "orc", "orc|image",
      "what the compiler hands over: objects, which LLVM links here and debuggers can look "
      "into (orc), or images, which this library checks and loads (image)"},
     TCI_OPTION_CHOICE, FIELD(compiled), 0, 1, false},
    {{"compile_time_max", "TC_COMPILE_TIME_MAX", "time", "10s", "10ms..24h",
      "how long one function may take to compile in a process of its own, and that process "
      "to start, 2s at least; for better code, which nobody waits for, in processor time; "
      "the first context's holds for all"},
     TCI_OPTION_TIME, FIELD(compile_time_max), 10000000, TIME_MAX, false},
    {{"compile_memory_max", "TC_COMPILE_MEMORY_MAX", "bytes", "2G", "512M..1024G",
      "address space of a process that compiles, of which LLVM itself takes 200M"},
     TCI_OPTION_SIZE, FIELD(compile_memory_max), 512ull << 20, 1024ull << 30, false},
    {{"ifunc_path", "TC_IFUNC_PATH", "path list", ".", "folders, separated by ':'",
      "where tc_ifunc_open looks for NAME.tca; a folder may begin with $ORIGIN, the one that "
      "the program lies in"},
     TCI_OPTION_TEXT, FIELD(ifunc_path), 0, 0, false},
    {{"missing_library", "TC_MISSING_LIBRARY", "choice", "refuse", "refuse|warn",
      "a library of a function's .deps list that cannot be loaded: the function is refused, "
      "or runs without it after a line in the log, unless it then lacks a symbol"},
     TCI_OPTION_CHOICE, FIELD(missing_library), 0, 1, false},
    {{"quota_connections", "TC_QUOTA_CONNECTIONS", "count", "0", "0..65535",
      "how many connections the peers of one identity may have made to a context; 0: any "
      "number; peers that have proved nothing share one identity"},
     TCI_OPTION_COUNT, FIELD(quota_connections), 0, 65535, false},
    {{"quota_functions", "TC_QUOTA_FUNCTIONS", "count", "0", "0..65535",
      "how many functions that came from the peers of one identity a context holds; 0: any "
      "number"},
     TCI_OPTION_COUNT, FIELD(quota_functions), 0, 65535, false},
    {{"quota_code_bytes", "TC_QUOTA_CODE_BYTES", "bytes", "0", "0..64G",
      "what the code of these functions may take, as it was sent and ready to run; 0: any "
      "number"},
     TCI_OPTION_SIZE, FIELD(quota_code_bytes), 0, 64ull << 30, false},
    {{"quota_compile_time", "TC_QUOTA_COMPILE_TIME", "time", "0", "0..60s",
      "how long functions of the peers of one identity may be compiled in a minute: beyond "
      "it none is loaded until it is over; 0: any time"},
     TCI_OPTION_TIME, FIELD(quota_compile_time), 0, 60 * 1000000000ull, false},
    {{"quota_queue_bytes", "TC_QUOTA_QUEUE_BYTES", "bytes", "0", "0..64G",
      "what may wait for the peers of one identity that do not read; with more, their "
      "messages wait, and with eight times this the connection is ended; 0: any number"},
     TCI_OPTION_SIZE, FIELD(quota_queue_bytes), 0, 64ull << 30, false},
    {{"quota_message_rate", "TC_QUOTA_MESSAGE_RATE", "count", "0", "0..1000000000",
      "how many messages of the peers of one identity are run in a second; what is more "
      "waits; 0: any number"},
     TCI_OPTION_COUNT, FIELD(quota_message_rate), 0, 1000000000, false},
    {{"audit", "TC_AUDIT", "file", "", "a file, log, or empty",
      "where a line of JSON is written for each connection, refusal and function that peers "
      "load (docs/audit.md): a file of mode 0600, or the log. Empty: nowhere"},
     TCI_OPTION_TEXT, FIELD(audit), 0, 0, false},
    {{"symbols", "TC_SYMBOLS", "file", "", "@FILE, or empty",
      "which symbols and libraries received code may bind, by rules in a file "
      "(docs/policy.md); under them it may hold no assembly. A check of trusted code, no "
      "sandbox. Empty: any"},
     TCI_OPTION_TEXT, FIELD(symbols), 0, 0, false},
    {{"engine_path", "TC_ENGINE_PATH", "folder", "", "a folder, or empty",
      "where modules (libtchains-orc.so, libtchains-pmix.so) are; empty: beside the library, "
      "then where it was installed"},
     TCI_OPTION_TEXT, FIELD(engine_path), 0, 0, false},
    {{"trust", "TC_TRUST", "folder", "", "a folder, or empty",
      "public keys whose signatures of code are believed, a file NAME.pub each, and for "
      "what; nobody but this user and root may write there; see tc-ar(1)"},
     TCI_OPTION_TEXT, FIELD(trust), 0, 0, false},
    {{"require_signature", "TC_REQUIRE_SIGNATURE", "choice", "no", "no|yes|all",
      "run only code that a key of trust has signed: of what peers send (yes), or of what "
      "this program opens, too (all)"},
     TCI_OPTION_CHOICE, FIELD(require_signature), 0, 2, false},
    {{"take_libraries", "TC_TAKE_LIBRARIES", "flag", "yes", "no|yes",
      "peers may push libraries, which functions of all peers can use, and withdraw their own"},
     TCI_OPTION_FLAG, FIELD(take_libraries), 0, 1, false},
    {{"code_allow", "TC_CODE_ALLOW", "list", "", "@FILE, or empty",
      "run for peers only code that the file lists, a content id or a digest of content per "
      "line; signatures are asked for all the same"},
     TCI_OPTION_TEXT, FIELD(code_allow), 0, 0, false},
    {{"code_revoked", "TC_CODE_REVOKED", "list", "", "@FILE, or empty",
      "code and keys that are not trusted any more, by id, one per line"},
     TCI_OPTION_TEXT, FIELD(code_revoked), 0, 0, false},
    {{"cache_dir", "TC_CACHE_DIR", "folder", "auto", "auto, a folder, or empty",
      "where compiled functions are kept for the next process: a folder of mode 0700; auto: "
      "tchains in $XDG_CACHE_HOME or $HOME/.cache; empty: nowhere"},
     TCI_OPTION_TEXT, FIELD(cache_dir), 0, 0, false},
    {{"cache_max", "TC_CACHE_MAX", "bytes", "256M", "64K..1024G",
      "what the files of that folder may take; beyond it those that were not used for "
      "longest are deleted"},
     TCI_OPTION_SIZE, FIELD(cache_max), 65536, 1ull << 40, false},
};
/* clang-format on */

#define ROW_COUNT (sizeof option_rows / sizeof option_rows[0])

size_t tc_options_count(void)
{
    return ROW_COUNT;
}

const tc_option_info *tc_options_info(size_t index)
{
    return index < ROW_COUNT ? &option_rows[index].info : NULL;
}

static const tci_option_row *find_row(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(option_rows[i].info.name, name) == 0)
            return &option_rows[i];
    }
    return NULL;
}

tc_status tc_options_set(tc_options *opts, const char *name, const char *value, tc_error *err)
{
    const tci_option_row *row = find_row(name);
    if (row == NULL) {
        const char *meant = tci_option_names_nearest(name);
        return tci_error_set(err, TC_E_NOT_FOUND, "no option named '%s'%s%s", name,
                             meant != NULL ? "; there is " : "", meant != NULL ? meant : "");
    }
    if (!tci_option_value_store(opts, row, value))
        return tci_error_set(err, TC_E_INVALID, "option %s: '%s' is not in %s", name, value,
                             row->info.range);
    return TC_OK;
}

tc_status tc_options_create(tc_options **opts_out, tc_error *err)
{
    struct tc_options *opts = calloc(1, sizeof *opts);
    if (opts == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "options: out of memory");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const tci_option_row *row = &option_rows[i];
        const char *from_environment = secure_getenv(row->info.env);
        if (!tci_option_value_store(opts, row, row->info.default_value))
            abort(); /* a default outside its own range: a mistake in the table above */
        if (from_environment != NULL && !tci_option_value_store(opts, row, from_environment)) {
            free(opts);
            return tci_error_set(err, TC_E_INVALID, "environment: %s='%s' is not in %s",
                                 row->info.env, from_environment, row->info.range);
        }
    }
    tci_option_names_check();
    *opts_out = opts;
    return TC_OK;
}

void tc_options_destroy(tc_options *opts)
{
    free(opts);
}

tc_status tc_options_get(const tc_options *opts, const char *name, char *buf, size_t size)
{
    const tci_option_row *row = find_row(name);
    if (row == NULL)
        return TC_E_NOT_FOUND;
    tci_option_value_print(opts, row, buf, size);
    return TC_OK;
}
