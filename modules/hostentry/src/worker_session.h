#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "svc/common/json_slices.h"
#include "svc/jsruntime/script_runtime.h"

#include "daemon_socket.h"

namespace svc::hostentry {

struct WorkerOptions {
  int socket = -1;  ///< to the daemon; owned
  std::string plugin_id;
  std::string generation;
  std::filesystem::path module;
  std::filesystem::path data_dir;
  std::filesystem::path temp_dir;
  std::size_t heap_bytes = 0;
  /// What the daemon has marked this process with (base::kProcessMark), and knows what the entry starts by; empty for nothing.
  std::string mark{};
  std::vector<script::NativeExtension> natives{};
};

/// How the process is to end.
struct WorkerEnd {
  int code = 0;
  int signal = 0;      ///< by this signal instead, when it is not 0
  bool group = false;  ///< with everything it has started, because nobody else will see to that
};

/// One host entry in its environment, and the daemon's messages to it. They come on the script thread or that of the io_context
/// (DaemonSocket), answers from the script thread.
class WorkerSession final : public script::IScriptObserver,
                            public std::enable_shared_from_this<WorkerSession> {
 public:
  struct Surroundings {
    script::IScriptRuntime& runtime;
    boost::asio::io_context& io;
    /// A line for stdout, or stderr. Any thread; may block.
    std::function<void(bool error, std::string_view line)> print;
    /// Ends the process. Any thread, once.
    std::function<void(WorkerEnd end)> end;
  };

  WorkerSession(WorkerOptions options, Surroundings surroundings);

  void start();

  void onUncaughtError(const script::ScriptError& error, const std::string& origin) override;
  void onConsole(const std::string& level, const std::string& text) override;
  void onHandlerError(const script::ScriptError& error, const std::string& function,
                      const std::string& meta) override;
  void onStall(std::chrono::milliseconds blocked_for, const std::string& stack) override;
  void onEnded(const script::Termination& termination) override;

 private:
  using Instance = std::shared_ptr<script::IScriptInstance>;

  [[nodiscard]] script::InstanceOptions instanceOptions();
  [[nodiscard]] std::vector<script::HostFunction> functions();
  [[nodiscard]] Instance instance();
  void created(Result<Instance> created);
  void started(const Status& outcome);
  void onLine(std::string_view line);
  void call(const common::JsonSlices& message);
  void cancel(const std::string& call_id);
  void answer(const std::string& call_id, const Result<std::string>& result);
  void tellScript(std::string function, std::string_view message);
  void signal(const std::string& message, Completion<std::string> done);
  void drained();
  /// Lets the entry clean up, then ends.
  void dispose(WorkerEnd end);
  void onClosed(const std::string& why);
  /// Ends once everything that was said is written.
  void finish(WorkerEnd end);
  void endNow(WorkerEnd end);
  void printError(std::string_view text);

  WorkerOptions options_;
  Surroundings surroundings_;
  std::shared_ptr<DaemonSocket> socket_;
  boost::asio::steady_timer limit_;

  std::mutex mutex_;
  Instance instance_;
  std::map<std::string, std::stop_source> running_;
  std::vector<Completion<std::string>> waiting_signals_;
  bool ready_ = false;
  bool disposing_ = false;
  bool ended_ = false;

  // Thread of the io_context.
  bool finishing_ = false;
  WorkerEnd end_;
};

}  // namespace svc::hostentry
