# What one does with this project. `make help` lists it.

SWIFT ?= swift
SWIFT_FLAGS ?=
SEEDS ?= 1000
FORMATTED = Sources Tests Benchmarks Package.swift

.DEFAULT_GOAL := help
.PHONY: help build run test unit-tests client-tests simulate allocations lint format bench package test-systemd clean

## build: what is missing from Debian, then the programs, optimised, in .build/release
build:
	@Scripts/bootstrap.sh build
	@echo "== build"
	@$(SWIFT) build -c release $(SWIFT_FLAGS)

## run: build, make a development setup in run/, show with simulated devices what the gateway does, keep serving
run: build
	@Scripts/bootstrap.sh run
	@Scripts/run-demo.sh

## test: lint, the ledger's simulation, the count of allocations, unit and integration tests, real client libraries; LOOPS=2 runs gateways with two loops
test: export GATEWAYD_LOOPS = $(LOOPS)
test:
	@Scripts/bootstrap.sh build test
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory simulate
	@$(MAKE) --no-print-directory allocations
	@$(MAKE) --no-print-directory unit-tests
	@$(MAKE) --no-print-directory client-tests

## unit-tests: the Swift tests only
unit-tests:
	@echo "== build, with tests"
	@$(SWIFT) build --build-tests $(SWIFT_FLAGS)
	@echo "== Swift tests of a whole gateway, with two loops"
	@GATEWAYD_LOOPS=2 $(SWIFT) test --skip-build --disable-xctest $(SWIFT_FLAGS) --filter IntegrationTests
	@echo "== Swift tests"
	@$(SWIFT) test --skip-build --disable-xctest $(SWIFT_FLAGS)

## client-tests: the client libraries' tests only, on what unit-tests built; PYTEST="-k crash" chooses
client-tests:
	@echo "== client tests"
	@Tests/clients/run $(PYTEST)

## simulate: weeks of the ledger's life, SEEDS=1000 times over; SEED=42 plays one again, TRACE=1 tells its steps
simulate:
	@echo "== simulation, optimised"
	@$(SWIFT) build -c release $(SWIFT_FLAGS) --product LedgerSimulation
	@.build/release/LedgerSimulation $(if $(SEED),--seed $(SEED),--seeds $(SEEDS)) $(if $(TRACE),--trace) \
	  $(if $(DAYS),--days $(DAYS))

## allocations: what a push asks the heap for on its loop, optimised; fails where that is more than nothing
allocations:
	@echo "== allocations of a push, optimised"
	@$(SWIFT) build -c release $(SWIFT_FLAGS) --product PushAllocations
	@.build/release/PushAllocations

## lint: the layout of the sources, every deviation an error
lint:
	@echo "== lint"
	@$(SWIFT) format lint --recursive --strict --parallel $(FORMATTED)

## format: lay the sources out
format:
	@$(SWIFT) format --in-place --recursive --parallel $(FORMATTED)

## bench: all that is measured, in one table; SCENARIO=push-durable for some, QUICK=1, JSON=1: docs/performance.md
bench:
	@Scripts/bootstrap.sh build bench >&2
	@Tests/clients/run --python Benchmarks/bench --check '$(SCENARIO)'
	@echo "== build" >&2
	@$(SWIFT) build -c release $(SWIFT_FLAGS) >&2
	@echo "== bench" >&2
	@Tests/clients/run --python Benchmarks/bench '$(SCENARIO)'

## package: the Debian package, in .build/package, with Swift's own libraries linked in; lintian looks at it
package:
	@Scripts/bootstrap.sh build package
	@echo "== package"
	@SWIFT="$(SWIFT)" SWIFT_FLAGS="$(SWIFT_FLAGS)" Scripts/package.sh

## test-systemd: the package in a container booted with systemd: reload, watchdog, restart, upgrade …; as root
test-systemd: package
	@Scripts/bootstrap.sh systemd
	@Tests/systemd/run

## clean: remove everything that was built
clean:
	@rm -rf .build

## help: this list
help:
	@awk -F ': ' '/^## [a-z-]+: / { printf "  make %-14s %s\n", substr($$1, 4), substr($$0, length($$1) + 3) }' Makefile
