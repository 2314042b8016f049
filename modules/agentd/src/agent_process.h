#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "svc/base/environment.h"
#include "svc/base/spawn.h"
#include "svc/kernel/result.h"

#include "line_splitter.h"

namespace svc::agentd {

/// What is to be started.
struct AgentProgram {
  std::vector<std::string> argv{};
  base::Environment environment{};
  std::filesystem::path cwd{};
  /// By which all that it has started is known (base::kProcessMark).
  std::string mark{};
};

/// It runs. Letting go of it ends it.
struct SpawnedAgent {
  base::ChildProcess child;
  base::Fd in;
  base::Fd out;
  base::Fd err;
  std::string mark;
};
/// Any thread; blocks until the program runs. Errors: those of base::spawn().
[[nodiscard]] Result<SpawnedAgent> spawnAgent(const AgentProgram& program);

struct AgentExit {
  base::ExitStatus status{};
  /// The last of its standard error.
  std::string last_words{};
  /// It had closed its output and was ended because of that.
  bool closed_output = false;
};

/// An agent as a program of its own session, from start to nothing left. Lives on the io thread, where the events are called.
class AgentProcess : public std::enable_shared_from_this<AgentProcess> {
 public:
  struct Events {
    std::function<void(std::vector<std::string> lines)> lines{};
    /// It has written a line that is too long; it is being ended.
    std::function<void(std::string why)> broken{};
    /// Once, the last: nothing of it is left.
    std::function<void(AgentExit exit)> ended{};
  };

  /// Follows a program that was spawned.
  [[nodiscard]] static std::shared_ptr<AgentProcess> follow(boost::asio::io_context& io,
                                                            SpawnedAgent spawned, Events events);
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;
  ~AgentProcess();

  /// Queues one line with its end. False when it has not read so much that there is no room.
  [[nodiscard]] bool write(std::string line);
  /// While it is not read, an agent that writes much waits.
  void setReading(bool wanted);
  /// Closes its input and sends SIGTERM, after limits::kAgentStop SIGKILL. Again does nothing.
  void end();
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::string lastWords() const;

 private:
  AgentProcess(boost::asio::io_context& io, SpawnedAgent spawned, Events events);

  void watch();
  void read();
  /// Reads what is there, at most so much; false at the end of the stream.
  bool readSome(std::size_t most);
  void readErrors();
  bool takeErrors();
  void flush();
  void endSilent();
  void onEnd();
  void kill();
  void awaitRest(int looks);
  void gone();

  boost::asio::posix::stream_descriptor in_;
  boost::asio::posix::stream_descriptor out_;
  boost::asio::posix::stream_descriptor err_;
  boost::asio::posix::stream_descriptor end_;
  boost::asio::steady_timer timer_;
  base::ChildProcess child_;
  const pid_t pid_;
  const std::string mark_;
  Events events_;
  LineSplitter splitter_;
  std::string last_words_;
  std::deque<std::string> input_;
  std::size_t input_bytes_ = 0;
  std::size_t written_ = 0;  // of the first of them
  base::ExitStatus status_;
  bool reading_ = false;  // somebody waits for what comes
  bool wanted_ = true;
  bool writing_ = false;
  bool ended_for_silence_ = false;
  bool ending_ = false;
  bool ended_ = false;
};

}  // namespace svc::agentd
