#include "sqlite_plugin_store.h"

#include <future>

#include "svc/kernel/thread_role.h"
#include "svc/storage/plugin_row_limits.h"

namespace svc::storage {
namespace {

// The scope of the plugin rows: no key-value namespace is empty.
constexpr const char* kScope = "";

void assertMayBlock() {
  const auto role = threadRole();
  SVC_ASSERT(role != ThreadRole::kStore && role != ThreadRole::kIo && role != ThreadRole::kScript);
}

}  // namespace

template <class Body>
auto SqlitePluginStore::wait(Access access, Body body) -> std::invoke_result_t<Body> {
  assertMayBlock();
  using Outcome = std::invoke_result_t<Body>;
  // Shared, because the store thread may still be inside set_value() when get() returns.
  auto promise = std::make_shared<std::promise<Outcome>>();
  auto answer = promise->get_future();
  Completion<typename Outcome::value_type> done(
      [promise](Outcome outcome) { promise->set_value(std::move(outcome)); });
  thread_.submit(makeRequest(access, kScope, 0, std::move(body), std::move(done)));
  return answer.get();
}

Result<std::vector<PluginRow>> SqlitePluginStore::list() {
  return wait(Access::kRead, [this]() -> Result<std::vector<PluginRow>> { return table_.list(); });
}

Result<std::optional<PluginRow>> SqlitePluginStore::find(const std::string& plugin_id) {
  return wait(Access::kRead, [this, plugin_id]() -> Result<std::optional<PluginRow>> {
    return table_.find(plugin_id);
  });
}

Status SqlitePluginStore::put(const PluginRow& row) {
  if (auto valid = checkRow(row); !valid) {
    return valid;
  }
  return wait(Access::kWrite, [this, row]() -> Status { return table_.put(row), Status{}; });
}

Status SqlitePluginStore::remove(const std::string& plugin_id) {
  return wait(Access::kWrite, [this, plugin_id]() -> Status {
    return table_.remove(plugin_id) ? Status{} : Status{noSuchPlugin(plugin_id)};
  });
}

}  // namespace svc::storage
