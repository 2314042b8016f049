#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "pick.h"
#include "process.h"

namespace svc::installs {

/// The machine's git, with its credential helpers and keys, but without prompts, hooks and submodules. Thread-safe;
/// blocks. Errors: `install_refused` (not_found), `unavailable`.
class GitClient {
 public:
  explicit GitClient(IProcesses& processes) : processes_(processes) {}

  [[nodiscard]] Result<std::vector<RemoteRef>> refs(const std::string& url,
                                                    const std::filesystem::path& directory,
                                                    const std::stop_token& stop);
  /// Fetches one commit into a new repository at `repository`. Without `contents` files come when they are asked for,
  /// where the server can do that.
  [[nodiscard]] Status fetch(const std::string& url, const GitChoice& choice,
                             const std::filesystem::path& repository, bool contents,
                             const std::stop_token& stop);
  /// A file of the commit as text; `not_found` when there is none.
  [[nodiscard]] Result<std::string> show(const std::filesystem::path& repository,
                                         const std::string& commit, const std::string& file,
                                         const std::stop_token& stop);
  /// Writes the commit's files, without any versioning, into the existing directory `target`.
  [[nodiscard]] Status checkout(const std::filesystem::path& repository, const std::string& commit,
                                const std::filesystem::path& target, const std::stop_token& stop);

 private:
  /// Of the files that checkout() would write.
  [[nodiscard]] Status checkSize(const std::filesystem::path& repository, const std::string& commit,
                                 const std::stop_token& stop);
  /// `url` is the address that the arguments speak to, if any.
  [[nodiscard]] Result<Output> run(std::vector<std::string> arguments,
                                   const std::filesystem::path& directory,
                                   const std::stop_token& stop, const std::string& url = {},
                                   std::chrono::milliseconds timeout = limits::kFetchTool);

  IProcesses& processes_;
};

/// "host" and "owner/name" of a repository's address, for the cache. A local one has host "local".
struct RepositoryName {
  std::string host;
  std::string path;
};
[[nodiscard]] RepositoryName repositoryName(const std::string& url);

}  // namespace svc::installs
