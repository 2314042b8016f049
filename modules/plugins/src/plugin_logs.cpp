#include "plugin_logs.h"

#include <atomic>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "listeners.h"
#include "server_log_share.h"

namespace svc::plugins {
namespace {

spdlog::level::level_enum serverLevel(std::string_view level) {
  constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                               spdlog::level::err};
  return kLevels.at(static_cast<std::size_t>(levelRank(level)));
}

}  // namespace

/// Outlives the object when a worker still holds a job.
struct PluginLogs::Shared {
  Shared(const IClock& the_clock, std::shared_ptr<spdlog::logger> log)
      : clock(the_clock), server_log(std::move(log)) {}

  const IClock& clock;
  std::shared_ptr<spdlog::logger> server_log;
  Listeners<const std::string&, std::uint64_t> listeners;

  std::mutex queue_mutex;
  std::deque<Queued> queue;
  std::size_t queue_bytes = 0;
  std::map<std::string, std::uint64_t> dropped;
  bool drain_scheduled = false;

  /// Keeps the lines in order: held by who takes them from the queue until they are written, so only drains wait for
  /// it. Taken before every other one.
  std::mutex writing_mutex;
  std::map<std::string, ServerLogShare> shares;  // under writing_mutex

  std::mutex logs_mutex;
  std::map<std::string, std::shared_ptr<Log>> logs;

  std::shared_ptr<Log> find(const std::string& plugin_id) {
    const std::scoped_lock lock(logs_mutex);
    const auto found = logs.find(plugin_id);
    return found == logs.end() ? nullptr : found->second;
  }
};

PluginLogs::PluginLogs(IWorkerPool& workers, const IClock& clock,
                       std::filesystem::path plugins_directory,
                       std::shared_ptr<spdlog::logger> server_log)
    : workers_(workers),
      directory_(std::move(plugins_directory)),
      shared_(std::make_shared<Shared>(clock, std::move(server_log))) {}

Handle PluginLogs::onLine(std::function<void(const std::string&, std::uint64_t)> listener) {
  return shared_->listeners.add(std::move(listener));
}

void PluginLogs::append(const std::string& plugin_id, LogLine line) {
  write(plugin_id, {.at = shared_->clock.nowMs(),
                    .level = std::move(line.level),
                    .generation = line.generation,
                    .source = std::move(line.source),
                    .message = std::move(line.message),
                    .stack = std::move(line.stack)});
}

void PluginLogs::attach(const std::string& plugin_id) {
  const std::scoped_lock lock(shared_->logs_mutex);
  auto& log = shared_->logs[plugin_id];
  if (!log) {
    log = std::make_shared<Log>(directory_ / plugin_id / "logs");
  }
}

void PluginLogs::detach(const std::string& plugin_id) { drain(*shared_, &plugin_id); }

void PluginLogs::flush() { drain(*shared_); }

void PluginLogs::write(const std::string& plugin_id, LogEntry entry) {
  // Before it is cut: half a secret would not be recognised.
  entry.message = cutMessage(mask_.apply(std::move(entry.message)));
  entry.stack = cutMessage(mask_.apply(std::move(entry.stack)));
  {
    const std::scoped_lock lock(shared_->queue_mutex);
    const auto bytes = entry.message.size() + entry.stack.size() + sizeof(Queued);
    if (shared_->queue_bytes + bytes > kQueueBytes) {
      ++shared_->dropped[plugin_id];
    } else {
      shared_->queue_bytes += bytes;
      shared_->queue.push_back({plugin_id, std::move(entry)});
    }
    if (std::exchange(shared_->drain_scheduled, true)) {
      return;
    }
  }
  // Without room in the pool the lines wait for the next write, read or flush.
  if (!workers_.submit([shared = shared_] { drain(*shared); })) {
    const std::scoped_lock lock(shared_->queue_mutex);
    shared_->drain_scheduled = false;
  }
}

