"""The resources of a process, by name, so that a test that finds more than before can name them."""
import os
import socket
import struct

MB = 1 << 20
PAGE = os.sysconf("SC_PAGE_SIZE")
TCP_STATES = {"01": "established", "02": "connecting", "06": "time_wait", "07": "close", "08": "close_wait", "0A": "listening"}


class Sample:
    """Descriptors, mappings of shared memory, UCX's and others, segments that it made, memory."""

    def __init__(self, pid):
        self.pid = pid
        self.descriptors = descriptors(pid)
        shared = shared_mappings(pid)
        self.ucx_mappings = {where: name for where, name in shared.items() if "/dev/shm/ucx_" in name}
        self.mappings = {where: name for where, name in shared.items() if where not in self.ucx_mappings}
        self.segments = {shmid: f"segment {shmid}" for shmid in shared_segments({pid})}
        self.rss = rss(pid)

    def more_than(self, before, slack_mb, ucx_keeps=0, peer=None):
        """The additional resources. `ucx_keeps`: so many mappings UCX may have kept of a peer that died. `peer`: a process that
        lives, whose memory UCX maps when it first needs that, after `before` too."""
        theirs = set(descriptors(peer).values()) if peer else set()
        self.ucx_mappings = {where: name for where, name in self.ucx_mappings.items()
                             if name not in theirs or name in before.ucx_mappings.values()}
        may_have = {"descriptors": 0, "mappings": 0, "ucx_mappings": ucx_keeps, "segments": 0}
        more = []
        for name, count in may_have.items():
            now, then = getattr(self, name), getattr(before, name)
            if len(now) > len(then) + count:
                more.append(f"{name} {len(now)}, before {len(then)}; new: {self.new_of(now, then)}")
        if self.rss > before.rss + slack_mb * MB:
            more.append(f"{self.rss // MB} MB, before {before.rss // MB} MB")
        return ", ".join(more)

    def new_of(self, now, then):
        rows = tcp_rows(self.pid) if now is self.descriptors else {}
        return "; ".join(f"{key}: {name} {rows.get(name, '')}".strip() for key, name in now.items() if then.get(key) != name)


def descriptors(pid):
    """The file of each descriptor. One may close meanwhile."""
    found = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            continue
    return found


def shared_mappings(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
        rows = [line.split(None, 5) for line in maps if "/SYSV" in line or "/dev/shm/" in line]
    return {row[0]: row[5].strip() for row in rows}


def tcp_rows(pid):
    """The ends and the state of each TCP socket in its namespace."""
    def place(text):
        address, port = text.split(":")
        return f"{socket.inet_ntoa(struct.pack('=I', int(address, 16)))}:{int(port, 16)}"
    with open(f"/proc/{pid}/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return {f"socket:[{row[9]}]": f"{place(row[1])} to {place(row[2])} {TCP_STATES.get(row[3], row[3])}" for row in rows}


def rss(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * PAGE


def shared_segments(pids=None):
    """The System V segments that these processes made; all, without names."""
    with open("/proc/sysvipc/shm", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return {int(row[1]) for row in rows if pids is None or int(row[4]) in pids}
