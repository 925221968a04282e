# `make demo` shows it, `make test` proves it; `make` lists everything.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo test browser pictures api asyncapi mcp proxies local-model train soak faults faults-quick fuzz check features fmt-check lint doc bench deny audit sbom dashboards chart install packages clean

CARGO ?= cargo
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install redis-server, git, a C compiler, ssh-keygen and strace where they are missing
	@sh deploy/setup.sh

demo: setup ## Watch corrections become a rule in an agent's prompt, on a Redis and a store of its own
	$(CARGO) run --locked -- demo

# One build, the dev profile, for the demo, the tests and the checks.
test: setup ## Run all tests
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
		set -x; $(CARGO) nextest run --locked --no-fail-fast && $(CARGO) test --locked --doc; \
	else \
		set -x; $(CARGO) test --locked --no-fail-fast; \
	fi

browser: setup ## Walk the page in a real browser, in both colour schemes and at a phone's width; needs npm and chromium
	$(CARGO) build --locked
	sh tests/browser/run.sh

pictures: setup ## Take the pictures of README.md anew; needs npm and chromium
	$(CARGO) build --locked
	sh tests/browser/run.sh pictures.js

api: setup ## Lint the OpenAPI document and send every call made-up input; needs npm, python3 and the internet
	$(CARGO) build --locked
	sh tests/api/run.sh

asyncapi: ## Validate docs/asyncapi.json with AsyncAPI's own parser; needs npm
	sh tests/asyncapi/run.sh docs/asyncapi.json

mcp: setup ## Try the MCP server with the public conformance suite and another client; needs npm and Python
	$(CARGO) build --locked
	sh tests/mcp/run.sh

proxies: setup ## Try the proxies of docs/administration.md with a real nginx and a real Caddy, if they are installed
	$(CARGO) build --locked
	sh tests/proxies/run.sh

local-model: setup ## Ask a small language model on this machine, and look that nothing is believed that was not asked; needs python3
	$(CARGO) build --locked
	sh tests/model/run.sh

train: ## Train the readers and the next-turn judge anew, from the texts in assets/training
	$(CARGO) run --locked --release --example train -- concerns assets/training/remarks assets/concerns.bin
	$(CARGO) run --locked --release --example train -- prepared assets/catalogue.bin
	$(CARGO) run --locked --release --example train -- stance assets/training assets/training/stance.tsv
	$(CARGO) run --locked --release --example train -- turn assets/training src/domain/channels/turn/next_turn.tsv
	@echo "src/domain/channels/turn/rephrase.tsv needs the pairs of banking77 as well: see assets/README.md"

soak: setup ## Kill the daemon 1,000 times under load and look for what was lost or doubled (about 13 minutes)
	FEEDBACKD_KILLS=1000 $(CARGO) test --locked --test it -- --exact daemon::kill::the_daemon_is_killed_under_load --nocapture

# The names of the tests that make something fail: tests/FAULTS.md says which fault each of them is about.
FAULTS = daemon::kill:: daemon::serve::outages:: daemon::serve::access:: adapters::git::durability:: http::endpoints::

faults-quick: setup ## Make everything fail a few times: kills, aborts, networks, disks, HTTP (minutes; `make test` has them too)
	$(CARGO) test --locked --test it -- --nocapture $(FAULTS)

FAULTS_SHARE ?= 100

faults: setup ## The same as often as tests/FAULTS.md says (hours); FAULTS_SHARE=10 is a tenth of it
	FEEDBACKD_FAULTS=$(FAULTS_SHARE) $(CARGO) test --locked --test it -- --nocapture --test-threads 1 $(FAULTS)

FUZZ_SECONDS ?= 60

fuzz: ## Run each fuzz target for FUZZ_SECONDS (60); needs a C++ compiler
	FUZZ_SECONDS=$(FUZZ_SECONDS) sh tests/fuzz/run.sh $(FUZZ_TARGETS)

check: setup fmt-check lint doc deny test ## Everything a change must pass: format, lints, documentation, licences, tests

features: setup ## Lints with the optional features minilm, usearch and otel, and the tests of what they bring; builds for minutes
	$(CARGO) clippy --locked --all-targets --all-features -- -D warnings
	$(CARGO) test --locked --all-features --test it -- \
		cli::config:: adapters::embedders:: adapters::knowledge:: adapters::transformer:: daemon::serve::traces::
	$(if $(FEEDBACKD_TEST_MINILM),$(CARGO) test --locked --all-features --test it -- --ignored adapters::transformer::)

fmt-check:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps

