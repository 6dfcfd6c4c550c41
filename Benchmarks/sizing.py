"""What a gateway with many registrations takes: memory, disk, a start, a backup. The numbers of docs/operations.md, "Sizing".

    make build && GATEWAYD_BIN_DIR=.build/release Tests/clients/run --python Benchmarks/sizing.py --registrations 100000
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/clients"))

import crowd  # noqa: E402
from gateway import Gateway, find_binaries  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--registrations", type=int, default=100_000)
    count = parser.parse_args().registrations
    gateway = Gateway(find_binaries())
    try:
        gateway.start()
        empty = gateway.resident_kilobytes()
        crowd.bring(gateway, count)
        file = gateway.directory / "backup.sqlite"
        begun = time.monotonic()
        subprocess.run([gateway.binaries / "gatewayctl", "--config", gateway.config, "backup", file], check=True,
                       stdout=subprocess.DEVNULL)
        backup = time.monotonic() - begun
        assert gateway.stop() == 0
        begun = time.monotonic()
        gateway.start()
        start = time.monotonic() - begun
        print(f"{count} registrations, {2 * count} widgets:")
        print(f"  resident memory after a start  {gateway.resident_kilobytes() / 1024:.0f} MB ({empty / 1024:.0f} MB empty)")
        print(f"  database                       {os.stat(gateway.database).st_size / 1e6:.0f} MB")
        print(f"  start until ready              {start:.1f} s")
        print(f"  gatewayctl backup, read back   {backup:.1f} s")
    finally:
        gateway.clean_up()


if __name__ == "__main__":
    main()
