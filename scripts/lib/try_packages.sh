# shellcheck shell=bash
# Tries packages and archive in bare roots, as people meet them; for scripts/package --try. Needs root, debootstrap (provision try) and the
# network. packages.sh and try_service.sh come first.

readonly ROOTS=build/package-roots  # kept: making one takes minutes
# The archive runs on these, the packages on the first.
readonly ARCHIVE_SUITES=(bookworm trixie)

# bare_root <suite>: a fresh copy of a bare Debian in $ROOTS/now.
bare_root() {
  local suite=$1 made=$ROOTS/$1
  if [ ! -f "$made/.made" ]; then
    say "making a bare Debian $suite"
    rm -rf "$made"
    mkdir -p "$made"
    quietly debootstrap --variant=minbase --include=ca-certificates "$suite" "$made" || die "debootstrap could not make $made (output above)"
    # Behind a proxy that signs for the whole network nothing is fetched without the certificates this machine trusts.
    cp -r /usr/local/share/ca-certificates/. "$made/usr/local/share/ca-certificates/" 2>/dev/null || true
    quietly chroot "$made" update-ca-certificates
    chroot "$made" useradd --create-home --shell /bin/bash ann
    touch "$made/.made"
  fi
  rm -rf "${ROOTS:?}/now"
  cp -a "$made" "$ROOTS/now"
  cp /etc/resolv.conf "$ROOTS/now/etc/resolv.conf"
}

# inside <user> <script> [unshare options...]: runs it in the root, with /proc and /dev of its own.
inside() {
  local user=$1 script=$2
  shift 2
  unshare --mount --pid --fork --kill-child "$@" bash -c '
    set -eu
    ! command -v ip >/dev/null || ip link set lo up 2>/dev/null || true
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      su "$2" -s /bin/bash -c "set -eu; cd; $3"' bash "$ROOTS/now" "$user" "$script" </dev/null
}

# What somebody does first, with the programs of $1 in front of the PATH: a server, a plugin of one's own, its command, a save.
first_minutes() {
  cat <<SH
export PATH=$1:\$PATH
svcd --check | tail -1
svc server start --listen 127.0.0.1:0
svc plugin list
mkdir -p hello
cat >hello/package.json <<'J'
{ "name": "svc-plugin-hello", "version": "1.0.0", "type": "module", "svc": { "server": "server.ts" } }
J
cat >hello/server.ts <<'J'
import type { SvcPluginApi } from "@get-svc/plugin-sdk";
export default (svc: SvcPluginApi) => {
  svc.cli.register({ name: "hello", summary: "says it", commands: [{ name: "say", summary: "says it", usage: "svc hello say" }], run: () => ({ exitCode: 0, stdout: "hello from a plugin" }) });
};
J
svc plugin install ./hello --yes
svc hello say | grep -q "hello from a plugin"
svc doctor || true
svc plugin remove hello --yes
svc server stop
SH
}

repacked() {  # <version> <out folder>: the packages as another version
  local deb tree=$PACKAGE_DIR/repack
  mkdir -p "$2"
  for deb in "$PACKAGE_OUT"/*.deb; do
    rm -rf "$tree"
    dpkg-deb -R "$deb" "$tree"
    sed -i -E "s/$(dpkg-deb -f "$deb" Version | sed 's/[.+]/\\&/g')/$1/" "$tree/DEBIAN/control"
    quietly dpkg-deb -Zgzip -z1 --root-owner-group -b "$tree" "$2/$(basename "${deb%%_*}")_$1.deb"
  done
  rm -rf "$tree"
}

try_debs() {
  local suite=$1
  bare_root "$suite"
  mkdir -p "$ROOTS/now/debs"
  cp "$PACKAGE_OUT"/*.deb "$ROOTS/now/debs/"
  repacked 0.1.0 "$ROOTS/now/older"
  repacked 99.0.0 "$ROOTS/now/newer"
  say "Debian $suite: install"
  inside root 'apt-get update -qq; apt-get install -y -qq --no-install-recommends /debs/svc_*.deb /debs/svc-hostd_*.deb >/dev/null; id svc; man -w svcd 2>/dev/null || ls /usr/share/man/man1/svcd.1.gz'
  say "Debian $suite: a person's first minutes"
  inside ann "$(first_minutes /usr/bin)"
  say "Debian $suite: upgrade below a running server, then back"
  inside root "
    su ann -c 'svc server start --listen 127.0.0.1:0'
    apt-get install -y -qq --no-install-recommends /newer/svc_*.deb /newer/svc-hostd_*.deb >/dev/null
    su ann -c 'svc plugin list && svc server restart && svc plugin list'
    apt-get install -y -qq --allow-downgrades --no-install-recommends /older/svc_*.deb /older/svc-hostd_*.deb >/dev/null
    su ann -c 'svc server restart && svc plugin list && svc server stop'"
  say "Debian $suite: remove and purge"
  inside root '
    install -d -o svc -g svc -m 700 /var/lib/svc/data
    apt-get remove -y -qq svc svc-hostd >/dev/null
    ! command -v svcd
    test -d /var/lib/svc/data -a -d ~ann/.local/share/svc
    apt-get purge -y -qq svc svc-hostd >/dev/null
    test -d /var/lib/svc/data
    apt-get install -y -qq --no-install-recommends /debs/svc_*.deb /debs/svc-hostd_*.deb debconf >/dev/null
    echo "svc svc/purge-data boolean true" | debconf-set-selections
    apt-get purge -y -qq svc >/dev/null
    ! test -e /var/lib/svc
    test -d ~ann/.local/share/svc'
}

# Without root, without a network, in a home directory.
try_archive() {
  local suite archive
  archive=$(basename "$PACKAGE_OUT"/svc-*.tar.xz)
  for suite in "${ARCHIVE_SUITES[@]}"; do
    say "Debian $suite: the archive"
    bare_root "$suite"
    # A bare root has no xz; people who download an archive have.
    mkdir -p "$ROOTS/now/home/ann/opt"
    tar -C "$ROOTS/now/home/ann/opt" --strip-components=1 -xJf "$PACKAGE_OUT/$archive"
    chroot "$ROOTS/now" chown -R ann: /home/ann
    inside ann "$(first_minutes /home/ann/opt/bin)" --net
  done
}

try_packages() {
  command -v debootstrap >/dev/null || die "missing: debootstrap." "Run: apt-get install debootstrap"
  mkdir -p "$ROOTS"
  local suite
  # The packages are for the distribution they were made on.
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  try_archive
  try_debs "$suite"
  try_service "$suite"
  rm -rf "${ROOTS:?}/now"
}
