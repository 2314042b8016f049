#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "child.h"

namespace svc::test {

/// A git repository a test commits to, without the developer's configuration.
class GitRepository {
 public:
  GitRepository();
  void write(const std::string& file, const std::string& text) const;
  /// The files of a plugin whose RPC method `get` answers `version`.
  void writePlugin(const std::string& id, const std::string& version,
                   const std::string& directory = "") const;
  void commit() const;
  void tag(const std::string& name) const;
  void git(std::vector<std::string> arguments) const;
  [[nodiscard]] std::string url() const { return "file://" + directory_.path().string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }

 private:
  TempDir directory_;
};

/// An npm registry on a port of its own. While the object lives, the environment of this process makes npm use it.
class NpmRegistry {
 public:
  NpmRegistry();
  ~NpmRegistry();
  NpmRegistry(const NpmRegistry&) = delete;
  NpmRegistry& operator=(const NpmRegistry&) = delete;

  /// Publishes a plugin as GitRepository::writePlugin has it; `engine` is engines.svc.
  void publish(const std::string& package, const std::string& version,
               const std::string& engine = "*") const;
  void write(const std::string& file, const std::string& text) const;

 private:
  TempDir directory_;
  std::unique_ptr<Child> server_;
};

}  // namespace svc::test
