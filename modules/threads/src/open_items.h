#pragma once

#include "live_texts.h"
#include "thread_book.h"

namespace svc::threads {

/// Ends what the turn has begun and not ended, for an agent that cannot do so any more: the item as it was told last, with the text that
/// is known beyond it, and interrupted. Blocks on the store.
void closeOpenItems(Edit& edit, storage::ThreadRow& thread, const storage::TurnRow& turn,
                    const LiveTexts::Texts& texts);

}  // namespace svc::threads
