#!/bin/sh
# Lints and fuzzes the API. Says so in one line and ends well where a program for it is not installed.
set -eu
cd "$(dirname "$0")"
for program in npm node python3 redis-server git; do
	if ! command -v "$program" >/dev/null; then
		echo "$program is not installed: the API is neither linted nor fuzzed"
		exit 0
	fi
done
mkdir -p ../../target/api
tools=$(cd ../../target/api && pwd)
[ -d node_modules ] || npm ci --no-audit --no-fund --silent
if [ ! -x "$tools/venv/bin/schemathesis" ]; then
	python3 -m venv "$tools/venv"
	"$tools/venv/bin/pip" install --quiet --disable-pip-version-check --requirement requirements.txt
fi
TOOLS="$tools" FEEDBACKD="${FEEDBACKD:-../../target/debug/feedbackd}" exec node check.js
