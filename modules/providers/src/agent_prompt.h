#pragma once

#include <functional>
#include <string>

#include "svc/common/json.h"
#include "svc/kernel/result.h"
#include "svc/projects/attachments.h"

#include "outfit.h"

namespace svc::providers {

/// What decides over the form of what an agent is told.
struct PromptPlace {
  std::string cwd{};            ///< where relative paths of mentions lie
  common::Json capabilities{};  ///< promptCapabilities of ACP
  bool on_server = true;        ///< the agent's machine has the files that were attached
};

/// The bytes of an attachment; `not_found` for the path of another file.
using ReadAttachment = std::function<Result<projects::AttachmentContent>(const std::string& path)>;

/// Whether there is anything that contentBlocks() reads.
[[nodiscard]] bool hasFiles(const common::Json& input);

/// Input blocks of the contract as content blocks of ACP. Attachments are within it as far as the agent takes them so and the limits of
/// prompt_limits.h let them; else they are links that the agent opens itself, or said to be missing where it cannot. Blocks in `read`,
/// which may be empty.
[[nodiscard]] common::Json contentBlocks(const common::Json& input, const PromptPlace& place,
                                         const ReadAttachment& read = {});

/// What an agent is told before its first prompt; empty without instructions.
[[nodiscard]] std::string preambleOf(const std::string& instructions,
                                     const std::vector<OfferedSkill>& skills);

/// "ask", "edits" or "all", as agent.open has it.
[[nodiscard]] const char* approvalOf(const common::Json& execution);

}  // namespace svc::providers
