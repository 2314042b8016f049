#pragma once

#include <atomic>

namespace svc::database {

/// The file system of plugin databases: SQLite's own, except that waiting for a lock ends when the environment does.
/// SQLite asks nobody else while it waits, whatever busy timeout the plugin has set. Any thread.
[[nodiscard]] const char* pluginVfs();
/// The flag that ends the waits of this thread; null for none.
void setSleepCancelled(const std::atomic<bool>* cancelled);

}  // namespace svc::database
