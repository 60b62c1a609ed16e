# make            release build              make demo       build and look at a sample capture
# make test       every test                 make install    PREFIX=/usr/local, DESTDIR=
# make peer-venv  what tests of the node need; from PyPI
# make test-fleet peat-fleet on DuckDB and Spark; make fleet-venv installs them from PyPI
# make lint       style, as CI checks it     make man        manual and completions from the binary
# make demo-live  the monitor's full screen on a sample
# make golden-check  every output as recorded; make golden takes a change, make golden-diff OLD=BINARY shows it

PREFIX ?= /usr/local
DESTDIR ?=
BENCH_ARGS ?=

# Linked statically to Swift's library: starts faster, and runs where no Swift is installed.
RELEASE = -c release --static-swift-stdlib $(LINK)
# Only what the program itself uses is kept, and nothing is exported: no other program calls into it.
LINK = -Xlinker --no-export-dynamic -Xlinker --exclude-libs=ALL -Xlinker --as-needed
BINARY = .build/release/peat-inspect

bin = $(DESTDIR)$(PREFIX)/bin
man1 = $(DESTDIR)$(PREFIX)/share/man/man1
man7 = $(DESTDIR)$(PREFIX)/share/man/man7
bash = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zsh = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fish = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
share = $(DESTDIR)$(PREFIX)/share/peat-inspect
doc = $(DESTDIR)$(PREFIX)/share/doc/peat-inspect
# Wireshark's own folders; a package names them, and with nothing Wireshark is left alone.
WIRESHARK_EXTCAP ?= $(if $(DESTDIR),,$(shell scripts/wireshark-folder 'Extcap path'))
WIRESHARK_PLUGINS ?= $(if $(DESTDIR),,$(shell scripts/wireshark-folder 'Global Lua Plugins'))

# Seconds that `make fuzz` gives each target; FUZZ_TARGETS= names some of them.
FUZZ_SECONDS ?= 60
FUZZ_BUILD = PEAT_FUZZ=1 swift build --scratch-path .build/fuzz --product peat-fuzz --sanitize=address -Xswiftc -sanitize=fuzzer

.PHONY: fuzz all build prerequisites demo demo-live test peer-venv fleet-venv test-fleet test-cluster install uninstall \
	dist deb package-check bench bench-instructions lint format man \
	check-generated golden golden-check golden-diff clean

all: build

prerequisites:
	@scripts/prerequisites

build: prerequisites
	swift build $(RELEASE) --product peat-inspect

demo: build
	@echo
	$(BINARY) samples/two-nodes.btsnoop

# The full screen on a sample that is played as if it came now; q quits.
demo-live: build
	$(BINARY) monitor --replay samples/two-nodes.btsnoop --speed 2

test: prerequisites
	swift test --disable-xctest

# Bumble, against which the node is tested; without it those tests are passed over.
peer-venv: .build/bumble-venv/bin/bumble-hci-bridge

.build/bumble-venv/bin/bumble-hci-bridge: Tests/Peer/requirements.txt
	python3 -m venv .build/bumble-venv
	.build/bumble-venv/bin/pip install --quiet --requirement Tests/Peer/requirements.txt
	touch $@

# peat-fleet with its engines, for its tests; Spark wants Java 17 or later.
fleet-venv: .build/fleet-venv/bin/peat-fleet

.build/fleet-venv/bin/peat-fleet: fleet/pyproject.toml
	python3 -m venv .build/fleet-venv
	.build/fleet-venv/bin/pip install --quiet --editable 'fleet[duckdb,spark]'
	touch $@

FLEET_TEST = cd fleet/tests && ../../.build/fleet-venv/bin/python -m unittest

# On DuckDB, then on Spark with two threads where Java is there.
test-fleet: fleet-venv
	$(FLEET_TEST) -q test_fleet
	@if command -v java >/dev/null 2>&1; then \
	  export FLEET_ENGINE=spark; $(FLEET_TEST) -q test_fleet; \
	else \
	  echo "no Java: the tests on Spark are left out" >&2; \
	fi

# A standalone cluster of two workers on the loopback interface.
test-cluster: fleet-venv
	$(FLEET_TEST) -q test_cluster

# Does not build again: under sudo, Swift is often not on PATH.
$(BINARY):
	$(MAKE) build

