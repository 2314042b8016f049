#include "sweeper.h"

#include <utility>

namespace svc::installs {

void Sweeper::look(const std::vector<plugins::PluginRecord>& records) {
  std::map<std::string, std::string> now;
  std::vector<std::string> in_use;
  for (const auto& record : records) {
    now.emplace(record.id, record.root_dir);
    in_use.push_back(record.root_dir);
  }
  std::vector<std::string> gone;
  for (const auto& [id, root] : roots_) {
    // A plugin that was switched to another version keeps the earlier one: a rollback may need it.
    if (!now.contains(id) && cache_.contains(root)) {
      gone.push_back(root);
    }
  }
  roots_ = std::move(now);
  if (gone.empty()) {
    return;
  }
  work_.run<void>(
      {},
      [&cache = cache_, gone, in_use](const std::stop_token&) -> Status {
        for (const auto& root : gone) {
          cache.release(root, in_use);
        }
        return {};
      },
      [](const Status&) {});
}

}  // namespace svc::installs
