#pragma once

#include <memory>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "svc/kernel/executor.h"

#include "door.h"
#include "transport.h"

namespace svc::serverlink {

/// The network by Boost.Asio: one thread for the session, one for downloads, whose disk must not delay it.
class Network final : public ITransport {
 public:
  explicit Network(IMainExecutor& main, ProxySettings proxies = {})
      : main_(main), proxies_(std::move(proxies)) {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network() override = default;

  void post(Request request, std::string body, Completion<HttpAnswer> done) override;
  [[nodiscard]] std::shared_ptr<ISocket> open(Request request,
                                              std::weak_ptr<ISocketListener> listener) override;
  void download(Request request, std::filesystem::path file, std::uint64_t limit,
                Completion<Download> done) override;

  /// Calls `closed` on the main thread when the other end of the pipe is gone. Takes the descriptor.
  void watchPipe(int descriptor, Task closed);
  /// Ends every connection and both threads; nothing fires any more.
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
  Loop session_;
  Loop downloads_;
};

}  // namespace svc::serverlink
