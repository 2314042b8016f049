# shellcheck shell=bash
# Installs what the build needs: Debian packages (here), libnode, npm packages. Sourced after common.sh.
# When all is there it does nothing, within milliseconds and without the network.

# shellcheck source=scripts/lib/libnode.sh
source scripts/lib/libnode.sh
# shellcheck source=scripts/lib/npm.sh
source scripts/lib/npm.sh
# shellcheck source=scripts/lib/runtime.sh
source scripts/lib/runtime.sh

BUILD_PACKAGES=(g++ cmake ninja-build ccache mold pkg-config git ca-certificates)
LIBRARY_PACKAGES=(libboost-dev libpoco-dev libspdlog-dev libfmt-dev libcli11-dev libcctz-dev tzdata rapidjson-dev libgtest-dev libgmock-dev
  libbenchmark-dev libsqlite3-dev libexpat1-dev libarchive-dev libyaml-dev libbrotli-dev libssl-dev libdtl-dev zlib1g-dev libuv1-dev sqlite3 curl)
# The window is tested in the distribution's own browser (browser_package); without a font it has no text to lay out.
TEST_PACKAGES=(clang-format fonts-dejavu-core)
TIDY_PACKAGES=(clang clang-tidy)
# Agents run in a network namespace whose loopback somebody must turn on.
AGENT_PACKAGES=(iproute2)
# Bare roots that packages are tried in.
TRY_PACKAGES=(debootstrap)
PACKAGE_PACKAGES=(debhelper dpkg-dev fakeroot lintian patchelf python3 xz-utils)

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# need_apt <package...>: says what to do by hand where this script cannot install them.
need_apt() {
  command -v apt-get >/dev/null || die "missing: $*; there is no apt-get to install them." \
    "Use Debian 12 or newer (Ubuntu 24.04 or newer), or install the equivalents by hand and set SVC_PROVISION=off."
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    die "missing: $*; installing them needs root, and there is no sudo." \
      "Run as root: apt-get install --no-install-recommends $*" "Then run this script again."
}

apt_update() {
  [ -z "${apt_updated:-}" ] || return 0
  apt_updated=yes
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || return 0
  # A broken third-party source must not stop the distribution's own packages from being installed.
  quietly as_root apt-get update -qq || say "apt-get update reported problems (above); going on with the lists at hand"
}

apt_install() {
  need_apt "$@"
  apt_update
  say "installing: $*"
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    -o DPkg::Lock::Timeout=300 --no-install-recommends --no-remove "$@" ||
    die "apt-get could not install: $* (output above)" \
      "Repair the package state (apt-get -f install), then run this again."
}

apt_can_install() { apt-get install -s -qq --no-install-recommends --no-remove "$@" >/dev/null 2>&1; }

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Prints those of its arguments that are not installed; one dpkg call for all, because this runs every time.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  printf 'installed %s\n' "$@" | grep -vxF -e "$installed" | cut -d ' ' -f 2 || true
}

# Debian has the browser without its windows as a package of its own, which takes a third less time for the same tests.
# Where a browser is installed it does; the lists of packages are asked only when none is.
browser_package() {
  local shell=chromium-headless-shell
  if is_installed "$shell"; then
    echo "$shell"
  elif ! is_installed chromium && { apt-cache show "$shell" >/dev/null 2>&1 || { apt_update >&2 && apt-cache show "$shell" >/dev/null 2>&1; }; }; then
    echo "$shell"
  else
    echo chromium
  fi
}

provision_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  # Node serves the build only (bundling JavaScript). Whoever put one here keeps it: no package of ours replaces it.
  command -v node >/dev/null || missing+=(nodejs)
  [ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"
  # Asked for second: some vendors' nodejs brings npm along and conflicts with the package of that name.
  command -v npm >/dev/null || apt_install npm
}

# provision <job...>: what every job needs, and the packages only test, tidy, agents or package need.
provision() {
  local job packages=("${BUILD_PACKAGES[@]}" "${LIBRARY_PACKAGES[@]}")
  [ "${SVC_PROVISION:-on}" != off ] || return 0
  for job in "$@"; do
    case $job in
      test) packages+=("${TEST_PACKAGES[@]}" "$(browser_package)") ;;
      tidy) packages+=("${TIDY_PACKAGES[@]}") ;;
      agents) packages+=("${AGENT_PACKAGES[@]}") ;;
      package) packages+=("${PACKAGE_PACKAGES[@]}") ;;
      try) packages+=("${TRY_PACKAGES[@]}") ;;
    esac
  done
  mkdir -p .deps
  use_own_node
  # A subshell, so that the lock is gone before a server is started and inherits it.
  (
    flock 9
    provision_packages "${packages[@]}"
    [ "${SVC_NODE:-libnode}" = executable ] || provision_libnode
    provision_node
    provision_runtime
    provision_npm
  ) 9>.deps/lock
  use_own_node
}
