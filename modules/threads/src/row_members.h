#pragma once

#include <string>

#include "svc/common/json.h"
#include "svc/storage/thread_store.h"

namespace svc::threads {

// What rows of the timeline show of an item or of an input, as members of the contract. Pure.

/// The statuses of items as rows have them.
[[nodiscard]] std::string rowStatus(const std::string& status);

/// Of the blocks of an input; null without any.
[[nodiscard]] common::Json attachmentsOf(const common::Json& input);
[[nodiscard]] common::Json mentionsOf(const common::Json& input);

/// Lines that a unified diff adds and takes away.
[[nodiscard]] common::Json diffStats(const std::string& diff);

/// The members of a work row of this item; null for one that is no work.
[[nodiscard]] common::Json workOf(const storage::ThreadEventRow& event, const common::Json& item);

}  // namespace svc::threads
