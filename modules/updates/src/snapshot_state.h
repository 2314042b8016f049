#pragma once

#include <string>

#include "svc/kernel/result.h"
#include "svc/storage/snapshot_store.h"

#include "snapshots.h"

namespace svc::updates {

// What the file state.json of a snapshot says. Values of plugins are kept as text: they may nest deeper than the parser
// of this program goes.

[[nodiscard]] std::string stateText(const Snapshot& snapshot, const storage::PluginData& data);
[[nodiscard]] Status readState(const std::string& text, Snapshot& snapshot,
                               storage::PluginData& data);

}  // namespace svc::updates
