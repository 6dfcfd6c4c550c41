"""The client libraries of the compatibility suite, one adapter each."""

from __future__ import annotations

from .aioapns_client import AioapnsClient
from .apns2_up_client import Apns2UpClient
from .client import Client, ConnectionFailed, Push, Result
from .curl_client import CurlClient
from .httpx_client import HttpxClient
from .kalyke_client import KalykeClient
from .nghttp_client import NghttpClient
from .node_client import NodeClient
from .pyapns_client3_client import PyapnsClient3AsyncClient, PyapnsClient3Client

CLIENTS: list[type[Client]] = [
    AioapnsClient, Apns2UpClient, KalykeClient, PyapnsClient3AsyncClient, PyapnsClient3Client, HttpxClient, NodeClient,
    CurlClient, NghttpClient]

__all__ = ["CLIENTS", "Client", "ConnectionFailed", "Push", "Result"]
