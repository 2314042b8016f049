# shellcheck shell=bash
# Installs libnode (V8 + Node as a library) and its headers, or unpacks them into .deps/libnode. Part of provision.sh.

LIBNODE_DIR=.deps/libnode
LIBNODE_STAMP=.deps/libnode.stamp  # the key of what was done, then every file that must still be there

# libnode compiles some files of other packages in by path and aborts the process when one is missing.
libnode_runtime_files() { grep -aoE '/usr/share/nodejs/[A-Za-z0-9_./-]+\.js' "$1" | sort -u; }

# depends_of <package> <pattern>: the direct dependencies whose names match.
depends_of() { apt-cache depends --important "$1" | awk -v p="$2" '/Depends:/ && $NF ~ p { print $NF }' | sort -u; }

# unpack <folder> <package...>: fetches the packages and unpacks them into the folder; nothing is installed.
unpack() {
  local folder=$1 deb
  shift
  mkdir -p "$folder/debs"
  # The sandbox user of apt cannot write below a private home folder.
  (cd "$folder/debs" && quietly apt-get download -o APT::Sandbox::User=root "$@") ||
    die "apt-get could not download: $* (output above)" \
      "Check the network and /etc/apt/sources.list*, then run this again."
  for deb in "$folder"/debs/*.deb; do dpkg-deb -x "$deb" "$folder"; done
  rm -rf "$folder/debs"
}

# absent_files <file...>: prints those that are not there.
absent_files() { local file; for file in "$@"; do [ -f "$file" ] || printf '%s ' "$file"; done; }

# provide_runtime_files <libnode package> <library>: the JavaScript files libnode reads, from packages where those
# install, else (another vendor's nodejs does not satisfy them) only their folders, beside what /usr/share/nodejs has.
provide_runtime_files() {
  local package folder files scratch=.deps/scratch
  mapfile -t files < <(libnode_runtime_files "$2")
  [ -n "$(absent_files "${files[@]}")" ] || return 0
  for package in $(depends_of "$1" '^node-'); do
    is_installed "$package" && continue
    if apt_can_install "$package"; then
      apt_install "$package"
      continue
    fi
    need_apt "$package"
    say "unpacking $package into /usr/share/nodejs (the installed nodejs does not let it install)"
    rm -rf "$scratch"
    unpack "$scratch" "$package"
    as_root mkdir -p /usr/share/nodejs
    for folder in "$scratch"/usr/share/nodejs/*/; do
      [ -e "/usr/share/nodejs/$(basename "$folder")" ] ||
        as_root cp -r "$folder" /usr/share/nodejs/
    done
    rm -rf "$scratch"
  done
}

# For machines whose nodejs comes from another vendor and conflicts with libnode-dev: the same packages, unpacked here.
unpack_libnode() {
  local package=$1 scratch=$LIBNODE_DIR.new missing version
  version=$(apt-cache policy libnode-dev | awk '/Candidate:/ { print $2 }')
  [ "$(cat "$LIBNODE_DIR/.version" 2>/dev/null)" != "$version" ] || return 0
  say "libnode-dev does not install beside this machine's nodejs: unpacking it and $package into $LIBNODE_DIR"
  mapfile -t missing < <(depends_of "$package" '^lib' | xargs -r -n 1 | while read -r name; do
    is_installed "$name" || printf '%s\n' "$name"
  done)
  [ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"
  rm -rf "$scratch"
  unpack "$scratch" "$package" libnode-dev
  printf '%s\n' "$version" >"$scratch/.version"
  rm -rf "$LIBNODE_DIR"
  mv "$scratch" "$LIBNODE_DIR"
}

libnode_key() {
  { cat scripts/lib/{provision,libnode}.sh /etc/os-release; dpkg --print-architecture; } | sha256sum | cut -d ' ' -f 1
}

libnode_is_current() {
  local file
  [ -f "$LIBNODE_STAMP" ] || return 1
  {
    read -r file && [ "$file" = "$(libnode_key)" ] || return 1
    while read -r file; do [ -f "$file" ] || return 1; done
  } <"$LIBNODE_STAMP"
}

provision_libnode() {
  local package library header absent files
  libnode_is_current && return 0
  apt_update
  package=$(depends_of libnode-dev '^libnode[0-9]+' | head -n 1)
  if [ -z "$package" ] || [ "${package//[!0-9]/}" -lt 108 ]; then
    die "this system offers ${package:-no libnode}; svc needs libnode108 (Node 18) or newer." \
      "Use Debian 12 or newer, or Ubuntu 24.04 or newer."
  fi
  if is_installed libnode-dev || apt_can_install libnode-dev; then
    is_installed libnode-dev || apt_install libnode-dev
    rm -rf "$LIBNODE_DIR"
    library=$(dpkg-query -L "$package" | grep -m 1 '/libnode\.so\.[0-9]*$')
    header=/usr/include/node/node.h
  else
    unpack_libnode "$package"
    library=$(find "$LIBNODE_DIR/usr/lib" -name 'libnode.so.[0-9]*' | head -n 1)
    header=$LIBNODE_DIR/usr/include/node/node.h
    provide_runtime_files "$package" "$library"
  fi
  absent=$(ldd "$library" | awk '/not found/ { print $1 }' | xargs)
  [ -z "$absent" ] || die "$library needs libraries that are not here: $absent" \
    "Install them with apt-get, then run this again."
  mapfile -t files < <(realpath -s "$library" "$header"; libnode_runtime_files "$library")
  absent=$(absent_files "${files[@]}")
  [ -z "$absent" ] || die "libnode ends the process without these files: $absent" \
    "Reinstall the node-* packages that own them (apt-get install --reinstall), then run this again."
  printf '%s\n' "$(libnode_key)" "${files[@]}" >"$LIBNODE_STAMP"
}
