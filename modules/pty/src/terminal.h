#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "svc/base/pty.h"
#include "svc/base/spawn.h"
#include "svc/hostprotocol/terminal_ring.h"

#include "pace.h"

namespace svc::pty {

/// A program at a terminal, just started.
struct Started {
  base::ChildProcess child;
  base::Fd here;
  std::string cwd;
  /// Not a shell that waits for what is typed: until it ends, something runs.
  bool command = false;
  /// By which all that it has started is known (base::kProcessMark); empty = by nothing.
  std::string mark{};
};

/// What a terminal needs of the daemon.
struct TerminalServices {
  boost::asio::io_context& io;
  std::shared_ptr<Pace> pace;
  /// One message to the server.
  std::function<void(std::string message)> send;
  /// It has ended, and nothing of it is left.
  std::function<void(const std::string& id)> gone;
};

/// One terminal of this machine. On the io thread.
///
/// Its output is read into a ring whether the server listens or not, at the pace of all terminals. While the server listens, no more
/// than kWindow is on the way unacknowledged, and reading waits for the rest: a program that prints faster than the link waits, as it
/// does at any terminal. While it does not, the ring loses the oldest.
class Terminal : public std::enable_shared_from_this<Terminal> {
 public:
  static constexpr std::size_t kWindow = 256UL * 1024;
  /// Input that the program has not read. The server keeps less on the way.
  static constexpr std::size_t kInput = 1024UL * 1024;
  /// Between SIGHUP and SIGKILL.
  static constexpr std::chrono::seconds kHangUp{2};

  Terminal(std::string id, TerminalServices services, Started started);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  void start();
  /// Sends from this chunk on, or from the oldest there is, and its exit again.
  void attach(std::uint64_t seq);
  /// Nobody listens.
  void detach() { attached_ = false; }
  void acknowledge(std::uint64_t seq);
  void input(std::string bytes);
  void resize(base::TerminalSize size);
  /// Ends all of its session: SIGHUP, then SIGKILL.
  void end();

  [[nodiscard]] bool ended() const { return exit_code_.has_value(); }
  /// Nothing of its session is left.
  [[nodiscard]] bool gone() const { return !child_; }
  /// Nothing runs but the shell.
  [[nodiscard]] bool idle();
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::string& cwd() const { return cwd_; }
  [[nodiscard]] const std::string& mark() const { return mark_; }

 private:
  void read();
  void onReadable();
  std::size_t readChunk(std::size_t most);
  [[nodiscard]] bool mayRead() const;
  void write();
  void push();
  void awaitEnd();
  void onEnd();
  void drainOutput();
  void hangUp();
  void kill(std::chrono::milliseconds after, int times);
  void collect();

  const std::string id_;
  TerminalServices services_;
  base::ChildProcess child_;
  const pid_t pid_;
  const std::string cwd_;
  const bool command_;
  const std::string mark_;
  std::string shell_;  ///< what waited for the first that was typed
  boost::asio::posix::stream_descriptor here_;
  boost::asio::posix::stream_descriptor end_;
  boost::asio::steady_timer timer_;
  hostprotocol::TerminalRing ring_;
  bool closed_ = false;   // its other end is
  bool reading_ = false;  // somebody waits for what comes
  bool writing_ = false;
  bool attached_ = false;
  bool exit_sent_ = false;
  bool ending_ = false;
  std::uint64_t sent_ = 0;          // the first chunk that is not
  std::uint64_t acknowledged_ = 0;  // the first chunk that is not
  std::size_t on_the_way_ = 0;      // bytes of those between
  std::deque<std::string> input_;
  std::size_t input_bytes_ = 0;
  std::size_t written_ = 0;  // of the first of them
  std::optional<int> exit_code_;
};
using TerminalPtr = std::shared_ptr<Terminal>;

}  // namespace svc::pty
