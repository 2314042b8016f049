#pragma once

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

/// True when both are the same. The time it takes depends on the lengths alone.
[[nodiscard]] bool sameToken(std::string_view left, std::string_view right);
/// lim.httpToken random bytes in hexadecimal.
[[nodiscard]] Result<std::string> randomToken();

/// The HTTP tokens of plugins, one file each: `<plugins>/<id>/secrets/.http-token`, mode 0600. The file is read for every
/// check, so what replaces it counts from the next request on. Thread-safe; completions fire on a worker, or on the
/// caller's thread when no worker is free.
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
};

}  // namespace svc::routes
