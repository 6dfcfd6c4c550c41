"""`make bench`: all scenarios, or those of SCENARIO, in one table beside the targets of the design.

    make bench                                         all of it, about twelve minutes; QUICK=1 for a look
    make bench SCENARIO="push-durable latency"         some of it
    make bench JSON=1                                  one object, "ratio" on top; MARKDOWN=1 is the table as Markdown
    make bench PAGE=docs/performance.md                and the page has the table, too

Further variables and what each scenario does: docs/performance.md. Progress goes to standard error. Exits with 1 when a
scenario could not be measured, and with 2 when what was asked for is not known; a target that is missed is a result.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from datetime import date

from settings import BadSetting, Settings

import machine
import table
from bench import Bench
from figures import Result
from machine import BenchFailed
from noise import Noise
from scenarios import SCENARIOS


async def run(names: list[str], bench: Bench) -> dict[str, Result]:
    results: dict[str, Result] = {}
    try:
        for index, name in enumerate(names, 1):
            bench.say(f"[{index}/{len(names)}] {name}")
            bench.noise = Noise()
            await asyncio.to_thread(bench.noise.listen)
            begun = time.monotonic()
            try:
                result = await SCENARIOS[name](bench)
            except (BenchFailed, OSError, AssertionError, subprocess.SubprocessError, TimeoutError) as failure:
                result = Result(failure=str(failure).strip() or type(failure).__name__)
            await bench.end_scenario()
            await asyncio.to_thread(bench.noise.listen)
            result.noise = bench.noise.reasons()
            result.seconds = time.monotonic() - begun
            results[name] = result
            bench.say(f"  {result.failure or 'done'}, {result.seconds:.0f} s")
    finally:
        await bench.close()
    return results


def whole(results: dict[str, Result], facts: str) -> dict:
    """The JSON. Its ratio is the headline's: the only scenario's, or that of push-durable."""
    first = next(iter(results.values())) if len(results) == 1 else results.get("push-durable")
    ratio = first.ratio if first else None
    return {
        **({} if ratio is None else {"ratio": round(ratio, 3)}), "date": date.today().isoformat(), "machine": facts,
        "noisy": any(result.noise for result in results.values()),
        "missed": [f"{name}: {figure.what}" for name, result in results.items() for figure in result.figures
                   if figure.is_met is False],
        "scenarios": {name: result.json() for name, result in results.items()}}


def show(results: dict[str, Result], settings: Settings, facts: str) -> None:
    said = (f"{date.today().isoformat()}; {facts}; server and load on a core each; median of {settings.repeats} and "
            "their range")
    markdown = "\n".join([f"{said}.", "", table.markdown(results), "", *table.remarks(results, bullet="- ")])
    if settings.page is not None:
        settings.page.write_text(table.into(settings.page.read_text(), markdown))
    if settings.output == "json":
        print(json.dumps(whole(results, facts), indent=2, ensure_ascii=False))
    elif settings.output == "markdown":
        print(markdown)
    else:
        print("\n".join(["", said, "", table.text(results), "", *table.remarks(results, bullet="  ")]))


def main() -> int:
    arguments = sys.argv[1:]
    checks_only = "--check" in arguments
    names = [name for argument in arguments if argument != "--check" for name in argument.split()] or list(SCENARIOS)
    if unknown := [name for name in names if name not in SCENARIOS]:
        print(f"bench: no scenario {', '.join(unknown)}; there are {', '.join(SCENARIOS)}", file=sys.stderr)
        return 2
    try:
        settings = Settings.read()
        if checks_only:
            return 0
        machine.prepare()
        bench = Bench(settings, machine.find_binaries())
    except BadSetting as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 2
    except BenchFailed as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 1
    facts = machine.fact_line(bench.folder)
    # As Ctrl-C: what was begun is ended.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results = asyncio.run(run(names, bench))
    show(results, settings, facts)
    return 1 if any(result.failure for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