void PluginLogs::drain(Shared& shared, const std::string* detached) {
  std::vector<Written> written;
  {
    const std::scoped_lock writing(shared.writing_mutex);
    std::deque<Queued> lines;
    std::map<std::string, std::uint64_t> dropped;
    {
      const std::scoped_lock lock(shared.queue_mutex);
      lines.swap(shared.queue);
      dropped.swap(shared.dropped);
      shared.queue_bytes = 0;
      shared.drain_scheduled = false;
    }
    for (const auto& [id, count] : dropped) {
      lines.push_back(
          {id,
           {.at = shared.clock.nowMs(),
            .level = "warn",
            .message = fmt::format(
                "{} log lines dropped: they came faster than they could be written", count)}});
    }
    tellLeftOut(shared, nullptr);
    for (const auto& line : lines) {
      writeOne(shared, line, written);
    }
    // Here, so that no drain is left that still writes to it.
    if (detached != nullptr) {
      tellLeftOut(shared, detached);
      shared.shares.erase(*detached);
      const std::scoped_lock lock(shared.logs_mutex);
      shared.logs.erase(*detached);
    }
  }
  for (const auto& line : written) {
    shared.listeners.notify(line.plugin_id, line.seq);
  }
}

void PluginLogs::tellLeftOut(Shared& shared, const std::string* plugin_id) {
  const auto now = shared.clock.steadyNow();
  for (auto& [id, share] : shared.shares) {
    if (plugin_id != nullptr ? id != *plugin_id : !share.isOver(now)) {
      continue;
    }
    if (const auto count = share.takeLeftOut(); count > 0) {
      shared.server_log->warn(
          "[{}] {} log line{} left out here: more than {} lines or {} KiB in a minute; "
          "svc plugin logs {} has all",
          id, count, count == 1 ? "" : "s", ServerLogShare::kLines, ServerLogShare::kBytes >> 10U,
          id);
    }
  }
}

void PluginLogs::writeToServer(Shared& shared, const Queued& line) {
  const auto& entry = line.entry;
  const auto level = serverLevel(entry.level);
  if (!shared.server_log->should_log(level) ||
      !shared.shares[line.plugin_id].admits(entry.message.size() + entry.stack.size(),
                                            shared.clock.steadyNow())) {
    return;
  }
  shared.server_log->log(level, "[{}#{}] {}{}{}", line.plugin_id, entry.generation, entry.message,
                         entry.stack.empty() ? "" : "\n", entry.stack);
}

void PluginLogs::writeOne(Shared& shared, const Queued& line, std::vector<Written>& written) {
  writeToServer(shared, line);
  const auto held = shared.find(line.plugin_id);
  if (!held) {
    return;
  }
  auto& log = *held;
  if (log.lost > 0) {
    Queued notice = line;
    notice.entry.level = "warn";
    notice.entry.stack.clear();
    notice.entry.message = fmt::format("{} log lines lost: {}", log.lost, log.failure);
    if (!appendLine(shared, log, notice, written)) {
      ++log.lost;
      return;
    }
  }
  if (!appendLine(shared, log, line, written)) {
    ++log.lost;
  }
}

bool PluginLogs::appendLine(Shared& shared, Log& log, const Queued& line,
                            std::vector<Written>& written) {
  const auto seq = guarded([&] {
    const std::scoped_lock lock(log.mutex);
    return log.file.append(line.entry);
  });
  if (!seq) {
    if (log.lost == 0) {
      shared.server_log->warn("log of plugin {}: {}", line.plugin_id, seq.error().message);
    }
    log.failure = seq.error().message;
    return false;
  }
  log.lost = 0;
  written.push_back({line.plugin_id, seq.value()});
  return true;
}

void PluginLogs::read(std::string plugin_id, LogQuery query, Completion<LogPage> done) {
  auto answer = std::make_shared<Completion<LogPage>>(std::move(done));
  auto job = [shared = shared_, plugin_id = std::move(plugin_id), query = std::move(query),
              answer]() -> Result<LogPage> {
    drain(*shared);
    const auto log = shared->find(plugin_id);
    if (!log) {
      return Error{errc::kUnknownPlugin, fmt::format("no plugin \"{}\" is installed", plugin_id)};
    }
    const std::scoped_lock lock(log->mutex);
    return log->file.read(query);
  };
  if (!workers_.submit([job = std::move(job), answer] { (*answer)(guarded(job)); })) {
    (*answer)(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
  }
}

}  // namespace svc::plugins
