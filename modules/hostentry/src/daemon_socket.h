#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "svc/base/fd.h"
#include "svc/jsruntime/script_runtime.h"

namespace svc::hostentry {

/// The worker's end of the socket to its daemon: text lines. As an extension of the script's environment it reads them in the event
/// loop of the script, which they are for, and what the script answers leaves at the end of its turn, so that neither waits for
/// another thread to wake. While a turn lasts longer than kPatience, and before and after the environment, the thread of
/// the io_context reads and writes. Thread-safe.
class DaemonSocket final : public script::INativeExtension,
                           public std::enable_shared_from_this<DaemonSocket> {
 public:
  struct Handlers {
    /// A line without its end. On either thread, one at a time.
    std::function<void(std::string_view line)> line;
    /// The last call: the daemon is gone (empty), or why reading ended. Thread of the io_context.
    std::function<void(std::string why)> closed;
    /// See askDrained(). Thread of the io_context.
    std::function<void()> drained;
  };
  static constexpr std::chrono::milliseconds kPatience{20};

  /// Takes `socket`, a descriptor. A line of more than `longest` bytes ends the reading.
  DaemonSocket(boost::asio::io_context& context, int socket, std::size_t longest);
  DaemonSocket(const DaemonSocket&) = delete;
  DaemonSocket& operator=(const DaemonSocket&) = delete;
  ~DaemonSocket() override;

  /// Begins to read. Once.
  void start(Handlers handlers);
  /// Sends one line, given without its end and without a line break in it, with others of the same turn.
  void send(std::string_view line) { add(line, false); }
  /// The same, at once.
  void sendAtOnce(std::string_view line) { add(line, true); }
  /// Bytes that wait to be written.
  [[nodiscard]] std::size_t backlog() const { return backlog_.load(std::memory_order_relaxed); }
  /// `drained` is called once, when nothing waits to be written.
  void askDrained();

  void install(v8::Isolate* isolate, v8::Local<v8::Context> context,
               v8::Local<v8::Object> exports) override;
  void interrupt() override {}
  void close() override;

 private:
  struct LoopHandles;

  void add(std::string_view line, bool at_once);
  /// With write_mutex_.
  void flush();
  void flushNow();
  void tellDrained();
  bool read();
  void take(std::string_view chunk);
  void end(std::string why);
  /// The patrol looks after a script that may be busy; without one the socket is watched. Thread of the io_context.
  void watch();
  void watched();
  void patrol();
  void callPatrol();

  boost::asio::io_context& context_;
  const base::Fd socket_;
  const std::size_t longest_;
  std::shared_ptr<const Handlers> handlers_;

  // Of the thread of the io_context: the set has the socket in it, for one event at a time.
  boost::asio::posix::stream_descriptor set_;
  boost::asio::steady_timer pause_;
  std::uint64_t turns_seen_ = 0;
  bool watching_ = false;

  std::atomic<bool> patrols_{false};
  /// The loop of the script reads and writes.
  std::atomic<bool> in_loop_{false};
  std::atomic<std::uint64_t> turns_{0};  ///< of that loop
  std::atomic<std::size_t> backlog_{0};
  LoopHandles* loop_handles_ = nullptr;  // script thread

  std::mutex read_mutex_;
  std::array<char, 256UL * 1024> buffer_{};
  std::string partial_;
  bool ended_ = false;

  std::mutex write_mutex_;
  std::string waiting_;
  std::size_t written_ = 0;  ///< of waiting_
  bool is_full_ = false;     ///< the system takes no more
  bool asked_drained_ = false;
  bool broken_ = false;
};

}  // namespace svc::hostentry
