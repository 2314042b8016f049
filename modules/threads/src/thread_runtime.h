#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/hosts/host_messages.h"
#include "svc/kernel/executor.h"
#include "svc/storage/thread_store.h"

namespace svc::threads {

/// What keeps a busy thread from going on, for those who look at it: its machine, or its environment that is being made. Thread-safe.
class ThreadRuntime final : public hosts::IHostListener {
 public:
  /// Something has changed for threads that are busy on this machine. Called without locks.
  using Changed = std::function<void(const std::string& host_id)>;
  /// Whether a thread is busy on this machine. Called without locks, on any thread.
  using Busy = std::function<bool(const std::string& host_id)>;
  ThreadRuntime(const IClock& clock, Changed changed, Busy busy)
      : clock_(clock), changed_(std::move(changed)), busy_(std::move(busy)) {}

  /// `{ displayStatus, hostReconnectGraceExpiresAt | null }`
  [[nodiscard]] common::Json of(const storage::ThreadRow& row) const;
  /// Steps are done for the environment it waits for, or no more. Whoever calls tells of it.
  void setProvisioning(const std::string& thread_id, bool is);

  void hostOpened(const std::string& host_id) override;
  void hostClosed(const std::string& host_id) override;
  void hostGone(const std::string& host_id) override;
  [[nodiscard]] bool hasWork(const std::string& host_id) override { return busy_(host_id); }
  void hostMessage(const std::string& /*host_id*/, std::string_view /*type*/,
                   std::string_view /*text*/) override {}

 private:
  const IClock& clock_;
  const Changed changed_;
  const Busy busy_;
  mutable std::mutex mutex_;
  std::set<std::string> connected_;
  std::map<std::string, std::int64_t> graces_;  ///< when they end, by machine
  std::set<std::string> provisioning_;
};

}  // namespace svc::threads
