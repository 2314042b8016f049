# shellcheck shell=bash
# Tries the packages' units below a systemd of their own, which is process 1 of a bare root; for scripts/package --try, with
# try_packages.sh. Nothing is booted: namespaces, and a cgroup of its own, keep it from the systemd of the machine.

SYSTEMD_PID=
trap '[ -z "$SYSTEMD_PID" ] || kill -KILL "$SYSTEMD_PID" 2>/dev/null || true' EXIT

# boot_root: starts systemd in $ROOTS/now; $SYSTEMD_PID is its process.
boot_root() {
  local keeper
  unshare --mount --pid --fork --uts --ipc --kill-child --propagation private bash -c '
    set -eu
    root=$1 cgroup=/sys/fs/cgroup/svc-try-$$
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
    mkdir -p "$cgroup"
    echo $$ >"$cgroup/cgroup.procs"
    exec unshare --cgroup --mount bash -c "
      set -eu
      hostname svc-try
      # What services are walled off with wants the root to be a mount.
      mount --bind \"\$1\" \"\$1\"
      mount -t proc proc \"\$1/proc\"
      mount -t sysfs -o ro sysfs \"\$1/sys\"
      mount -t cgroup2 cgroup2 \"\$1/sys/fs/cgroup\"
      mount --rbind /dev \"\$1/dev\"
      mount -t tmpfs -o mode=755 tmpfs \"\$1/run\"
      mount -t tmpfs -o mode=1777 tmpfs \"\$1/tmp\"
      exec chroot \"\$1\" /usr/bin/env -i container=docker LANG=C.UTF-8 /lib/systemd/systemd --system --log-level=warning" bash "$root"' \
    bash "$ROOTS/now" </dev/null >"$ROOTS/systemd.log" 2>&1 &
  keeper=$!
  # unshare waits for the one process that it has forked.
  until SYSTEMD_PID=$(pgrep -P "$keeper") || ! kill -0 "$keeper" 2>/dev/null; do sleep 0.1; done
  [ -n "$SYSTEMD_PID" ] || die "systemd did not start: $(cat "$ROOTS/systemd.log")"
  # It may be there before its root is.
  until booted 'systemctl is-system-running --wait || true' 2>/dev/null | grep -qE 'running|degraded'; do sleep 0.1; done
}

# booted <script>: runs it as root beside the systemd of boot_root.
booted() {
  nsenter -t "$SYSTEMD_PID" -m -p -u -i -C -r -w /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c "set -eu; cd; $1" </dev/null
}

# What an administrator does with the unit of the machine. `main` is its process; `as_svc` runs commands as its user.
readonly UNIT_OF_THE_MACHINE='
main() { systemctl show -p MainPID --value svcd; }
as_svc() { runuser -u svc -- env HOME=/var/lib/svc SVC_DATA_DIR=/var/lib/svc/data SVC_CONFIG=/var/lib/svc/config.json "$@"; }
another() {  # <pid>: waits until it serves with another process than that
  for ((look = 0; look < 300; ++look)); do
    now=$(main)
    [ "$now" = 0 ] || [ "$now" = "$1" ] || [ "$(systemctl is-active svcd)" != active ] || return 0
    sleep 0.1
  done
  systemctl status svcd --no-pager --lines 40 >&2
  return 1
}
systemctl enable --quiet --now svcd
test "$(stat -c %a:%U /var/lib/svc/data)" = 700:svc
as_svc svc status >/dev/null
first=$(main)
systemctl reload svcd
test "$(main)" = "$first"
kill -KILL "$first"
another "$first"
second=$(main)
as_svc svc plugin list >/dev/null 2>&1
env SVC_DATA_DIR=/var/lib/svc/data SVC_CONFIG=/var/lib/svc/config.json svc server restart >/dev/null
another "$second"
third=$(main)
apt-get install -y -qq --no-install-recommends /newer/svc_*.deb /newer/svc-hostd_*.deb >/dev/null
another "$third"
as_svc svc status >/dev/null
systemctl stop svcd
test "$(systemctl show -p Result --value svcd)" = success
systemctl disable --quiet svcd'