install: $(BINARY)
	install -d "$(bin)" "$(man1)" "$(man7)" "$(bash)" "$(zsh)" "$(fish)" "$(share)" "$(doc)/samples"
	install -s -m 755 $(BINARY) "$(bin)/peat-inspect"
	install -m 644 man/peat-inspect.1 "$(man1)/peat-inspect.1"
	install -m 644 man/peat-inspect-findings.7 "$(man7)/peat-inspect-findings.7"
	install -m 644 completions/peat-inspect.bash "$(bash)/peat-inspect"
	install -m 644 completions/_peat-inspect "$(zsh)/_peat-inspect"
	install -m 644 completions/peat-inspect.fish "$(fish)/peat-inspect.fish"
	install -m 644 docs/record.schema.json docs/fleet.schema.json "$(share)"
	install -m 644 README.md CHANGELOG.md LICENSE docs/*.md "$(doc)"
	install -m 644 samples/* "$(doc)/samples"
	install -d "$(share)/wireshark"
	install -m 644 share/wireshark/peat.lua "$(share)/wireshark"
	install -m 755 share/wireshark/extcap/peat-live "$(share)/wireshark"
	@if [ -n "$(WIRESHARK_EXTCAP)" ]; then \
	  install -d "$(DESTDIR)$(WIRESHARK_EXTCAP)" && \
	  install -m 755 share/wireshark/extcap/peat-live "$(DESTDIR)$(WIRESHARK_EXTCAP)/peat-live"; \
	fi
	@if [ -n "$(WIRESHARK_PLUGINS)" ]; then \
	  install -d "$(DESTDIR)$(WIRESHARK_PLUGINS)" && \
	  install -m 644 share/wireshark/peat.lua "$(DESTDIR)$(WIRESHARK_PLUGINS)/peat.lua"; \
	fi

uninstall:
	rm -f "$(bin)/peat-inspect" "$(man1)/peat-inspect.1" "$(bash)/peat-inspect" \
	  "$(man7)/peat-inspect-findings.7" \
	  "$(zsh)/_peat-inspect" "$(fish)/peat-inspect.fish" "$(share)/record.schema.json" "$(share)/fleet.schema.json"
	rm -rf "$(doc)" "$(share)/wireshark"
	@if [ -n "$(WIRESHARK_EXTCAP)" ]; then rm -f "$(DESTDIR)$(WIRESHARK_EXTCAP)/peat-live"; fi
	@if [ -n "$(WIRESHARK_PLUGINS)" ]; then rm -f "$(DESTDIR)$(WIRESHARK_PLUGINS)/peat.lua"; fi
	-rmdir "$(share)"

# Instructions of fixed inputs against bench/instructions.json; a change that is meant is recorded anew.
bench-instructions: build
	bench/instructions --binary $(BINARY) $(BENCH_ARGS)

# Into dist/: an archive with licences and a list of libraries (the same tree gives the same bytes); a Debian package.
dist: $(BINARY)
	packaging/dist

deb: $(BINARY)
	packaging/deb

# Both, in a fresh root of Debian 12: installed, run, removed. Needs root and mmdebstrap.
package-check: $(BINARY)
	packaging/check

# Ratios to C programs in bench/ over the same files; FILE=... measures a capture of one's own.
bench: build
	bench/run $(BENCH_ARGS) $(FILE)

lint:
	swift format lint --strict --recursive Sources Tests Package.swift examples/ReadCapture

format:
	swift format --in-place --recursive Sources Tests Package.swift examples/ReadCapture

# $(call generate,FOLDER): manual and completions as the binary prints them.
define generate
mkdir -p "$(1)/man" "$(1)/completions"
$(BINARY) man >"$(1)/man/peat-inspect.1"
$(BINARY) man findings >"$(1)/man/peat-inspect-findings.7"
$(BINARY) completions bash >"$(1)/completions/peat-inspect.bash"
$(BINARY) completions zsh >"$(1)/completions/_peat-inspect"
$(BINARY) completions fish >"$(1)/completions/peat-inspect.fish"
endef

# libFuzzer under AddressSanitizer, one target after the other; what it finds is in .build/fuzz/found.
fuzz: prerequisites
	$(FUZZ_BUILD)
	nice -n 15 Fuzz/run $(FUZZ_SECONDS) $(FUZZ_TARGETS)

man: build
	$(call generate,.)

# Fails where the manual or a completion in the tree is not what the binary prints.
check-generated: build
	@rm -rf .build/generated
	@$(call generate,.build/generated)
	diff -r -u man .build/generated/man
	diff -r -u completions .build/generated/completions

# What the release binary prints for every capture and vector, as hashes; OLD is another build.
golden: build
	scripts/golden record $(BINARY)

golden-check: build
	scripts/golden check $(BINARY)

golden-diff: build
	scripts/golden diff $(BINARY) $(OLD)

clean:
	rm -rf .build
