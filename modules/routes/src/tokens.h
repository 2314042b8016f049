#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/secret_mask.h"

namespace svc::routes {

/// The HTTP tokens of plugins, one file each: `<plugins>/<id>/secrets/.http-token`, mode 0600. The file is looked at for
/// every check and read when it is another one, so what replaces it counts from the next request on. Thread-safe; completions fire on a
/// worker, or on the caller's thread when the token is known or no worker is free.
class Tokens : public std::enable_shared_from_this<Tokens> {
 public:
  /// `plugins`: the folder with one folder for each plugin. `mask` may be null.
  Tokens(std::filesystem::path plugins, IWorkerPool& workers, plugins::ISecretMask* mask)
      : plugins_(std::move(plugins)), workers_(workers), mask_(mask) {}

  /// Whether this is the plugin's token. Never creates one.
  void check(std::string plugin_id, std::string presented, Completion<bool> done);
  enum class Rotate : bool { kNo, kYes };
  /// The plugin's token; a new one when there is none yet, or when asked for.
  void issue(std::string plugin_id, Rotate rotate, Completion<std::string> done);
  /// Keeps the plugin's token out of logs from now on.
  void learn(const std::string& plugin_id);

 private:
  /// What changes when a file is written or replaced.
  struct FileState {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;
    std::int64_t size = -1;
    bool operator==(const FileState&) const = default;
  };
  struct Known {
    FileState file{};
    std::optional<std::string> token{};
  };
  [[nodiscard]] FileState stateOf(const std::string& plugin_id) const;
  /// The file as it is now, when that has been read already.
  [[nodiscard]] std::optional<Known> known(const std::string& plugin_id);
  [[nodiscard]] std::filesystem::path fileOf(const std::string& plugin_id) const;
  [[nodiscard]] Result<std::optional<std::string>> read(const std::string& plugin_id);
  [[nodiscard]] Result<std::string> issueNow(const std::string& plugin_id, Rotate rotate);
  void maskToken(const std::string& plugin_id, const std::string& token);

  const std::filesystem::path plugins_;
  IWorkerPool& workers_;
  plugins::ISecretMask* const mask_;
  std::mutex issuing_;  // one writer at a time
  std::mutex mutex_;
  std::map<std::string, std::pair<std::string, Handle>> masked_;
  std::map<std::string, Known> known_;
};

}  // namespace svc::routes
