#pragma once

#include <cstdint>
#include <string>

#include "svc/common/json.h"

#include "thread_book.h"

namespace svc::threads {

/// Says in the log that this thread goes on from another one, up to that event (0 = all of it), and what else its agent is to know.
void logFork(Edit& edit, storage::ThreadRow& thread, std::int64_t source_seq_end,
             const common::Json& seed);
/// The first message of a fork with what was said before in front of it, for the agent alone; every other message as it is. Blocks.
[[nodiscard]] common::Json withForkSeed(const Edit& edit, const storage::ThreadRow& thread,
                                        common::Json input);

}  // namespace svc::threads
