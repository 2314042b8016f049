#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api.h"
#include "console.h"
#include "server_locator.h"
#include "subprocess.h"
#include "threads/live_thread.h"

namespace svc::client {

/// What every command works with. Nothing in it is global, so tests build their own.
struct Context {
  Console console;
  Environment environment;
  ServerChoice choice;
  Connector connector;
  std::function<void(std::chrono::milliseconds)> sleep;
  /// Runs a program of this machine to its end.
  std::function<Result<ProcessOutcome>(const ProcessRequest&)> execute = runProcess;
  /// Starts a program of this machine that goes on by itself.
  std::function<Status(const std::vector<std::string>& argv)> launch = launchProgram;
  /// Text for stderr in case Ctrl-C ends the program from here on; empty = none.
  std::function<void(const std::string& text)> on_interrupt = [](const std::string&) {};
  /// Milliseconds since the epoch, for names of files and ages.
  std::function<std::int64_t()> now = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  /// Who follows a thread, and on which terminal.
  std::function<std::unique_ptr<ILiveThread>(const std::string& thread_id)> live_thread =
      openLiveThread;
};

/// `svc <name> <argv…>`: finds the plugin that registered the command and runs it. Returns the exit code.
[[nodiscard]] int dispatchCommand(Context& context, const std::string& name,
                                  std::vector<std::string> argv);

/// `svc plugin run <id> <argv…>`: as above, by plugin id.
[[nodiscard]] int runPlugin(Context& context, const std::string& plugin_id,
                            std::vector<std::string> argv);

}  // namespace svc::client
