#include <array>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "plugin_files.h"
#include "plugin_manager.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;
using Kept = std::vector<std::string>;

storage::PluginRow rowFor(const InstallCandidate& candidate, const std::string& source,
                          std::int64_t now) {
  storage::PluginRow row;
  row.id = candidate.manifest.id;
  row.source = source;
  row.root_dir = candidate.root.string();
  row.version = candidate.manifest.version;
  row.installed_at = now;
  row.updated_at = now;
  return row;
}

/// `svc.onInstall`: what goes wrong is in the plugin's log, and the install succeeds all the same.
Course<void> runInstallHooks(IExecutor& main, std::shared_ptr<Generation> generation) {
  if (generation->registration("install").isNull()) {
    co_return {};
  }
  Error late{errc::kTimeout, fmt::format("they did not finish within {} ms (limit onInstall)",
                                         limits::kOnInstall.count())};
  const auto ended = co_await ask(*generation, &Generation::call, "plugin.runInstallHooks", "")
                         .on(main)
                         .within(main, limits::kOnInstall, std::move(late));
  if (!ended) {
    generation->log("warn", fmt::format("the onInstall hooks failed: {}", ended.error().message));
  }
  co_return {};
}

/// What no removal reaches: it lies on machines, some of which are away.
constexpr std::string_view kKeptOnMachines =
    "data of its host entry on machines (plugin-data/{} in the data directory of svc-hostd)";

/// What a removal without purge leaves behind, for people.
Kept keptParts(const fs::path& directory, std::size_t keys, std::size_t threads) {
  Kept out;
  if (keys > 0) {
    out.push_back(fmt::format("kv: {} {}", keys, keys == 1 ? "key" : "keys"));
  }
  if (threads > 0) {
    out.push_back(
        fmt::format("thread metadata: {} {}", threads, threads == 1 ? "thread" : "threads"));
  }
  std::error_code failure;
  const auto size = fs::file_size(directory / "data.db", failure);
  if (!failure) {
    out.push_back(fmt::format("data.db: {}", sizeText(size)));
  }
  if (fs::exists(directory / "logs" / "plugin.log", failure)) {
    out.emplace_back("logs");
  }
  return out;
}

}  // namespace

Status PluginManager::settleBuiltins(std::map<std::string, storage::PluginRow>& rows) {
  for (const auto& name : settings_.builtin.names()) {
    const auto root = settings_.builtin.directoryOf(name);
    const auto found = rows.find(name);
    const bool wanted = isWanted(settings_.wanted_builtin, name);
    if (found == rows.end()) {
      if (wanted) {
        const auto row = builtinRow(name, root, with_.clock.nowMs());
        if (auto status = with_.store.put(row); !status) {
          return status;
        }
        rows.emplace(name, row);
      }
    } else if (found->second.source_kind != kBuiltinKind) {
      if (wanted) {
        with_.log->warn("the bundled plugin {} is left out: its id belongs to the one from {}",
                        name, found->second.source);
      }
    } else if (found->second.root_dir != root.string()) {
      // Another version of the service, in another place. What the plugin has stored stays.
      found->second.root_dir = root.string();
      if (auto status = with_.store.put(found->second); !status) {
        return status;
      }
    }
  }
  return {};
}

void PluginManager::install(std::string source, Completion<PluginRecord> done) {
  if (source.starts_with(kBuiltinPrefix)) {
    startOnMain(std::move(done), &PluginManager::installBuiltin,
                source.substr(kBuiltinPrefix.size()));
    return;
  }
  startOnMain(std::move(done), &PluginManager::installDirectory, std::move(source));
}

Course<PluginRecord> PluginManager::installDirectory(std::string source) {
  const auto self = shared_from_this();
  auto registered = co_await registry_.turn();
  if (!registered) {
    co_return std::move(registered).error();
  }
  if (with_.safe_mode->on()) {
    co_return heldBack("");
  }
  const auto inspect = [source] { return inspectSource(source); };
  auto candidate = co_await onWorker(with_.workers, with_.main, inspect);
  if (!candidate) {
    co_return std::move(candidate).error();
  }
  const auto& id = candidate.value().manifest.id;
  if (auto admitted = directoryAdmission(id); !admitted) {
    co_return std::move(admitted).error();
  }
  auto plugin = find(id);
  if (!source.starts_with("path:")) {
    source = "path:" + candidate.value().root.string();
  }
  auto row = rowFor(candidate.value(), source, with_.clock.nowMs());
  if (plugin) {
    row.enabled = plugin->row.enabled;
    row.installed_at = plugin->row.installed_at;
  } else {
    plugin = std::make_shared<PluginState>(row, with_.main);
  }
  auto record = co_await registerPlugin(plugin, row, std::move(registered).value());
  co_return record;
}

Course<PluginRecord> PluginManager::installBuiltin(std::string name) {
  const auto self = shared_from_this();
  auto registered = co_await registry_.turn();
  if (!registered) {
    co_return std::move(registered).error();
  }
  if (with_.safe_mode->on()) {
    co_return heldBack("");
  }
  const auto root = builtinDirectory(name);
  if (root.empty()) {
    co_return refused("not_found", fmt::format("this service has no bundled plugin \"{}\"", name));
  }
  auto plugin = find(name);
  if (plugin && plugin->row.source_kind != kBuiltinKind) {
    co_return idInUse(plugin->row);
  }
  auto row = builtinRow(name, root, with_.clock.nowMs());
  if (plugin) {
    row.enabled = plugin->row.enabled;
    row.installed_at = plugin->row.installed_at;
  } else {
    plugin = std::make_shared<PluginState>(row, with_.main);
  }
  auto record = co_await registerPlugin(plugin, row, std::move(registered).value());
  co_return record;
}

