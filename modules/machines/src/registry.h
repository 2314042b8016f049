#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/logger.h>

#include "svc/common/json.h"
#include "svc/kernel/executor.h"
#include "svc/machines/host_registry.h"
#include "svc/storage/host_store.h"

#include "host_record.h"

namespace svc::machines {

/// Called without locks, on the thread that made the change: `change` is "host-updated", "host-connected" or
/// "host-disconnected".
using HostAnnouncer = std::function<void(const std::string& host_id, const char* change)>;

struct IssuedKey {
  std::string key;
  std::string host_id;
  std::int64_t expires_at = 0;
};

struct EnrollRequest {
  std::optional<std::string> host_id{};
  std::string host_name{};
  std::string host_type{};
};

struct Enrolled {
  std::string host_id;
  std::string host_key;
  std::string host_name;  ///< as it is called now
};

/// Machines and keys in memory, and their way into the store. Thread-safe. What says that it blocks waits for the store:
/// never on the io thread. What does not is quick; the store follows on a worker.
class Registry final : public IHostRegistry {
 public:
  /// `has_daemon_for`: whether the server can give a daemon to machines of a platform. Any thread, quick.
  Registry(storage::IHostStore& store, IWorkerPool& workers, const IClock& clock,
           HostAnnouncer announce, std::function<bool(std::string_view platform)> has_daemon_for,
           std::shared_ptr<spdlog::logger> log);

  /// Reads what is stored and adds the server's own machine when it is missing. Blocks.
  [[nodiscard]] Status open(const std::string& server_name);
  /// Stores what has not been stored yet. Blocks.
  void flush();

  [[nodiscard]] std::vector<Host> list() const override;
  [[nodiscard]] std::optional<Host> find(std::string_view host_id) const override;
  [[nodiscard]] Result<std::string> authenticate(std::string_view host_key) override;
  void connected(const std::string& host_id, const SessionFacts& facts) override;
  void disconnected(const std::string& host_id) override;
  void seen(const std::string& host_id) override;
  [[nodiscard]] bool rejectedProtocol(const std::string& host_id, int protocol_version,
                                      std::string_view platform) override;
  [[nodiscard]] Handle onRemoved(std::function<void(const std::string& host_id)> listener) override;

  /// Whether it is the key of a host. Unlike authenticate() this is no use of the key.
  [[nodiscard]] bool isHostKey(std::string_view key) const;
  /// Records, in the order of list().
  [[nodiscard]] common::Json records() const;
  /// `not_found` says how to find the ids.
  [[nodiscard]] Result<common::Json> record(std::string_view host_id) const;
  [[nodiscard]] std::string serverHostId() const;
  /// What the record of the server's machine says while its daemon is not connected. Empty = nothing special.
  void setServerNote(std::string note);

  /// What a daemon says about its last update; empty = nothing failed. When a person has last asked for another try (ms since
  /// 1970), 0 = never.
  [[nodiscard]] std::int64_t reportUpdate(const std::string& host_id, const std::string& failure);
  /// Lets the daemon of a host, when it asks the next time, try an update again that has failed; the record. `not_found`;
  /// `conflict` says why there is nothing to try.
  [[nodiscard]] Result<common::Json> retryUpdate(const std::string& host_id);

  /// The record with its new name, which has a number behind it when another host has it. Blocks. `not_found`.
  [[nodiscard]] Result<common::Json> rename(const std::string& host_id, const std::string& name);
  /// Its keys are worthless afterwards. Blocks. `not_found`; `conflict` for the server's own machine.
  [[nodiscard]] Status remove(const std::string& host_id);
  /// A key for one enrollment of this host, or of a new one; earlier ones for it are void. `name`: what the host is to be
  /// called, empty = as its daemon says. Blocks. `conflict`: a join code for the server's own machine; `overloaded`.
  [[nodiscard]] Result<IssuedKey> issueKey(storage::HostKeyKind kind,
                                           const std::optional<std::string>& host_id,
                                           const std::string& name);
  /// Whether an enrollment could use this key now; `unauthorized` says what is wrong with it.
  [[nodiscard]] Status checkEnrollKey(std::string_view enroll_key) const;
  /// Uses up the key. Blocks: the answer is durable. `unauthorized` says what is wrong with the key.
  [[nodiscard]] Result<Enrolled> enroll(std::string_view enroll_key, const EnrollRequest& request);

 private:
  using Keys = std::map<std::string, storage::HostKeyRow, std::less<>>;

  // With mutex_ held.
  [[nodiscard]] std::vector<const HostEntry*> sorted() const;
  [[nodiscard]] std::string uniqueNameFor(const std::string& host_id,
                                          const std::string& wanted) const;
  [[nodiscard]] Result<storage::HostKeyRow> usableEnrollKey(
      const std::string& hash, const std::optional<std::string>& host_id) const;
  [[nodiscard]] storage::HostRow enrolledRow(const storage::HostKeyRow& key,
                                             const EnrollRequest& request) const;
  /// The host goes; its keys are remembered as those of a removed one.
  [[nodiscard]] storage::HostChange removal(const std::string& host_id) const;
  [[nodiscard]] std::vector<std::string> uselessEnrollKeys(const std::string& host_id) const;
  [[nodiscard]] std::int64_t nextKeyTime(const std::string& host_id) const;
  void adopt(const storage::HostChange& change);

  /// Stores the rows that have changed in memory, later.
  void flushLater();
  /// With mutex_ held: the host's daemon is alive now.
  void touch(HostEntry& entry);

  storage::IHostStore& store_;
  IWorkerPool& workers_;
  const IClock& clock_;
  const HostAnnouncer announce_;
  const std::function<bool(std::string_view)> has_daemon_for_;
  const std::shared_ptr<spdlog::logger> log_;

  /// One writer at a time, so that no row overtakes a newer one; taken before mutex_, never on the io thread.
  std::mutex write_mutex_;
  mutable std::mutex mutex_;
  std::map<std::string, HostEntry, std::less<>> hosts_;
  Keys keys_;
  std::set<std::string> dirty_hosts_;
  std::set<std::string> dirty_keys_;
  std::set<std::string> gone_keys_;
  bool flush_waits_ = false;

  struct Listeners {
    std::mutex mutex;
    std::uint64_t last = 0;
    std::map<std::uint64_t, std::function<void(const std::string&)>> all;
  };
  const std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
};

}  // namespace svc::machines
