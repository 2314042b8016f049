#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/secret_mask.h"
#include "svc/storage/settings_store.h"

#include "job_queue.h"
#include "secret_files.h"

namespace svc::plugins {

/// What is saved of one plugin's settings: rows in the core database, secrets in files. It outlives the plugin's
/// generations, and every one of them reads from here, so a save during a reload reaches both. Environments decide what
/// fits; this class keeps, writes and tells. Main thread, except where it says otherwise.
class SavedSettings final : public std::enable_shared_from_this<SavedSettings> {
 public:
  struct Parts {
    IMainExecutor& main;
    IWorkerPool& workers;
    storage::ISettingsStore& store;
    ISecretMask& mask;
  };
  /// `saved` is called on the main thread after every save, when everyone who follows shows it or kRefreshWait is over.
  SavedSettings(std::string plugin_id, std::filesystem::path secrets, const Parts& with,
                std::function<void()> saved);

  /// Reads what is saved, behind the writes that wait. To be done before an environment starts.
  void load(Completion<void> done);
  /// How long news of a save waits for an environment that does not answer.
  static constexpr std::chrono::milliseconds kRefreshWait{1000};
  /// Shows what is saved now; `shown` fires on any thread.
  using Refresh = std::function<void(Completion<void> shown)>;
  /// `refresh` is called after every save for as long as `owner` lives.
  void follow(std::weak_ptr<void> owner, Refresh refresh);
  /// Finishes the write that runs and refuses what comes later.
  void close(Completion<void> done);
  void reopen() { closed_ = false; }

  /// `{ "values": { key: value }, "secrets": { key: text } }`. Thread-safe and quick.
  [[nodiscard]] std::string current() const;
  /// A JSON array of secrets that nobody has saved (defaults). Thread-safe.
  void protect(const std::string& secrets);
  /// Writes a JSON array of `{ key, secret, value }`, null removes: all of it or nothing. When it fails, what is there
  /// is what is saved. Thread-safe; `done` fires on the main thread.
  void write(const std::string& changes, Completion<void> done);

 private:
  struct Change {
    std::string key;
    storage::SettingChange row;
    SecretChange secret;
  };
  struct Saved {
    std::map<std::string, common::RawJson> values;
    std::map<std::string, std::string> secrets;
  };

  struct Follower {
    std::weak_ptr<void> owner;
    Refresh refresh;
  };

  Course<void> loadInTurn();
  Course<void> finishWrites();
  Course<void> writeInTurn(std::vector<Change> changes);
  void written(const std::vector<Change>& changes);
  /// That what is saved is another.
  void tell();
  /// Blocks.
  [[nodiscard]] Result<Saved> read();
  [[nodiscard]] bool holdsSecret(const std::string& key) const;
  [[nodiscard]] bool changesSomething(const std::vector<Change>& changes) const;
  /// What undoes them.
  [[nodiscard]] std::vector<storage::SettingChange> rowsAsTheyAre(
      const std::vector<Change>& changes) const;
  void mask(const std::string& slot, const std::string& secret);
  Status adopt(Result<Saved> saved);
  void maskAll(const std::map<std::string, std::string>& secrets);
  [[nodiscard]] Status refuseWhenClosed() const;

  const std::string plugin_id_;
  const SecretFiles files_;
  const Parts with_;
  const std::function<void()> saved_;
  JobQueue queue_;
  std::vector<Follower> followers_;
  bool closed_ = false;

  mutable std::mutex mutex_;
  Saved current_;
  /// The present secret of each key and the one before it, which the generation that goes may still write.
  std::map<std::string, std::array<Handle, 2>> masks_;
};

}  // namespace svc::plugins
