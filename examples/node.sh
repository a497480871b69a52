# For scripts that source this: a folder $scratch, and a target, which both go when the script ends.
#   start_node PROGRAM ARGUMENT...    starts a tc-node at a free port of loopback; its address is $address then, and its
#                                     output goes to $scratch/log
#   end_node                          ends it; its status
scratch=$(mktemp -d)
node=

end_node() {
    local ended=$node
    [ -n "$ended" ] || return 0
    node=
    kill -TERM "$ended" 2>/dev/null || true
    wait "$ended"
}
trap 'end_node 2>/dev/null || true; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

start_node() {
    local waited
    rm -f "$scratch/port"
    "$@" --listen 127.0.0.1:0 --port-file "$scratch/port" </dev/null >"$scratch/log" 2>&1 &
    node=$!
    for ((waited = 0; waited < 600; waited++)); do
        [ ! -s "$scratch/port" ] || break
        kill -0 "$node" 2>/dev/null || break
        sleep 0.1
    done
    [ -s "$scratch/port" ] || { cat "$scratch/log" >&2 && return 1; }
    # shellcheck disable=SC2034 # for scripts that source this
    address=127.0.0.1:$(cat "$scratch/port")
}
