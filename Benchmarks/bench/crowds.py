"""Devices that `gatewayctl simulate` plays, each over a connection of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gateway import Gateway
from machine import BenchFailed


@contextmanager
def simulated(gateway: Gateway, devices: int, *, nice: int = 0, environment: str = "development") -> Iterator[None]:
    """All of them hold their streams when it begins; they leave when it ends."""
    before = gateway.admin("GET", "/v1/status")[1]["connectedDevices"]
    process = subprocess.Popen(
        [gateway.binaries / "gatewayctl", "--config", gateway.config, "simulate", "--devices", str(devices),
         "--environment", environment, "--quiet"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: os.nice(nice) and None)
    try:
        end = time.monotonic() + 60 + devices / 20
        while gateway.admin("GET", "/v1/status")[1]["connectedDevices"] < before + devices:
            if process.poll() is not None or time.monotonic() > end:
                raise BenchFailed("the simulated devices did not get in")
            time.sleep(0.1)
        yield
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
