#pragma once

#include <memory>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "svc/kernel/executor.h"

#include "door.h"
#include "live_calls.h"
#include "transport.h"

namespace svc::serverlink {

/// The network by Boost.Asio: the session and its requests on the main thread, which they are for; downloads, whose disk must not
/// delay it, on a thread of their own. Made and destroyed on the main thread.
class Network final : public ITransport {
 public:
  /// `main_io` is a context of the main thread and outlives it.
  Network(IMainExecutor& main, boost::asio::io_context& main_io, ProxySettings proxies = {})
      : main_(main),
        proxies_(std::move(proxies)),
        session_(main_io),
        door_(std::make_shared<Door>(main_io)) {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network() override { stop(); }

  void post(Request request, std::string body, Completion<HttpAnswer> done) override;
  [[nodiscard]] std::shared_ptr<ISocket> open(Request request,
                                              std::weak_ptr<ISocketListener> listener) override;
  void download(Request request, std::filesystem::path file, std::uint64_t limit,
                Completion<Download> done) override;

  /// Calls `closed` on the main thread when the other end of the pipe is gone. Takes the descriptor.
  void watchPipe(int descriptor, Task closed);
  /// Ends every connection and the thread. Main thread.
  void stop();

 private:
  struct Loop {
    Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop() { stop(); }
    void stop();
    boost::asio::io_context context{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work;
    std::shared_ptr<Door> door;
    std::thread thread;
  };

  /// With the proxy on its way.
  [[nodiscard]] Request routed(Request request) const;

  IMainExecutor& main_;
  const ProxySettings proxies_;
  boost::asio::io_context& session_;
  const std::shared_ptr<Door> door_;
  const std::shared_ptr<LiveCalls> live_ = std::make_shared<LiveCalls>();
  Loop downloads_;
};

}  // namespace svc::serverlink
