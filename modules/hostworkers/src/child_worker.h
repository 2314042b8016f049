#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "svc/base/fd.h"
#include "svc/base/spawn.h"
#include "svc/kernel/executor.h"

#include "line_channel.h"
#include "log_lines.h"
#include "worker_process.h"

namespace svc::hostworkers {

/// What a child process needs of its surroundings, which outlive it.
struct ChildContext {
  boost::asio::io_context& io;
  IExecutor& main;
  IWorkerPool& pool;
  const IClock& clock;
  /// True while the server is behind: workers are not read further then, which makes them wait. May be empty.
  std::function<bool()> congested{};
};

/// What was started.
struct ChildHandles {
  base::ChildProcess child;
  base::Fd socket;  ///< our end
  base::Fd out;
  base::Fd err;
  /// Removed when the process has gone.
  std::filesystem::path scratch;
  /// By which all that it has started is known, also when that has left its group (base::kProcessMark).
  std::string mark;
};

/// A worker as a child process, from start to nothing left. Lives on the thread of the io_context; sends and kill() are for
/// any thread, events arrive as tasks of `main`.
class ChildWorker final : public IWorkerProcess, public std::enable_shared_from_this<ChildWorker> {
 public:
  /// `log` is called on the thread of the io_context.
  ChildWorker(ChildContext context, ChildHandles handles, WorkerEvents events,
              std::function<void(std::vector<LogLine>)> log);

  void start();
  void send(std::string message) override { channel_->send(message); }
  void sendAtOnce(std::string message) override { channel_->sendAtOnce(message); }
  void kill() override;
  /// Nothing of it waits on the io_context any more.
  [[nodiscard]] bool isOver() const { return over_; }

 private:
  struct Stream {
    Stream(boost::asio::io_context& io, int fd, bool is_error)
        : descriptor(io, fd), error(is_error) {}
    boost::asio::posix::stream_descriptor descriptor;
    bool error;
    std::array<char, 64UL * 1024> buffer{};
  };

  void read(Stream& stream);
  void readRest(Stream& stream);
  void take(const std::vector<std::string>& lines, std::size_t bytes);
  void handled(std::size_t bytes);
  void lostSocket();
  void broken(std::string why);
  void scheduleFlush();
  void flush();
  void ended();
  void collect();
  /// Kills what is left of what it has started; false when nothing was.
  [[nodiscard]] bool endRest() const;
  void awaitGroup(std::chrono::steady_clock::time_point until, std::chrono::milliseconds poll);
  void lookedForRest(bool found, std::chrono::steady_clock::time_point until,
                     std::chrono::milliseconds poll);
  void gone();

  ChildContext context_;
  base::ChildProcess child_;
  pid_t group_;
  std::string mark_;
  std::filesystem::path scratch_;
  std::shared_ptr<const WorkerEvents> events_;
  std::function<void(std::vector<LogLine>)> log_;
  std::shared_ptr<LineChannel> channel_;
  Stream out_;
  Stream err_;
  boost::asio::posix::stream_descriptor pidfd_;
  boost::asio::steady_timer flush_timer_;
  boost::asio::steady_timer group_timer_;
  boost::asio::steady_timer socket_timer_;
  boost::asio::steady_timer congestion_timer_;
  /// Of messages that were dealt with while the server was behind.
  std::size_t held_bytes_ = 0;
  bool flush_waits_ = false;
  bool ended_ = false;
  bool over_ = false;
  WorkerExit exit_;
  LogLines lines_;
};

}  // namespace svc::hostworkers
