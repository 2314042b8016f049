# shellcheck shell=bash
# Installs the npm packages the lock names when the lock or a package.json changed. Part of provision.sh.

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
  [ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] ||
    die "$(command -v node) is Node $(node -v); the build needs 18 or newer." "Put a newer one first on PATH."
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
