#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "pick.h"
#include "process.h"

namespace svc::installs {

/// One version of a package as its registry describes it.
struct PackageInfo {
  std::string manifest;  ///< package.json, as JSON text
  std::string version;
  std::string integrity;  ///< subresource integrity of the tarball
  std::string registry;   ///< where the tarball is
};

/// The machine's npm, so that .npmrc, proxies and credentials work as they do for its user. Thread-safe; blocks.
/// Errors: `install_refused` (not_found) for what the registry does not have, `unavailable` for the rest.
class NpmClient {
 public:
  explicit NpmClient(IProcesses& processes) : processes_(processes) {}

  [[nodiscard]] Result<PackageVersions> versions(const SourceSpec& spec,
                                                 const std::filesystem::path& directory,
                                                 const std::stop_token& stop);
  [[nodiscard]] Result<PackageInfo> info(const SourceSpec& spec, const std::string& version,
                                         const std::filesystem::path& directory,
                                         const std::stop_token& stop);
  /// Downloads a version's tarball into `directory`; its path.
  [[nodiscard]] Result<std::filesystem::path> download(const SourceSpec& spec,
                                                       const std::string& version,
                                                       const std::filesystem::path& directory,
                                                       const std::stop_token& stop);
  /// Installs the production dependencies of a package in its own directory, running no scripts. What they name of this machine lies
  /// below `within`, which has the package. The package.json and lock file are the same afterwards.
  [[nodiscard]] Status installDependencies(const std::filesystem::path& root,
                                           const std::filesystem::path& within,
                                           const std::stop_token& stop);

 private:
  using Variables = std::vector<std::pair<std::string, std::string>>;
  /// Nothing but registries is asked, whatever they name, and not for long.
  [[nodiscard]] Result<Output> ask(std::vector<std::string> arguments, const SourceSpec& spec,
                                   const std::filesystem::path& directory,
                                   const std::stop_token& stop);
  [[nodiscard]] Result<Output> run(std::vector<std::string> arguments, const SourceSpec& spec,
                                   const std::filesystem::path& directory, Variables more,
                                   std::chrono::milliseconds timeout, const std::stop_token& stop);
  /// Whether an address that a registry announces is one that packages are fetched from.
  [[nodiscard]] Status checkTarball(const std::string& tarball, const SourceSpec& spec,
                                    const std::filesystem::path& directory,
                                    const std::stop_token& stop);

  IProcesses& processes_;
};

}  // namespace svc::installs