# Both run, and their programs are taken away.
readonly REMOVAL='
systemctl start svcd
runuser -u ann -- mkdir -p ~ann/.config/svc
echo "{ \"listen\": { \"port\": 4701 } }" >~ann/.config/svc/config.json
runuser -u ann -- env XDG_RUNTIME_DIR=/run/user/$(id -u ann) systemctl --user start svcd
running() { { grep -lxE "$1" /proc/[0-9]*/comm 2>/dev/null || true; } | wc -l; }
test "$(running svcd)" = 2
apt-get remove -y -qq svc svc-hostd >/dev/null
test "$(running "svcd|svc-hostd")" = 0'

# The same of the unit of a person who is not logged in, and a plugin of each template: made, tested, installed, called, removed.
readonly UNIT_OF_A_PERSON='
loginctl enable-linger ann
systemctl start user@$(id -u ann)
cat >/tmp/ann.sh <<"SH"
set -eu
cd
export XDG_RUNTIME_DIR=/run/user/$(id -u)
systemctl --user enable --quiet --now svcd
svc status >/dev/null
for template in minimal page service webhook host agent; do
  svc plugin new "try-$template" --template "$template" --no-git >new.txt 2>&1 || { cat new.txt; exit 1; }
  (cd "svc-plugin-try-$template" && svc plugin test >test.txt 2>&1 || { cat test.txt; exit 1; })
  svc plugin install "./svc-plugin-try-$template" --yes >/dev/null 2>&1
  svc plugin show "try-$template" | head -1
done
svc server restart >/dev/null
svc plugin list | grep -c "  running" | grep -qx 6
for template in minimal page service webhook host agent; do svc plugin remove "try-$template" --yes >/dev/null; done
systemctl --user stop svcd
SH
runuser -u ann -- env NODE_EXTRA_CA_CERTS=$NODE_EXTRA_CA_CERTS bash /tmp/ann.sh'

# An upgrade starts again what runs, and nothing of somebody who has not started it.
readonly UPGRADE_BELOW_PEOPLE='
useradd --create-home --shell /bin/bash bob
loginctl enable-linger bob
systemctl start user@$(id -u bob)
of() { person=$1; shift; runuser -u "$person" -- env XDG_RUNTIME_DIR=/run/user/$(id -u "$person") systemctl --user "$@" || true; }
again() { apt-get install -y -qq --reinstall --no-install-recommends /newer/svc_*.deb /newer/svc-hostd_*.deb >/dev/null; }
of ann start svcd
first=$(of ann show -p MainPID --value svcd)
again
test "$(of ann is-active svcd)" = active
test "$(of ann show -p MainPID --value svcd)" != "$first"
test "$(of bob is-active svcd)" = inactive
of ann stop svcd
again
test "$(of ann is-active svcd)" = inactive'

# try_service <suite>
try_service() {
  bare_root "$1"
  mkdir -p "$ROOTS/now/debs"
  cp "$PACKAGE_OUT"/*.deb "$ROOTS/now/debs/"
  repacked 99.0.0 "$ROOTS/now/newer"
  # The Node.js that builds plugins: this machine's, because the one of a stable Debian may be too old for it.
  mkdir -p "$ROOTS/now/usr/local/lib/node_modules"
  cp -L "$(command -v node)" "$ROOTS/now/usr/local/bin/node"
  cp -rL "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$ROOTS/now/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$ROOTS/now/usr/local/bin/npm"
  say "Debian $1: systemd"
  inside root 'apt-get update -qq; apt-get install -y -qq --no-install-recommends systemd dbus-user-session libpam-systemd git /debs/svc_*.deb /debs/svc-hostd_*.deb >/dev/null'
  boot_root
  say "Debian $1: the unit of the machine"
  booted "$UNIT_OF_THE_MACHINE"
  say "Debian $1: the unit of a person, and a plugin of each template"
  booted "$UNIT_OF_A_PERSON"
  say "Debian $1: upgraded below the units of people"
  booted "$UPGRADE_BELOW_PEOPLE"
  say "Debian $1: removed while both run"
  booted "$REMOVAL"
  kill -KILL "$SYSTEMD_PID"
  SYSTEMD_PID=
}
