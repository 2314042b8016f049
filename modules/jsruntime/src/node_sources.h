#pragma once

#include <filesystem>
#include <string>

namespace svc::jsruntime {

/// Debian's Node reads some of its own scripts from /usr/share/nodejs when the library is loaded, and ends the process where one is
/// missing. Where the distribution does not have them, they lie in share/svc/nodejs of the installation: an archive that
/// was unpacked anywhere brings them along. Thread-safe.
class NodeSources {
 public:
  /// `own`: the folder that stands for /usr/share/nodejs.
  explicit NodeSources(std::filesystem::path own) : own_(std::move(own)) {}
  /// Of the installation this library belongs to.
  [[nodiscard]] static const NodeSources& ofThisProgram();

  /// The file of the installation for one below /usr/share/nodejs that is missing there; empty for every other path.
  [[nodiscard]] std::string insteadOf(const char* path) const;

 private:
  std::filesystem::path own_;
};

}  // namespace svc::jsruntime
