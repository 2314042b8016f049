#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/config.h"
#include "svc/kernel/result.h"

namespace svc::providers {

inline constexpr std::string_view kAgentsKey = "agents";

/// One member of the configuration key `agents`.
struct ConfiguredAgent {
  std::string id{};
  std::string display_name{};  ///< empty = the id, or the name the machine knows
  std::string command{};
  std::vector<std::string> args{};
  std::map<std::string, std::string> env{};
  std::vector<std::string> hosts{};  ///< ids or names of machines; empty = all

  /// As `agent.open` and `agent.providers` take it.
  [[nodiscard]] common::Json commandJson() const;
};

/// By id. The error names the member that is wrong.
[[nodiscard]] Result<std::map<std::string, ConfiguredAgent>> readAgents(
    const std::string& json_text);

/// The same as a rule of the key.
[[nodiscard]] Status checkAgents(const IConfig& config, std::string_view key);

}  // namespace svc::providers
