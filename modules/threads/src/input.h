#pragma once

#include <string>
#include <string_view>

#include "svc/common/body_reader.h"

namespace svc::threads {

/// The message of a request: its member `input`, or `prompt`, which is one text block. Checked; null with an issue in the body when it is
/// wrong, null when there is none.
[[nodiscard]] common::Json readInput(common::BodyReader& body);
/// Blocks in another member, which may be absent: then null. Checked in the same way, but for what they may say.
[[nodiscard]] common::Json readBlocks(common::BodyReader& body, const char* member);
/// The member executionInputSources; null when there is none.
[[nodiscard]] common::Json readSources(common::BodyReader& body);
/// The members model, reasoningLevel, serviceTier and permissionMode that are given; older names are replaced.
[[nodiscard]] common::Json readExecution(common::BodyReader& body);
/// An issue for a member reasoningLevel that is none of the levels; empty = it is not given.
void checkReasoningLevel(common::BodyReader& body, std::string_view level);
/// Of the first line of the first text; "New thread" without one.
[[nodiscard]] std::string titleFallbackOf(const common::Json& input);

}  // namespace svc::threads
