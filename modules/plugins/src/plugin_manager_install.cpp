#include <array>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "async.h"
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
void runInstallHooks(IExecutor& main, const std::shared_ptr<Generation>& generation,
                     Completion<void> done) {
  if (generation->registration("install").isNull()) {
    done({});
    return;
  }
  Completion<std::string> ended =
      [generation, done = shared(std::move(done))](const Result<std::string>& result) {
        if (!result) {
          generation->log("warn",
                          fmt::format("the onInstall hooks failed: {}", result.error().message));
        }
        (*done)({});
      };
  Error late{errc::kTimeout, fmt::format("they did not finish within {} ms (limit onInstall)",
                                         limits::kOnInstall.count())};
  generation->call(
      "plugin.runInstallHooks", "",
      deliverOn(main, limited(main, limits::kOnInstall, std::move(late), std::move(ended))));
}

/// What a removal without purge leaves behind, for people.
Kept keptParts(const fs::path& directory, std::size_t keys) {
  Kept out;
  if (keys > 0) {
    out.push_back(fmt::format("kv: {} {}", keys, keys == 1 ? "key" : "keys"));
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

void PluginManager::install(std::string source, Completion<PluginRecord> done) {
  onMain<PluginRecord>(std::move(done), [this, source = std::move(source)](
                                            Completion<PluginRecord> answer) {
    auto reply = shared(std::move(answer));
    enqueue(
        registry_, reply, [self = shared_from_this(), source, reply](Completion<void> registered) {
          if (self->with_.safe_mode->on()) {
            (*reply)(heldBack(""));
            return;
          }
          const std::function job = [source] { return inspectSource(source); };
          runOnWorker<InstallCandidate>(
              self->with_.workers, self->with_.main, job,
              [self, source, reply,
               registered = shared(std::move(registered))](Result<InstallCandidate> candidate) {
                if (!candidate) {
                  (*reply)(std::move(candidate).error());
                  (*registered)({});
                  return;
                }
                self->admit(candidate.value(), source, std::move(*reply), std::move(*registered));
              });
        });
  });
}

void PluginManager::admit(const InstallCandidate& candidate, std::string source,
                          Completion<PluginRecord> done, Completion<void> registered) {
  const auto& id = candidate.manifest.id;
  if (isReservedId(id)) {
    done(reservedId(id));
    return;
  }
  auto plugin = find(id);
  if (plugin && plugin->row.source_kind != "path") {
    done(idInUse(plugin->row));
    return;
  }
  if (!source.starts_with("path:")) {
    source = "path:" + candidate.root.string();
  }
  auto row = rowFor(candidate, source, with_.clock.nowMs());
  if (plugin) {
    row.enabled = plugin->row.enabled;
    row.installed_at = plugin->row.installed_at;
  } else {
    plugin = std::make_shared<PluginState>(row, with_.main);
  }
  auto reply = shared(std::move(done));
  enqueue(plugin->operations, reply,
          [self = shared_from_this(), plugin, row, reply,
           registered = shared(std::move(registered))](Completion<void> finished) {
            self->registerPlugin(plugin, row, std::move(*reply), std::move(*registered),
                                 std::move(finished));
          });
}

void PluginManager::registerPlugin(const PluginPtr& plugin, storage::PluginRow row,
                                   Completion<PluginRecord> done, Completion<void> registered,
                                   Completion<void> finished) {
  // A path source with an installed id is a move: what the plugin has stored stays, and so does its
  // counter.
  row.generation = plugin->row.generation;
  storeRow(row, [self = shared_from_this(), plugin, row, done = shared(std::move(done)),
                 registered = shared(std::move(registered)),
                 finished = shared(std::move(finished))](Status stored) {
    if (!stored) {
      (*done)(std::move(stored).error());
      return;
    }
    auto target = self->find(row.id);
    const bool is_new = target == nullptr;
    if (target) {
      target->row = row;
    } else {
      target = plugin;
      self->insertPlugin(target);
    }
    (*registered)({});
    self->lifecycle_->load(target, [self, target, is_new, done, finished](const Status&) {
      Completion<void> answer = [target, done, finished](const Status&) {
        // Installed is not running: the record says how the load went.
        (*done)(makeRecord(*target));
        (*finished)({});
      };
      if (is_new && target->current) {
        runInstallHooks(self->with_.main, target->current, std::move(answer));
      } else {
        answer({});
      }
    });
  });
}

void PluginManager::remove(std::string plugin_id, bool purge, Completion<Kept> done) {
  onMain<Kept>(
      std::move(done), [this, plugin_id = std::move(plugin_id), purge](Completion<Kept> answer) {
        auto reply = shared(std::move(answer));
        enqueue(registry_, reply,
                [self = shared_from_this(), plugin_id, purge, reply](Completion<void> registered) {
                  const auto plugin = self->find(plugin_id);
                  if (!plugin) {
                    (*reply)(self->unknownPlugin(plugin_id));
                    return;
                  }
                  self->enqueue(
                      plugin->operations, reply,
                      [self, plugin, purge, reply,
                       registered = shared(std::move(registered))](Completion<void> finished) {
                        Completion<Kept> ended =
                            [reply, registered,
                             finished = shared(std::move(finished))](Result<Kept> kept) {
                              (*reply)(std::move(kept));
                              (*finished)({});
                              (*registered)({});
                            };
                        self->removePlugin(plugin, purge, std::move(ended));
                      });
                });
      });
}

void PluginManager::removePlugin(const PluginPtr& plugin, bool purge, Completion<Kept> done) {
  lifecycle_->setStatus(*plugin, PluginStatus::kDisabled, "being removed");
  lifecycle_->unload(
      plugin, {},
      [self = shared_from_this(), plugin, purge, done = shared(std::move(done))](const Status&) {
        // A save that still runs must not leave rows and files behind those that are deleted.
        plugin->settings->close([self, plugin, purge, done](const Status&) {
          self->removeRow(plugin, purge, std::move(*done));
        });
      });
}

void PluginManager::removeRow(const PluginPtr& plugin, bool purge, Completion<Kept> done) {
  const std::function job = [&store = with_.store, id = plugin->row.id] {
    return store.remove(id);
  };
  runOnWorker<void>(
      with_.workers, with_.main, job,
      [self = shared_from_this(), plugin, purge, done = shared(std::move(done))](Status removed) {
        if (!removed && removed.error().code != errc::kNotFound) {
          plugin->settings->reopen();
          self->lifecycle_->setStatus(
              *plugin, PluginStatus::kError,
              fmt::format("could not be removed: {}", removed.error().message));
          (*done)(std::move(removed).error());
          return;
        }
        plugin->removed = true;
        self->with_.loaded->erase(plugin->row.id);
        self->with_.assets->erase(plugin->row.id);
        self->plugins_.erase(plugin->row.id);
        self->announce();
        self->removeData(plugin, purge, std::move(*done));
      });
}

void PluginManager::removeData(const PluginPtr& plugin, bool purge, Completion<Kept> done) {
  auto reply = shared(std::move(done));
  const auto& id = plugin->row.id;
  if (purge) {
    with_.kv.clear(
        id, deliverOn(with_.main, Completion<std::size_t>([self = shared_from_this(), plugin,
                                                           reply](Result<std::size_t> cleared) {
                        if (!cleared) {
                          (*reply)(std::move(cleared).error());
                          return;
                        }
                        self->removeFiles(plugin, true, 0, std::move(*reply));
                      })));
    return;
  }
  using Keys = std::vector<std::string>;
  with_.kv.list(id, "",
                deliverOn(with_.main, Completion<Keys>([self = shared_from_this(), plugin,
                                                        reply](const Result<Keys>& keys) {
                            self->removeFiles(plugin, false, keys ? keys.value().size() : 0,
                                              std::move(*reply));
                          })));
}

void PluginManager::removeFiles(const PluginPtr& plugin, bool purge, std::size_t keys,
                                Completion<Kept> done) {
  const auto directory = settings_.pluginDirectory(plugin->row.id);
  const std::function job = [logs = with_.logs, id = plugin->row.id, directory, purge,
                             keys]() -> Result<Kept> {
    logs->detach(id);
    if (auto status = removePluginData(directory, purge); !status) {
      return std::move(status).error();
    }
    return purge ? Kept() : keptParts(directory, keys);
  };
  runOnWorker<Kept>(with_.workers, with_.main, job, std::move(done));
}

}  // namespace svc::plugins
