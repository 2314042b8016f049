#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "svc/common/json.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"

#include "agent_starter.h"

namespace svc::agentd {

/// Which agents this machine has. Thread-safe.
class Providers {
 public:
  Providers(std::shared_ptr<AgentStarter> starter, const IClock& clock)
      : starter_(std::move(starter)), clock_(clock) {}

  /// agent.providers. Blocks: programs that are new or have changed are asked for their version.
  [[nodiscard]] Result<std::string> list(const std::string& command);
  /// What sessions have found out.
  void signedIn(const std::string& provider_id, bool yes);

 private:
  struct Known {
    std::int64_t changed = 0;
    std::string version;
  };
  struct Agent {
    std::string id;
    std::string display_name;
    std::string command;
    base::Environment environment;
    const Preset* preset = nullptr;
    bool configured = false;
  };
  [[nodiscard]] static Result<std::map<std::string, Agent>> wanted(const std::string& command);
  [[nodiscard]] common::Json describe(const Agent& agent,
                                      std::chrono::steady_clock::time_point until);
  [[nodiscard]] std::string versionOf(const std::string& program, const Agent& agent,
                                      std::chrono::steady_clock::time_point until);
  [[nodiscard]] std::string signInOf(const std::string& id);

  const std::shared_ptr<AgentStarter> starter_;
  const IClock& clock_;
  std::mutex mutex_;
  std::map<std::string, Known> versions_;
  std::map<std::string, bool> signed_in_;
};

/// The first that looks like a version; empty for none.
[[nodiscard]] std::string versionIn(std::string_view text);

}  // namespace svc::agentd
