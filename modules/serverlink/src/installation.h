#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "svc/base/fd.h"
#include "svc/kernel/result.h"

namespace svc::serverlink {

/// A new directory for an update that is being made, on the file system of the installation, mode 0700. While it lives, no other
/// daemon of the installation updates it; it disappears with the object.
class Staging {
 public:
  Staging(std::filesystem::path directory, base::Fd lock)
      : directory_(std::move(directory)), lock_(std::move(lock)) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();
  /// Where the package is downloaded to, and where it is unpacked.
  [[nodiscard]] std::filesystem::path archive() const { return directory_ / "package.tar.gz"; }
  [[nodiscard]] std::filesystem::path program() const { return directory_ / "program"; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
  base::Fd lock_;
};

/// The files of this program, and how others take their place.
///
/// <root>/bin/svc-hostd is what people and units start: the launcher. An update is a directory of its own,
/// <root>/lib/svc/updates/<sha256>/ with bin, lib and share, and the launcher becomes a link to the program in it, by one rename: a
/// crash leaves either the old program or the new one whole. What the first installation has put into lib and share stays, as
/// the other programs of svc may be installed there.
///
/// Any thread, one call at a time; everything but the constructor reads or writes the disk.
class Installation {
 public:
  /// `bin` is the directory of the running program.
  explicit Installation(const std::filesystem::path& bin);

  /// `forbidden` says why this process cannot update it, and what to do.
  [[nodiscard]] Status checkReplaceable() const;
  /// `conflict` while another process updates the installation, `unavailable` when the disk refuses.
  [[nodiscard]] Result<std::shared_ptr<Staging>> stage() const;
  /// The unpacked program becomes the one that starts next; the one that starts now is kept. `unavailable`.
  [[nodiscard]] Status take(const Staging& staging, const std::string& sha256) const;
  /// The one that was kept starts next. `not_found` when there is none.
  [[nodiscard]] Status goBack() const;
  /// Forgets the one that was kept, and every update but the running one.
  void settle() const;

  [[nodiscard]] const std::filesystem::path& launcher() const { return launcher_; }
  /// Digest of the package from which the running program comes; empty for the first installation.
  [[nodiscard]] const std::string& running() const { return running_; }

 private:
  [[nodiscard]] std::filesystem::path updates() const { return root_ / "lib/svc/updates"; }
  [[nodiscard]] std::filesystem::path previous() const { return root_ / "bin/.svc-hostd.previous"; }
  [[nodiscard]] bool starts(const std::string& sha256) const;
  [[nodiscard]] Result<base::Fd> lock() const;

  std::filesystem::path root_;
  std::filesystem::path launcher_;
  std::string running_;
};

}  // namespace svc::serverlink
