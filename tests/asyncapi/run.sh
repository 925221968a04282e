#!/bin/sh
# Validates an AsyncAPI document with the parser of the project itself, which it installs below target/.
set -eu
here=$(dirname "$0")
place=${CARGO_TARGET_DIR:-target}/asyncapi
mkdir -p "$place"
[ -f "$place/package.json" ] || printf '{"private": true}\n' >"$place/package.json"
[ -d "$place/node_modules/@asyncapi/parser" ] ||
    npm install --prefix "$place" --no-save --ignore-scripts --no-audit --no-fund --silent @asyncapi/parser@3.6.3
node "$here/validate.mjs" "$(cd "$place" && pwd)/package.json" "$1"