Course<PluginRecord> PluginManager::registerPlugin(PluginPtr plugin, storage::PluginRow row,
                                                   Turn registered) {
  const auto self = shared_from_this();
  const auto operation = co_await plugin->operations.turn();
  if (!operation) {
    co_return operation.error();
  }
  // A path source with an installed id is a move: what the plugin has stored stays, and so does its
  // counter.
  row.generation = plugin->row.generation;
  if (auto stored = co_await storeRow(row); !stored) {
    co_return std::move(stored).error();
  }
  auto target = find(row.id);
  const bool is_new = target == nullptr;
  if (target) {
    target->row = row;
  } else {
    target = plugin;
    insertPlugin(target);
  }
  registered.end();
  std::ignore = co_await ask(*lifecycle_, &Lifecycle::load, target);
  if (is_new && target->current && target->row.source_kind != kBuiltinKind) {
    std::ignore = co_await runInstallHooks(with_.main, target->current);
  }
  // Installed is not running: the record says how the load went.
  co_return makeRecord(*target);
}

void PluginManager::remove(std::string plugin_id, bool purge, Completion<Kept> done) {
  startOnMain(std::move(done), &PluginManager::removeNow, std::move(plugin_id), purge);
}

Course<Kept> PluginManager::removeNow(std::string plugin_id, bool purge) {
  const auto self = shared_from_this();
  const auto registered = co_await registry_.turn();
  if (!registered) {
    co_return registered.error();
  }
  const auto plugin = find(plugin_id);
  if (!plugin) {
    co_return unknownPlugin(plugin_id);
  }
  if (plugin->row.source_kind == kBuiltinKind && !builtinDirectory(plugin_id).empty()) {
    co_return Error{errc::kBuiltinPlugin,
                    fmt::format("plugin \"{0}\" is part of the service and cannot be removed; `svc "
                                "plugin disable {0}` turns it off",
                                plugin_id),
                    common::Json::object().set("pluginId", plugin_id).dump()};
  }
  const auto operation = co_await plugin->operations.turn();
  if (!operation) {
    co_return operation.error();
  }
  // Asked while its files are there. A folder without a manifest has none on machines either.
  const auto names_host_entry = [root = plugin->row.root_dir]() -> Result<bool> {
    const auto manifest = readPlugin(root);
    return manifest && !manifest.value().manifest.host.empty();
  };
  const auto on_machines = co_await onWorker(with_.workers, with_.main, names_host_entry);
  lifecycle_->setStatus(*plugin, PluginStatus::kDisabled, "being removed");
  std::ignore = co_await ask(*lifecycle_, &Lifecycle::unload, plugin, kDisposeLimits);
  // A save that still runs must not leave rows and files behind those that are deleted.
  std::ignore = co_await ask(*plugin->settings, &SavedSettings::close);

  const auto erase = [&store = with_.store, id = plugin->row.id] { return store.remove(id); };
  auto removed = co_await onWorker(with_.workers, with_.main, erase);
  if (!removed && removed.error().code != errc::kNotFound) {
    plugin->settings->reopen();
    lifecycle_->setStatus(*plugin, PluginStatus::kError,
                          fmt::format("could not be removed: {}", removed.error().message));
    co_return std::move(removed).error();
  }
  plugin->removed = true;
  with_.loaded->erase(plugin->row.id);
  with_.assets->erase(plugin->row.id);
  plugins_.erase(plugin->row.id);
  announce();
  auto kept = co_await removeData(plugin, purge);
  if (kept && on_machines && on_machines.value()) {
    kept.value().push_back(fmt::format(kKeptOnMachines, plugin->row.id));
  }
  co_return kept;
}

Course<Kept> PluginManager::removeData(PluginPtr plugin, bool purge) {
  const auto self = shared_from_this();
  const auto& id = plugin->row.id;
  std::size_t keys = 0;
  if (purge) {
    auto cleared = co_await ask(with_.kv, &storage::IKeyValueStore::clear, id).on(with_.main);
    if (!cleared) {
      co_return std::move(cleared).error();
    }
  } else {
    const auto listed =
        co_await ask(with_.kv, &storage::IKeyValueStore::list, id, std::string()).on(with_.main);
    keys = listed ? listed.value().size() : 0;
  }
  const auto remove_rest = [logs = with_.logs, &threads = with_.threads, id,
                            directory = settings_.pluginDirectory(id), purge,
                            keys]() -> Result<Kept> {
    logs->detach(id);
    if (auto status = removePluginData(directory, purge); !status) {
      return std::move(status).error();
    }
    if (!purge) {
      const auto with_metadata = threads.threadsWithMetadata(id);
      return keptParts(directory, keys, with_metadata ? with_metadata.value() : 0);
    }
    if (auto cleared = threads.apply({.gone_metadata = {id}}); !cleared) {
      return std::move(cleared).error();
    }
    return Kept();
  };
  auto kept = co_await onWorker(with_.workers, with_.main, remove_rest);
  co_return kept;
}

}  // namespace svc::plugins
