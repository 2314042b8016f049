#include "thread_runtime.h"

#include "svc/common/limits/hosts.h"

#include "thread_machine.h"
#include "thread_record.h"

namespace svc::threads {

using common::Json;

Json ThreadRuntime::of(const storage::ThreadRow& row) const {
  std::string_view shown = row.status;
  std::int64_t grace = 0;
  const auto state = threadStateOf(row.status);
  if (state && isBusy(*state)) {
    const auto host_id = parsed(row.environment)["hostId"].asString();
    const std::scoped_lock lock(mutex_);
    if (const auto away = graces_.find(host_id); away != graces_.end()) {
      shown = "host-reconnecting";
      grace = away->second;
    } else if (*state == ThreadState::kStarting && !host_id.empty() &&
               !connected_.contains(host_id)) {
      shown = "waiting-for-host";
    } else if (*state == ThreadState::kStarting && provisioning_.contains(row.id)) {
      shown = "provisioning";
    }
  }
  return Json::object()
      .set("displayStatus", shown)
      .set("hostReconnectGraceExpiresAt", timeOrNull(grace));
}

void ThreadRuntime::setProvisioning(const std::string& thread_id, bool is) {
  const std::scoped_lock lock(mutex_);
  if (is) {
    provisioning_.insert(thread_id);
  } else {
    provisioning_.erase(thread_id);
  }
}

void ThreadRuntime::hostOpened(const std::string& host_id) {
  {
    const std::scoped_lock lock(mutex_);
    connected_.insert(host_id);
    graces_.erase(host_id);
  }
  changed_(host_id);
}

void ThreadRuntime::hostClosed(const std::string& host_id) {
  {
    const std::scoped_lock lock(mutex_);
    connected_.erase(host_id);
    graces_[host_id] = clock_.nowMs() + limits::kSessionWorkGrace.count();
  }
  changed_(host_id);
}

void ThreadRuntime::hostGone(const std::string& host_id) {
  {
    const std::scoped_lock lock(mutex_);
    graces_.erase(host_id);
  }
  changed_(host_id);
}

}  // namespace svc::threads
