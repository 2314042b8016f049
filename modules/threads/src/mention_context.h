#pragma once

#include "svc/agents/mention_providers.h"
#include "svc/common/json.h"
#include "svc/kernel/completion.h"

namespace svc::threads {

/// Whether plugins have to be asked what this input means.
[[nodiscard]] bool hasPluginMentions(const common::Json& input);

/// The input, and after it what plugins say about each distinct item that is mentioned, in blocks that only the agent sees. The error
/// of the first that fails names the provider. Calls from any thread; fires on the io thread, or at once.
void resolveMentions(agents::IMentionProviders& providers, common::Json input,
                     Completion<common::Json> done);

}  // namespace svc::threads
