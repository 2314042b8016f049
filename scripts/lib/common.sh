# shellcheck shell=bash
# What every script shares: where the project is, how to talk, and how to build a preset. Source it, do not run it.

set -euo pipefail

# Paths the user gives are relative to here.
# shellcheck disable=SC2034
SVC_CALLER_DIR=$PWD
SVC_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd -- "$SVC_ROOT"

# What a script does and takes is the comment at its head.
case ${1:-} in
  --help | -h)
    printf '%s\n\n' "scripts/$(basename -- "${BASH_SOURCE[-1]}")"
    sed -n '2,$ { /^#/! q; s/^# \{0,1\}//; p }' "scripts/$(basename -- "${BASH_SOURCE[-1]}")"
    exit 0
    ;;
esac

# As many as there are cores, and as the memory holds: a compiler that makes dozens of sources as one takes up to 1.5 GB.
job_count() {
  local cores fitting
  cores=$(nproc)
  fitting=$(awk '/^MemTotal:/ { print int($2 / 1500000) }' /proc/meminfo)
  [ "$fitting" -ge 1 ] || fitting=1
  printf '%s\n' "$((fitting < cores ? fitting : cores))"
}
# One number for compilers and tests; a shared machine sets it lower.
CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(job_count)}
# Tests wait for servers much of their time: half as many again.
CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(((CMAKE_BUILD_PARALLEL_LEVEL * 3 + 1) / 2))}
export CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL

# Progress goes to stderr, so a script's stdout stays what it is asked for.
say() { printf -- '-- %s\n' "$*" >&2; }

# die <what is wrong> [<what to do next>...]
die() {
  printf 'error: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
  exit 1
}

# quietly <command...>: shows the command's output only when it fails.
quietly() {
  local output status=0
  output=$("$@" 2>&1) || status=$?
  [ "$status" -eq 0 ] || printf '%s\n' "$output" >&2
  return "$status"
}

# Ninja re-runs CMake when a CMakeLists.txt changes, but knows neither the presets nor what provisioning found.
configure_is_current() {
  local stamp=build/$1/.configured
  [ -f "build/$1/build.ninja" ] && [ -f "$stamp" ] || return 1
  [ -z "${SVC_NODE:-}" ] || grep -qx "SVC_NODE:STRING=$SVC_NODE" "build/$1/CMakeCache.txt" || return 1
  ! [ CMakePresets.json -nt "$stamp" ] && ! [ .deps/libnode.stamp -nt "$stamp" ]
}

# build <preset>: configures when needed, then builds into build/<preset>.
build() {
  local options=()
  # Nobody debugs what continuous integration builds: without symbols it is made a tenth sooner.
  [ -z "${CI:-}" ] || [ "$1" != dev ] || options=("-DCMAKE_CXX_FLAGS_DEBUG=-O1")
  [ -z "${SVC_NODE:-}" ] || options+=("-DSVC_NODE=$SVC_NODE")
  if ! configure_is_current "$1"; then
    say "configuring preset $1"
    quietly cmake --preset "$1" "${options[@]}" || die "cmake could not configure preset '$1' (output above)" \
      "After an upgrade of the compiler or of a library: rm -rf build/$1, then run this again."
    touch "build/$1/.configured"
  fi
  cmake --build "build/$1" >&2 || die "the build of preset '$1' failed (output above)"
}
