"""Rights of peers to a window."""
import enum

from ._binding import lib


class Rights(enum.IntFlag):
    """They are combined by `|`."""
    READ = lib.TC_WINDOW_READ          # get
    WRITE = lib.TC_WINDOW_WRITE        # put
    ATOMIC = lib.TC_WINDOW_ATOMIC      # fetch and add, compare and swap
    ALLOCATE = lib.TC_WINDOW_ALLOCATE  # allocate: the window is an arena
