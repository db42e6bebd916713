# SPDX-License-Identifier: Apache-2.0
# One word for each thing to do. Each target installs what it is missing (it says what first).
.DEFAULT_GOAL := help
.PHONY: help build wheel demo test test-peers test-data sanitize fuzz torture matrix mutate reproduce bench bench-peers generate format lint clean
export JOBS
SECONDS ?= 60
KILLS ?= 1000

help: ## show this list
	@echo "usage: make TARGET [JOBS=n]"
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'

build: ## build the tool, build/fenchel, and install the Python package into .venv
	@scripts/build

wheel: ## make a wheel with the native libraries inside, and an sdist, in build/wheel
	@scripts/wheel

demo: ## build the tool, train on made-up documents and on digits, and compare
	@scripts/demo

test: ## build and run all tests
	@scripts/test

test-peers: ## the tests of other libraries, with ours in their place
	@scripts/test_peers

test-data: ## train on every real data set and compare with scikit-learn
	@scripts/test_data

sanitize: ## the C++ tests under address and undefined-behaviour sanitizers (long)
	@scripts/test_sanitized asan

fuzz: ## build and run every fuzz target for SECONDS each (60)
	@scripts/fuzz --seconds $(SECONDS)

torture: ## kill the tool KILLS times (1000), resume, compare; full disks, dead pipes, several writers
	@scripts/torture --kills $(KILLS)

matrix: ## every solver with every loss and penalty on hostile data
	@scripts/matrix

mutate: ## damaged models, checkpoints and caches: none may be accepted
	@scripts/mutate

reproduce: ## run the paper's experiments and write docs/reproduction.md; goes on where it stopped
	@scripts/reproduce

bench: ## build and run the benchmarks, into build/bench.json
	@scripts/bench

bench-peers: ## compare with other libraries
	@scripts/bench_peers

generate: ## write the Python classes, tables and the figure that follow from the lists and includes of C++
	@scripts/generate

format: ## rewrite the C++ files in the house style
	@scripts/format

lint: ## all static checks: format, python, text, layers, generated files, headers, clang-tidy
	@scripts/lint

clean: ## remove everything that was built
	@rm -rf build build-*
