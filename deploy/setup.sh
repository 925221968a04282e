#!/bin/sh
# Installs what is missing for building and testing: git, a C compiler, redis-server, ssh-keygen, and strace on Linux.
# If it cannot, it prints one line that names what to install. It asks no questions and changes nothing else.
set -eu

if ! command -v cargo >/dev/null 2>&1; then
    echo "cargo is missing: install Rust from https://rustup.rs, open a new shell and run make again" >&2
    exit 1
fi

lacks() { ! command -v "$1" >/dev/null 2>&1; }

missing=""
lacks git && missing="$missing git"
lacks cc && missing="$missing cc"
lacks redis-server && lacks valkey-server && missing="$missing redis-server"
lacks ssh-keygen && missing="$missing ssh-keygen"
[ "$(uname -s)" = Linux ] && lacks strace && missing="$missing strace"
[ -n "$missing" ] || exit 0

give_up() {
    echo "please install:$missing ($1), then run make again" >&2
    exit 1
}

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! lacks sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root="sudo"
    fi
fi
can_be_root() { [ "$(id -u)" -eq 0 ] || [ -n "$as_root" ]; }

# The packages of one package manager that contain the missing programs.
packages() {
    for program in $missing; do
        case "$1:$program" in
            apt:cc) echo gcc libc6-dev ;;
            dnf:cc) echo gcc ;;
            dnf:redis-server) echo redis ;;
            brew:redis-server) echo redis ;;
            apt:ssh-keygen) echo openssh-client ;;
            *:ssh-keygen) echo openssh ;;
            brew:cc) ;; # comes with the command line tools, see below
            *) echo "$program" ;;
        esac
    done
}

echo "installing:$missing"
if ! lacks apt-get; then
    can_be_root || give_up "no root, no sudo"
    # shellcheck disable=SC2046,SC2086 # word splitting is intended
    install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $(packages apt) </dev/null; }
    # The package lists of a new machine are empty or outdated.
    install || { $as_root apt-get update -q </dev/null && install; } || give_up "apt-get failed"
elif ! lacks dnf; then
    can_be_root || give_up "no root, no sudo"
    # shellcheck disable=SC2046,SC2086
    $as_root dnf install -y -q $(packages dnf) </dev/null ||
        $as_root dnf install -y -q $(packages dnf | sed 's/^redis$/valkey-compat-redis/') </dev/null ||
        give_up "dnf failed"
elif ! lacks brew; then
    lacks cc && give_up "cc comes with: xcode-select --install"
    # shellcheck disable=SC2046
    brew install -q $(packages brew) </dev/null || give_up "brew failed"
else
    give_up "no apt-get, dnf or brew here"
fi
