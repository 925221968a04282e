#!/bin/sh
# The public conformance suite and another client's session against the MCP server. Says so in one line and ends well
# where a program is missing.
set -eu
cd "$(dirname "$0")"
for program in npx python3 redis-server git curl; do
	if ! command -v "$program" >/dev/null; then
		echo "$program is not installed: the MCP server is not tried with other programs"
		exit 0
	fi
done
[ -d node_modules ] || npm ci --no-audit --no-fund --silent
if [ ! -x venv/bin/python ]; then
	python3 -m venv venv
	venv/bin/pip install --quiet --requirement requirements.txt
fi
FEEDBACKD="${FEEDBACKD:-../../target/debug/feedbackd}" exec venv/bin/python session.py
