#!/bin/sh
# Walks every page in a real browser, or runs another script with it. If there is no browser, it says so in one line and
# succeeds.
set -eu
cd "$(dirname "$0")"
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
for program in npm node redis-server git; do
	if ! command -v "$program" >/dev/null; then
		echo "$program is not installed: the page is not tried in a browser"
		exit 0
	fi
done
if [ -z "$chromium" ]; then
	echo "chromium is not installed: the page is not tried in a browser"
	exit 0
fi
[ -d node_modules ] || npm ci --no-audit --no-fund --silent
CHROMIUM="$chromium" FEEDBACKD="${FEEDBACKD:-../../target/debug/feedbackd}" exec node "${1:-walk.js}"
