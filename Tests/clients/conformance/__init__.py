"""RFC 9113 and RFC 7541 as cases: what a client sends, and the one thing that a server may do about it.

Numbers are sections of RFC 9113; those that begin with "HPACK" are of RFC 7541. The cases are those of the well-known
h2spec, in our words, and some of our own.
"""

from __future__ import annotations

from .case import Case
from .connection import CASES as CONNECTION
from .definitions import CASES as DEFINITIONS
from .flow import CASES as FLOW
from .framing import CASES as FRAMING
from .hpack import CASES as HPACK
from .messages import CASES as MESSAGES
from .streams import CASES as STREAMS

CASES: list[Case] = CONNECTION + FRAMING + STREAMS + DEFINITIONS + FLOW + MESSAGES + HPACK