bench: setup ## Measure the store writer, the way from Redis to acknowledged, pages under load, how often measured effects are right, understanding, and answering actions
	$(CARGO) bench --locked --bench store
	$(CARGO) bench --locked --bench end_to_end
	$(CARGO) bench --locked --bench http
	$(CARGO) bench --locked --bench effect
	$(CARGO) bench --locked --bench understanding
	$(CARGO) bench --locked --bench actions

# What needs no database of vulnerabilities. cargo-deny builds for minutes, so it is not installed for this alone. It looks
# at what is off by default as well, which a build does not fetch.
deny:
	@if ! $(CARGO) deny --version >/dev/null 2>&1; then \
		echo "cargo-deny is not installed: licences, bans and sources of the dependencies are not checked" >&2; \
	elif ! $(CARGO) fetch --locked --quiet; then \
		echo "some dependencies cannot be fetched: licences, bans and sources are not checked" >&2; \
	else \
		set -x; $(CARGO) deny --locked --offline check licenses bans sources; \
	fi

audit: ## Check licences, sources and known vulnerabilities of the dependencies
	@$(CARGO) deny --version >/dev/null 2>&1 || \
		{ echo "cargo-deny is missing: cargo install --locked cargo-deny" >&2; exit 1; }
	$(CARGO) deny check

sbom: ## List all dependencies of a release as CycloneDX, in target/feedbackd.cdx.json
	@$(CARGO) cyclonedx --version >/dev/null 2>&1 || \
		{ echo "cargo-cyclonedx is missing: cargo install --locked cargo-cyclonedx" >&2; exit 1; }
	$(CARGO) cyclonedx --format json --spec-version 1.5 --override-filename feedbackd.cdx
	mv feedbackd.cdx.json target/feedbackd.cdx.json

dashboards: ## Check and test the alerts with promtool, where it is installed (Debian: prometheus)
	@if command -v promtool >/dev/null 2>&1; then \
		set -x; cd deploy/prometheus && promtool check rules alerts.yaml && promtool test rules alerts_test.yaml; \
	else \
		echo "promtool is not installed (Debian: apt-get install prometheus): the alerts are not tested" >&2; \
	fi

chart: ## Lint, render and validate the Helm chart, without a cluster; needs python3 and a package index
	sh tests/chart/run.sh

install: ## Install program, unit, configuration, man pages and completions (DESTDIR, PREFIX, SYSCONFDIR)
	$(CARGO) build --locked --release
	install -D -m 0755 target/release/feedbackd "$(DESTDIR)$(PREFIX)/bin/feedbackd"
	for unit in feedbackd.service feedbackd@.service; do \
		install -d "$(DESTDIR)$(PREFIX)/lib/systemd/system" && \
		sed 's|/usr/local/bin/|$(PREFIX)/bin/|' "deploy/$$unit" > "$(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit" || exit 1; \
	done
	install -D -m 0644 deploy/sysusers.conf "$(DESTDIR)$(PREFIX)/lib/sysusers.d/feedbackd.conf"
	install -D -m 0644 config/default.toml "$(DESTDIR)$(PREFIX)/share/doc/feedbackd/default.toml"
	install -D -m 0644 config/example.toml "$(DESTDIR)$(PREFIX)/share/doc/feedbackd/example.toml"
	test -e "$(DESTDIR)$(SYSCONFDIR)/feedbackd/config.toml" || \
		install -D -m 0644 deploy/config.toml "$(DESTDIR)$(SYSCONFDIR)/feedbackd/config.toml"
	install -d "$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" \
		"$(DESTDIR)$(PREFIX)/share/zsh/site-functions" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	target/release/feedbackd man --out "$(DESTDIR)$(PREFIX)/share/man/man1"
	target/release/feedbackd completions bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/feedbackd"
	target/release/feedbackd completions zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_feedbackd"
	target/release/feedbackd completions fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/feedbackd.fish"

packages: setup ## Build a .deb and a .rpm in target/packages, with checksums; needs cargo-deb and cargo-generate-rpm
	@for tool in deb generate-rpm; do $(CARGO) $$tool --version >/dev/null 2>&1 || \
		{ echo "cargo-$$tool is missing: cargo install --locked cargo-$$tool" >&2; exit 1; }; done
	rm -rf target/stage target/packages && mkdir -p target/packages
	$(MAKE) install DESTDIR=$(CURDIR)/target/stage PREFIX=/usr SYSCONFDIR=/etc
	$(CARGO) deb --no-build --no-strip --output target/packages/
	$(CARGO) generate-rpm --output target/packages/
	cd target/packages && sha256sum * > SHA256SUMS
	sh tests/packages/run.sh target/packages

clean: ## Remove what was built
	$(CARGO) clean
