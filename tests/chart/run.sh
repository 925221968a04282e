#!/bin/sh
# Lints, renders and validates the Helm chart, without a cluster. Says so in one line and ends well where a program is missing.
# UPDATE_CHART=1 takes what is rendered as the expected objects, and writes the chart's README and its copies of files again.
set -eu
cd "$(dirname "$0")"
if ! python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
	echo "python3 (3.11 or newer, with venv) is not installed: the Helm chart is not tested"
	exit 0
fi
mkdir -p ../../target/chart
tools=$(cd ../../target/chart && pwd)
if ! cmp -s requirements.txt "$tools/installed.txt"; then
	rm -rf "$tools/venv"
	python3 -m venv "$tools/venv"
	# Helm's own Go library comes in one of these packages, for Linux on x86_64 and arm64.
	"$tools/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt
	cp requirements.txt "$tools/installed.txt"
fi
[ -x "${FEEDBACKD:-../../target/debug/feedbackd}" ] ||
	echo "feedbackd is not built (cargo build, or set FEEDBACKD): no program reads the rendered configuration"
command -v redis-server >/dev/null || echo "redis-server is not installed: no daemon answers the probes"
PYTHONDONTWRITEBYTECODE=1 exec "$tools/venv/bin/python" -m pytest -p no:cacheprovider --quiet "$@" .
