#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::environments {

/// An EnvironmentIntent of the contract. Pure.
struct Intent {
  enum class Kind : std::uint8_t { kProjectDefault, kReuse, kUnmanaged, kWorktree, kPersonal };
  Kind kind = Kind::kProjectDefault;
  std::string environment_id{};  ///< of kReuse
  std::string host_id{};         ///< empty = the server's machine
  std::string path{};            ///< of kUnmanaged; empty = the project's source there
  /// What an unmanaged folder is to have checked out.
  struct Branch {
    std::string name{};  ///< of a new one: empty, its owner names it
    bool is_new = false;
    std::string base{};
  };
  std::optional<Branch> branch{};
  std::string base_branch{};  ///< of kWorktree; empty = the default
};

/// `invalid_input` names what is wrong.
[[nodiscard]] Result<Intent> readIntent(const common::Json& intent);

}  // namespace svc::environments
