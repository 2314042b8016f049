#include "worker_table.h"

#include <chrono>
#include <set>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::hostworkers {
namespace {

/// After a session has opened.
constexpr std::chrono::minutes kSweepAfter{1};

}  // namespace

void WorkerTable::attach(serverlink::IServerLink& link) {
  const auto on = [&](std::string_view type, auto method) {
    registrations_.push_back(link.onCommand(
        std::string(type), [this, method](std::string command, Completion<std::string> done) {
          (this->*method)(std::move(command), std::move(done));
        }));
  };
  on(hostprotocol::command::kCall, &WorkerTable::call);
  on(hostprotocol::command::kCancel, &WorkerTable::cancel);
  on(hostprotocol::command::kDispose, &WorkerTable::dispose);
  registrations_.push_back(
      link.onSession([this](const std::vector<serverlink::PluginGeneration>& current) {
        sessionOpened(current);
      }));
  registrations_.push_back(link.onSessionLost([this] {
    for (const auto& [id, worker] : workers_) {
      worker->sessionLost();
    }
  }));
}

PluginWorker& WorkerTable::workerOf(const std::string& plugin_id) {
  auto& worker = workers_[plugin_id];
  if (!worker) {
    worker = std::make_shared<PluginWorker>(plugin_id, services_);
  }
  return *worker;
}

void WorkerTable::call(std::string command, Completion<std::string> done) {
  auto parsed = parseHostCall(command);
  if (!parsed) {
    done(parsed.error());
    return;
  }
  if (closed_) {
    done(Error{errc::kHostUnavailable, "the daemon is stopping"});
    return;
  }
  auto& worker = workerOf(parsed.value().plugin_id);
  removals_.erase(parsed.value().plugin_id);
  worker.call(std::move(parsed).value(), std::move(done));
}

void WorkerTable::cancel(const std::string& command, Completion<std::string> done) {
  const auto target = parseCancel(command);
  if (!target) {
    done(target.error());
    return;
  }
  const auto found = workers_.find(target.value().plugin_id);
  const bool cancelled = found != workers_.end() &&
                         found->second->cancel(target.value().generation, target.value().call_id);
  done(std::string(cancelled ? R"({"cancelled":true})" : R"({"cancelled":false})"));
}

void WorkerTable::dispose(const std::string& command, Completion<std::string> done) {
  const auto target = parseDispose(command);
  if (!target) {
    done(target.error());
    return;
  }
  const auto& id = target.value().plugin_id;
  // Whether the plugin is reloaded or gone, its next call or the next session tells; neither takes long.
  removals_[id] = services_.main.after(limits::kSessionGrace, [this, id] {
    const auto plugin_id = id;  // the timer owns what it was made with
    services_.artifacts.remove(plugin_id);
    removals_.erase(plugin_id);
  });
  workerOf(id).retire(
      target.value().generation, [answer = std::make_shared<Completion<std::string>>(
                                      std::move(done))](const Result<bool>& disposed) {
        (*answer)(std::string(disposed && disposed.value() ? R"({"disposed":true})"
                                                           : R"({"disposed":false})"));
      });
}

void WorkerTable::sessionOpened(const std::vector<serverlink::PluginGeneration>& current) {
  std::map<std::string, std::string> generations;
  std::set<std::string> plugins;
  for (const auto& each : current) {
    generations[each.plugin_id] = each.generation;
    plugins.insert(each.plugin_id);
    removals_.erase(each.plugin_id);
  }
  for (const auto& [id, worker] : workers_) {
    const auto found = generations.find(id);
    worker->sessionOpened(found == generations.end() ? std::nullopt : std::optional(found->second));
  }
  // A server that has just started may still be loading plugins that are not in its list.
  sweep_ = services_.main.after(kSweepAfter, [this, plugins = std::move(plugins)]() mutable {
    for (const auto& [id, worker] : workers_) {
      if (worker->wanted()) {
        plugins.insert(id);
      }
    }
    services_.artifacts.keepOnly(std::move(plugins));
  });
}

void WorkerTable::drain(Completion<void> done) {
  closed_ = true;
  removals_.clear();
  sweep_.reset();
  const auto all = std::make_shared<Completion<void>>(std::move(done));
  const auto left = std::make_shared<std::size_t>(workers_.size());
  if (workers_.empty()) {
    (*all)({});
    return;
  }
  for (const auto& [id, worker] : workers_) {
    worker->shutDown([all, left](const Status&) {
      if (--*left == 0) {
        (*all)({});
      }
    });
  }
}

}  // namespace svc::hostworkers
