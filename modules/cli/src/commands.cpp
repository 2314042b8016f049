#include "commands.h"

#include <chrono>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/cli.h"

#include "run_command.h"

namespace svc::cli {
namespace {

using common::Json;

std::string requestOf(const CommandRun& run) {
  auto argv = Json::array();
  for (const auto& word : run.argv) {
    argv.push(word);
  }
  auto request = Json::object().set("argv", std::move(argv));
  for (const auto& [name, value] :
       {std::pair{"cwd", &run.cwd}, std::pair{"threadId", &run.thread_id},
        std::pair{"projectId", &run.project_id}}) {
    if (*value) {
      request.set(name, **value);
    }
  }
  return request.dump();
}

Result<CommandOutcome> outcomeOf(const Result<std::string>& answer) {
  if (!answer) {
    return answer.error();
  }
  const auto parsed = Json::parse(answer.value());
  if (!parsed) {
    return parsed.error();
  }
  const auto& json = parsed.value();
  return CommandOutcome{.exit_code = static_cast<int>(json["exitCode"].asInteger()),
                        .out = json["stdout"].asString(),
                        .err = json["stderr"].asString()};
}

/// One run that ends by itself, by its caller or by its time. Thread-safe; the first answer counts.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(std::string plugin_id, std::stop_token caller, Completion<CommandOutcome> done)
      : plugin_id_(std::move(plugin_id)),
        done_(std::move(done)),
        on_caller_(std::move(caller), Forward{stop_}) {}

  void start(plugins::ILoadedPlugins& loaded, IMainExecutor& main, const CommandRun& run) {
    auto timer = main.after(limits::kCliRun, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->expire();
      }
    });
    {
      const std::scoped_lock lock(mutex_);
      timer_ = std::move(timer);
    }
    runCommand(loaded, plugin_id_, requestOf(run), stop_.get_token(),
               [self = shared_from_this()](const Result<std::string>& answer) {
                 self->answer(outcomeOf(answer));
               });
  }

 private:
  struct Forward {
    std::stop_source target;
    void operator()() { target.request_stop(); }
  };

  void answer(Result<CommandOutcome> outcome) {
    Completion<CommandOutcome> done;
    Handle timer;
    {
      const std::scoped_lock lock(mutex_);
      done = std::move(done_);
      timer = std::move(timer_);
    }
    done(std::move(outcome));
  }

  void expire() {
    answer(Error{
        errc::kTimeout,
        fmt::format("the command of plugin \"{}\" did not end within {} min", plugin_id_,
                    std::chrono::duration_cast<std::chrono::minutes>(limits::kCliRun).count())});
    stop_.request_stop();
  }

  const std::string plugin_id_;
  std::mutex mutex_;
  Completion<CommandOutcome> done_;
  Handle timer_;
  std::stop_source stop_;
  std::stop_callback<Forward> on_caller_;
};

}  // namespace

void Commands::recordsChanged(const std::vector<plugins::PluginRecord>& records) {
  table_.recordsChanged(records);
  refresh();
}

std::vector<Command> Commands::refresh() {
  auto commands = table_.refresh();
  if (std::exchange(known_, commands) != commands) {
    const auto listeners = *listeners_;
    for (const auto& [key, listener] : listeners) {
      listener();
    }
  }
  return commands;
}

void Commands::run(CommandRun run, std::stop_token stop, Completion<CommandOutcome> done) {
  std::make_shared<Run>(run.plugin_id, std::move(stop), std::move(done))
      ->start(loaded_, main_, run);
}

Handle Commands::onChanged(std::function<void()> listener) {
  const auto key = ++last_listener_;
  listeners_->emplace(key, std::move(listener));
  return Handle([listeners = listeners_, key] { listeners->erase(key); });
}

}  // namespace svc::cli
