"""What the compatibility tests ask of a client library, in the terms that all of them share.

An adapter below this class is what the library's user would write, and no more: it points the library at the gateway by
the means that the library offers, and hands its words on unchanged. `docs/clients.md` shows the same lines to people.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import ssl
import time
import types
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Self

from gateway import Gateway
from provider import widgets_topic
from tokens import provider_token, read_key


class WidgetPush(Enum):
    """For libraries whose push types are an enumeration without `widgets`, and that take any enumeration's value."""

    WIDGETS = "widgets"


@dataclass(frozen=True)
class Push:
    token: str
    topic: str = widgets_topic()
    id: str | None = None
    payload: Mapping[str, Any] = field(default_factory=lambda: {"aps": {"content-changed": True}})


@dataclass(frozen=True)
class Result:
    """What the library told its user."""

    accepted: bool
    #: The library's own name for the refusal: an exception's class, or the reason where it hands that on.
    error: str | None = None
    #: The `apns-id` of the answer, where the library shows it.
    id: str | None = None
    #: Of a 410, where the library shows it.
    timestamp: Any = None


class ConnectionFailed(Exception):
    """The library told its user that a push did not get through, so that the user may send it again."""


class Client(ABC):
    """One client object of a library, as a backend makes it: a context within which pushes are sent."""

    name: ClassVar[str]
    #: The package whose version the table shows.
    package: ClassVar[str]
    #: Cases that the library has no way to express, each with the reason.
    cannot: ClassVar[Mapping[str, str]] = {}
    #: How many connections it may open for 200 pushes at once.
    connections_of_burst: ClassVar[range] = range(1, 2)
    sets_id: ClassVar[bool] = True

    def __init__(self, gateway: Gateway, *, clock: float = 0) -> None:
        """`clock`: how far the backend's clock is off, in seconds."""
        self.gateway = gateway
        self.clock = clock
        self.credential = gateway.credential()
        self._replaced: list[tuple[Any, str, Any]] = []

    @classmethod
    def version(cls) -> str:
        return importlib.metadata.version(cls.package)

    @classmethod
    def error(cls, reason: str) -> str:
        """What the library calls a refusal for this reason."""
        return reason

    @abstractmethod
    async def push(self, push: Push) -> Result:
        """Raises ConnectionFailed."""

    async def push_at_once(self, pushes: Sequence[Push]) -> list[Result]:
        """All at the same time: the library says how."""
        return await asyncio.gather(*(self.push(push) for push in pushes))

    async def push_in_turn(self, pushes: Sequence[Push]) -> list[Result]:
        """One after the other's answer."""
        return [await self.push(push) for push in pushes]

    async def push_as_it_is(self, push: Push) -> Result:
        """With what the library itself knows of push types, for those that do not know `widgets`."""
        raise NotImplementedError

    async def open(self) -> None:
        """Makes the library's client object."""

    async def close(self) -> None:
        """Ends it."""

    async def __aenter__(self) -> Self:
        try:
            await self.open()
        except BaseException:
            self._restore()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self.close()
        finally:
            self._restore()

    # Common to adapters

    @property
    def port(self) -> int:
        return self.gateway.provider_port()

    def ssl_context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.gateway.ca)

    def provider_token(self) -> str:
        """For clients that leave the JWT to their user."""
        return provider_token(
            read_key(self.credential.file.read_bytes()), self.credential.team, self.credential.key_id,
            issued_at=int(time.time() + self.clock))

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Sets an attribute of the library until this client ends."""
        self._replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    def replace_clock(self, module: types.ModuleType) -> None:
        """Lets one module of the library read a clock that is off."""
        if self.clock:
            self.replace(module, "time", types.SimpleNamespace(time=lambda: time.time() + self.clock))

    def _restore(self) -> None:
        while self._replaced:
            owner, name, value = self._replaced.pop()
            setattr(owner, name, value)
