#include "network.h"

#include <pthread.h>

#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "svc/common/codes.h"
#include "svc/kernel/async.h"
#include "svc/kernel/thread_role.h"

#include "http_call.h"
#include "web_socket.h"

namespace svc::serverlink {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

class PipeWatch final : public ILiveCall, public std::enable_shared_from_this<PipeWatch> {
 public:
  PipeWatch(asio::io_context& context, int descriptor, IMainExecutor& main, Task closed)
      : pipe_(context, descriptor), main_(main), closed_(std::move(closed)) {}

  void start() {
    pipe_.async_read_some(asio::buffer(ignored_),
                          [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                            if (failure == asio::error::operation_aborted) {
                              return;
                            }
                            if (failure) {
                              self->main_.post(std::move(self->closed_));
                            } else {
                              self->start();
                            }
                          });
  }
  void abandon() override {
    ErrorCode ignored;
    pipe_.close(ignored);
  }

 private:
  asio::posix::stream_descriptor pipe_;
  IMainExecutor& main_;
  Task closed_;
  std::array<char, 16> ignored_{};
};

}  // namespace

Network::Loop::Loop()
    : work(context.get_executor()), door(std::make_shared<Door>(context)), thread([this] {
        setThreadRole(ThreadRole::kIo);
        context.run();
      }) {
  pthread_setname_np(thread.native_handle(), "downloads");
}

void Network::Loop::stop() {
  door->shut();
  context.stop();
  if (thread.joinable()) {
    thread.join();
  }
}

void Network::stop() {
  door_->shut();
  live_->abandonAll();
  downloads_.stop();
}

Request Network::routed(Request request) const {
  request.endpoint.proxy = proxies_.forServer(request.endpoint.server);
  return request;
}

void Network::post(Request request, std::string body, Completion<HttpAnswer> done) {
  door_->post([&context = session_, live = live_, request = routed(std::move(request)),
               body = std::move(body), answer = deliverOn(main_, std::move(done))]() mutable {
    postJson(context, *live, std::move(request), std::move(body), std::move(answer));
  });
}

std::shared_ptr<ISocket> Network::open(Request request, std::weak_ptr<ISocketListener> listener) {
  return openWebSocket(session_, door_, live_, main_, routed(std::move(request)),
                       std::move(listener));
}

void Network::download(Request request, std::filesystem::path file, std::uint64_t limit,
                       Completion<Download> done) {
  downloads_.door->post([&context = downloads_.context, request = routed(std::move(request)),
                         file = std::move(file), limit,
                         answer = deliverOn(main_, std::move(done))]() mutable {
    downloadFile(context, std::move(request), std::move(file), limit, std::move(answer));
  });
}

void Network::watchPipe(int descriptor, Task closed) {
  const auto watch = std::make_shared<PipeWatch>(session_, descriptor, main_, std::move(closed));
  if (live_->add(watch)) {
    watch->start();
  }
}

}  // namespace svc::serverlink
