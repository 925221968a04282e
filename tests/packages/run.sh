#!/bin/sh
# Unpacks the packages and runs what is in them; installs the .deb in a chroot if debootstrap is installed and this is root.
set -eu
packages=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$packages" && sha256sum --quiet -c SHA256SUMS)

# look DIRECTORY: what a package must bring
look() {
	for file in usr/bin/feedbackd usr/lib/systemd/system/feedbackd.service usr/lib/sysusers.d/feedbackd.conf \
		etc/feedbackd/config.toml usr/share/man/man1/feedbackd.1* usr/share/bash-completion/completions/feedbackd; do
		ls "$1"/$file >/dev/null
	done
	grep -q '/usr/bin/feedbackd' "$1/usr/lib/systemd/system/feedbackd.service"
	"$1/usr/bin/feedbackd" --version
	FEEDBACKD__STORE__PATH="$1/store.git" FEEDBACKD__STATE__DIR="$1/state" "$1/usr/bin/feedbackd" init >/dev/null
}

mkdir "$work/deb" "$work/rpm"
dpkg-deb -x "$packages"/*.deb "$work/deb"
dpkg-deb -f "$packages"/*.deb Package Version Architecture Depends
look "$work/deb"
if command -v rpm2cpio >/dev/null && command -v cpio >/dev/null; then
	(cd "$work/rpm" && rpm2cpio "$packages"/*.rpm | cpio -id --quiet)
	look "$work/rpm"
else
	echo "rpm2cpio or cpio is not installed: the .rpm is not looked at"
fi
if command -v debootstrap >/dev/null && [ "$(id -u)" = 0 ]; then
	debootstrap --variant=minbase --include=git,ca-certificates,systemd bookworm "$work/root" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
	cp "$packages"/*.deb "$work/root/feedbackd.deb"
	chroot "$work/root" dpkg -i /feedbackd.deb
	chroot "$work/root" getent passwd feedbackd
	chroot "$work/root" feedbackd config check --offline
	chroot "$work/root" dpkg -r feedbackd
else
	echo "debootstrap is not installed, or this is not root: the .deb is not installed in a chroot"
fi
ls -l "$packages"
