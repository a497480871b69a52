#!/usr/bin/env python3
"""What docs/security.md says of open ports: with UCX_NET_DEVICES=lo a target listens on loopback alone, and can be used.

    check_security.py BIN_FOLDER ARCHIVE
"""
import os
import subprocess
import sys
import tempfile
import time

DEADLINE_S = 120
LISTENING = "0A"


def sockets_of(pid):
    links = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            links.append(os.readlink(f"/proc/{pid}/fd/{name}"))
        except FileNotFoundError:
            pass  # closed meanwhile
    return {link[len("socket:["):-1] for link in links if link.startswith("socket:[")}


def listening_addresses(pid):
    """As the kernel writes them, in hexadecimal."""
    sockets = sockets_of(pid)
    for family in ("tcp", "tcp6"):
        if os.path.exists(f"/proc/{pid}/net/{family}"):
            with open(f"/proc/{pid}/net/{family}", encoding="ascii") as file:
                for row in list(file)[1:]:
                    columns = row.split()
                    if columns[3] == LISTENING and columns[9] in sockets:
                        yield columns[1].split(":")[0]


def is_loopback(address):
    return address in ("0100007F", "7F000001", "00000000000000000000000001000000", "00000000000000000000000000000001")


def main():
    bin_folder, archive = sys.argv[1:3]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TC_")}
    environment = {**kept, "TC_CACHE_DIR": "", "UCX_NET_DEVICES": "lo"}
    with tempfile.TemporaryDirectory() as folder:
        port_file = os.path.join(folder, "port")
        node = subprocess.Popen([os.path.join(bin_folder, "tc-node"), "--listen", "127.0.0.1:0", "--port-file", port_file],
                                env=environment, stdin=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + DEADLINE_S
            while not os.path.exists(port_file):
                if node.poll() is not None or time.monotonic() > deadline:
                    sys.exit("tc-node did not come up")
                time.sleep(0.005)
            with open(port_file, encoding="ascii") as file:
                address = f"127.0.0.1:{int(file.read())}"
            found = list(listening_addresses(node.pid))
            print(f"listening: {found}")
            subprocess.run([os.path.join(bin_folder, "tc-send"), address, archive, "--text", "x"], env={**environment, "TC_DELIVERY": "am"},
                           stdin=subprocess.DEVNULL, timeout=DEADLINE_S, check=True)
        finally:
            node.terminate()
            node.wait(timeout=DEADLINE_S)
    return 0 if found and all(map(is_loopback, found)) else 1


if __name__ == "__main__":
    sys.exit(main())
