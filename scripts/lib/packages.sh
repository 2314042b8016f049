# shellcheck shell=bash
# Packages and the archive, for scripts/package; common.sh comes first.

readonly PACKAGE_DIR=build/package
readonly PACKAGE_STAGE=$PACKAGE_DIR/stage
readonly PACKAGE_OUT=$PACKAGE_DIR/out
# What every Linux has and what must be its own: the C library, and what finds users and names with its plug-ins.
readonly HOST_LIBRARIES='^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libnss_.*|libanl)\.so'

project_version() { sed -nE 's/^project\(svc VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt; }

# The number of a release, or one before it that rises with every commit.
package_version() {
  local version
  version=$(project_version)
  if git describe --exact-match --tags --match "v$version" >/dev/null 2>&1; then
    printf '%s\n' "$version"
  else
    printf '%s~r%s.g%s\n' "$version" "$(git rev-list --count HEAD)" "$(git rev-parse --short=8 HEAD)"
  fi
}

# The files as `cmake --install` lays them out below /usr.
stage_files() {
  say "installing into $PACKAGE_STAGE"
  rm -rf "$PACKAGE_DIR"
  mkdir -p "$PACKAGE_OUT"
  DESTDIR=$PWD/$PACKAGE_STAGE quietly cmake --install build/release --prefix /usr || die "the installation failed (output above)"
}

# Whether JavaScript runs in the executable of Node.js, which then comes along (cmake/node), and not in a library.
has_runtime() { [ -x "$PACKAGE_STAGE/usr/libexec/svc-runtime" ]; }

# The library of Node that the modules are linked to.
staged_libnode() { readelf -d "$PACKAGE_STAGE/usr/lib/svc/modules/jsruntime.so" | sed -nE 's/.*\[(libnode\.so\.[0-9]+)\].*/\1/p'; }

# program_modules <program>: what it loads, its commands included.
program_modules() {
  python3 -c 'import json, sys
program = json.load(open(sys.argv[1]))
print("\n".join(sorted({*program["modules"], *(m for each in program.get("commands", {}).values() for m in each)})))' \
    "$PACKAGE_STAGE/usr/lib/svc/programs/$1.json"
}

# Which package has which files, for dh_install.
list_files() {
  local debian=$1 daemon
  mapfile -t daemon < <(program_modules svc-hostd)
  {
    printf '%s\n' usr/bin/svc-hostd usr/bin/svc usr/lib/svc/units-of-people usr/lib/svc/libsvc_kernel.so usr/lib/svc/programs/svc-hostd.json usr/share/svc/runtime \
      usr/share/bash-completion usr/share/zsh usr/share/fish usr/lib/systemd/user/svc-hostd.service
    printf 'usr/lib/svc/modules/%s.so\n' "${daemon[@]}"
    ! has_runtime || printf '%s\n' usr/libexec/svc-runtime usr/lib/svc/start.so usr/lib/svc/programs/svc-hostd.so
  } >"$debian/svc-hostd.install"
  (cd "$PACKAGE_STAGE" && find usr/share/man -name '*.1' ! -name svcd.1) >>"$debian/svc-hostd.install"
  {
    printf '%s\n' usr/bin/svcd usr/share/man/man1/svcd.1 usr/lib/svc/programs/svcd.json usr/lib/systemd/user/svcd.service
    ! has_runtime || printf '%s\n' usr/lib/svc/programs/svcd.so
    (cd "$PACKAGE_STAGE" && find usr/share/svc -mindepth 1 -maxdepth 1 ! -name runtime && find usr/lib/svc/modules -name '*.so') |
      grep -vxF -e "$(printf 'usr/lib/svc/modules/%s.so\n' "${daemon[@]}")" | sort
  } >"$debian/svc.install"
  printf '%s\n' usr/include usr/lib/cmake 'usr/lib/*.a' >"$debian/svc-dev.install"
  # dh_installsystemd puts them where its distribution has units, and writes what an upgrade and a removal do with them.
  cp "$PACKAGE_STAGE/usr/lib/systemd/system/svcd.service" "$debian/svc.svcd.service"
  cp "$PACKAGE_STAGE/usr/lib/systemd/system/svc-hostd.service" "$debian/svc-hostd.service"
}

make_debs() {
  local tree=$PACKAGE_DIR/deb debian version libnode package='' folder=''
  debian=$tree/debian
  version=$(package_version)+$(. /etc/os-release && printf '%s%s' "$ID" "${VERSION_ID:-}")
  say "packages of version $version"
  mkdir -p "$tree"
  cp -r packaging/debian "$debian"
  list_files "$debian"
  printf '3.0 (native)\n' | install -D /dev/stdin "$debian/source/format"
  printf 'svc (%s) unstable; urgency=medium\n\n  * What changed: /usr/share/doc/svc/changelog.gz\n\n -- %s <%s>  %s\n' "$version" \
    "${DEBFULLNAME:-svc maintainers}" "${DEBEMAIL:-maintainers@svc.invalid}" "$(git log -1 --format=%aD)" >"$debian/changelog"
  sed -i -E "s/^Maintainer: .*/Maintainer: ${DEBFULLNAME:-svc maintainers} <${DEBEMAIL:-maintainers@svc.invalid}>/" "$debian/control"
  install -D -m 644 CHANGELOG.md "$tree/notes/CHANGELOG.md"
  printf 'notes/CHANGELOG.md\n' >"$debian/svc.docs"
  if ! has_runtime; then
    libnode=$(staged_libnode)
    package=libnode${libnode##*.}
    folder=$(dirname "$(ldd build/release/lib/svc/modules/jsruntime.so | awk -v l="$libnode" '$1 == l { print $3 }')")
  fi
  (cd "$tree" && SVC_STAGE=$SVC_ROOT/$PACKAGE_STAGE SVC_LIBNODE_PACKAGE=$package SVC_LIBNODE_FOLDER=$folder quietly dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) ||
    die "dpkg-buildpackage failed (output above)"
  mv "$PACKAGE_DIR"/*.deb "$PACKAGE_OUT/"
  say "lintian"
  lintian --fail-on error --tag-display-limit 0 --suppress-tags bogus-mail-host "$PACKAGE_OUT"/*.deb >&2 || die "lintian has found errors (above)"
}

# needed_libraries <file...>: what the loader takes for them on this machine, without what every Linux has.
needed_libraries() {
  ldd "$@" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u | awk -v host="$HOST_LIBRARIES" '$1 !~ host'
}

# An installation that works wherever it lies: libraries beside it, found from where each file is.
make_archive() {
  local name tree library path file built programs
  name=svc-$(package_version)-linux-$(uname -m)
  tree=$PACKAGE_DIR/$name
  say "archive $name"
  rm -rf "$tree"
  cp -r "$PACKAGE_STAGE/usr" "$tree"
  # Units name the place where the programs lie; docs/operations.md has one for an archive.
  rm -rf "$tree/include" "$tree/lib/cmake" "$tree/lib/systemd" "$tree"/lib/*.a
  mkdir -p "$tree/lib/svc/deps"
  # The build's own files: those of the installation look for theirs where they will be.
  built=(build/release/bin/* build/release/lib/svc/modules/*.so)
  programs=("$tree"/bin/*)
  if has_runtime; then
    built+=(build/release/libexec/svc-runtime build/release/lib/svc/programs/{svcd,svc-hostd}.so)
    programs+=("$tree/libexec/svc-runtime")
  fi
  while read -r library path; do
    [ "$library" = libsvc_kernel.so ] || cp -L "$path" "$tree/lib/svc/deps/$library"
  done < <(needed_libraries "${built[@]}")
  chmod u+w "$tree"/lib/svc/deps/*
  strip --strip-unneeded "${programs[@]}" "$tree"/lib/svc/*.so "$tree"/lib/svc/modules/*.so "$tree"/lib/svc/deps/*
  for file in "$tree"/lib/svc/deps/*; do patchelf --set-rpath '$ORIGIN' "$file"; done
  for file in "${programs[@]}"; do patchelf --set-rpath '$ORIGIN/../lib/svc:$ORIGIN/../lib/svc/deps' "$file"; done
  patchelf --set-rpath '$ORIGIN:$ORIGIN/deps' "$tree/lib/svc/libsvc_kernel.so"
  if has_runtime; then
    strip --strip-unneeded "$tree"/lib/svc/programs/*.so
  else
    # Node reads some of its scripts by a path of the distribution (modules/jsruntime/src/node_sources.h).
    while read -r path; do
      install -D -m 644 "$path" "$tree/share/svc/nodejs/${path#/usr/share/nodejs/}"
    done < <(libnode_runtime_files "$tree/lib/svc/deps/$(staged_libnode)")
  fi
  cp CHANGELOG.md "$tree/share/svc/"
  tar -C "$PACKAGE_DIR" --owner=0 --group=0 --sort=name --mtime="@$(git log -1 --format=%at)" -c "$name" | xz -T0 -6 >"$PACKAGE_OUT/$name.tar.xz"
}
