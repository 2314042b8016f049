#pragma once

#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/storage/thread_store.h"

namespace svc::threads {

// The records of the contract.

[[nodiscard]] common::Json toRecord(const storage::ThreadRow& row, bool has_pending_interaction);
[[nodiscard]] common::Json toRecord(const storage::TurnRow& row);
[[nodiscard]] common::Json toRecord(const storage::ThreadEventRow& row);
[[nodiscard]] common::Json toRecord(const storage::QueuedMessageRow& row);
[[nodiscard]] common::Json toRecord(const storage::InteractionRow& row);
[[nodiscard]] common::Json toRecord(const storage::ThreadSectionRow& row);

/// What people see as its title.
[[nodiscard]] const std::string& shownTitle(const storage::ThreadRow& row);
/// JSON text of a column; null when it is empty or broken.
[[nodiscard]] common::Json parsed(const std::string& text);
[[nodiscard]] common::Json textOrNull(std::string_view text);
[[nodiscard]] common::Json timeOrNull(std::int64_t time);
/// A block that people see; others are for the agent alone.
[[nodiscard]] bool isShown(const common::Json& block);
/// The text blocks of an input that people see, one line each.
[[nodiscard]] std::string textOf(const common::Json& input);
/// At most `characters` of UTF-8 text, cut between two.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t characters);

}  // namespace svc::threads
