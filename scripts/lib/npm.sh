# shellcheck shell=bash
# Installs the npm packages the lock names when the lock or a package.json changed, and a Node.js that is new enough where
# the system has none. Part of provision.sh.

# Puts the Node.js of provision_node first on PATH, where there is one.
use_own_node() { [ ! -x .deps/node/bin/node ] || PATH=$PWD/.deps/node/bin:$PATH; }

# What Vite, which builds the app window, runs on.
node_is_new_enough() {
  node -e 'const [a, b] = process.versions.node.split(".").map(Number);
    process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)'
}

# The window and bundles of plugins are built, and tested, with a newer Node.js than the 18 of Debian 12. The system's stays as it is.
provision_node() {
  local arch
  ! node_is_new_enough || return 0
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) die "$(command -v node) is Node $(node -v); 22.12, or 20.19, or newer is needed." "Put a newer one first on PATH." ;;
  esac
  say "installing Node.js 22 into .deps/node (the system has $(node -v))"
  mkdir -p .deps/node/bin
  quietly npm install --prefix .deps/node --no-save --loglevel=error "node-linux-$arch@22" npm@10 ||
    die "npm could not install Node.js (output above)" "Put Node.js 22.12 or newer first on PATH, then run this again."
  ln -sf "../node_modules/node-linux-$arch/bin/node" .deps/node/bin/node
  ln -sf ../node_modules/npm/bin/npm-cli.js .deps/node/bin/npm
  ln -sf ../node_modules/npm/bin/npx-cli.js .deps/node/bin/npx
  use_own_node
}

# Prints the files that decide what npm installs.
npm_inputs() {
  local file
  for file in package.json package-lock.json .npmrc {sdk,window}/package.json examples/*/package.json; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
  done
}

npm_key() { npm_inputs | xargs cat | sha256sum; }

# Prints how the lock differs from the package.json files; nothing when they agree. Runs on copies, because older
# releases of npm delete node_modules even in a dry run.
npm_lock_drift() {
  local scratch=.deps/lock-check
  rm -rf "$scratch"
  mkdir -p "$scratch"
  npm_inputs | xargs cp --parents -t "$scratch"
  (cd "$scratch" && npm ci --dry-run --ignore-scripts --loglevel=error 2>&1 >/dev/null) |
    grep -oE '(Missing|Invalid): .*' | sort -u || true
  rm -rf "$scratch"
}

provision_npm() {
  local stamp=node_modules/.svc-stamp drift
  [ -f "$stamp" ] && [ "$(npm_key)" = "$(<"$stamp")" ] && return 0
  say "installing npm packages"
  drift=$(npm_lock_drift)
  if [ -n "$drift" ]; then
    printf '%s\n' "$drift" >&2
    [ -z "${CI:-}" ] ||
      die "package-lock.json is behind the package.json files (above)" "Run npm install and commit the lock."
    say "package-lock.json is behind the package.json files (above): run npm install and commit it"
  fi
  # Unlike npm ci this keeps node_modules in place for whoever uses it right now; --no-save leaves the lock untouched.
  # No lifecycle scripts: esbuild's binary comes as its platform package, and nothing else here needs one.
  quietly npm install --no-save --ignore-scripts --loglevel=error ||
    die "npm could not install the packages (output above)" \
      "Check the network and the registry npm is set to (npm config get registry), then run this again."
  # No stamp while the lock is behind, so that the next run says it again.
  [ -n "$drift" ] || npm_key >"$stamp"
}
