#pragma once

#include "svc/common/json.h"
#include "svc/storage/plugin_store.h"

namespace svc::updates {

/// A row as a snapshot keeps it, and back. Members that are missing read as empty.
[[nodiscard]] common::Json rowJson(const storage::PluginRow& row);
[[nodiscard]] storage::PluginRow readRow(const common::Json& value);

/// True while both name the same installation: what a reload changes in a row does not count.
[[nodiscard]] bool sameInstallation(const storage::PluginRow& left,
                                    const storage::PluginRow& right);
/// As sameInstallation, whether or not the plugin is enabled.
[[nodiscard]] bool sameVersion(storage::PluginRow left, const storage::PluginRow& right);
/// False for a directory that is used in place and for what comes with the service: there is nothing to update.
[[nodiscard]] bool isManaged(const storage::PluginRow& row);

}  // namespace svc::updates
