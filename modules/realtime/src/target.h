#pragma once

#include <string>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::realtime {

/// The key of a subscription target: "thread-list", "system", "thread-detail:<id>". The error says what is wrong with
/// the target a client sent.
[[nodiscard]] Result<std::string> targetKey(const common::Json& target);

/// The keys that a change of this record matches; `detail` is empty without an id.
struct ChangeKeys {
  std::string list;
  std::string detail;
};
[[nodiscard]] ChangeKeys changeKeys(const std::string& entity, const std::string& id);

}  // namespace svc::realtime
