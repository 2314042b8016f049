#include "threads/live_thread.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <utility>

#include <Poco/Buffer.h>
#include <Poco/Exception.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/WebSocket.h>
#include <Poco/URI.h>

#include "svc/base/fd.h"

#include "exit_code.h"
#include "interrupts.h"

namespace svc::client {
namespace {

using common::Json;
using Clock = std::chrono::steady_clock;
using Poco::Net::WebSocket;
using Kind = ThreadNews::Kind;

/// Bounds the connection, and the rest of a message once it has begun.
constexpr long kSocketSeconds = 10;
/// Bytes of one message; a server's are far below.
constexpr int kMessageBytes = 64 * 1024 * 1024;
/// Messages that may come before the answer to the subscription.
constexpr int kMessagesBefore = 10'000;
/// Bytes of a line that somebody types.
constexpr std::size_t kLineBytes = 1024UL * 1024;

class LiveThread final : public ILiveThread {
 public:
  explicit LiveThread(std::string thread_id)
      : thread_id_(std::move(thread_id)), interrupts_(kExitInterrupted) {}

  Status connect(const ServerAddress& address) override {
    socket_.reset();
    try {
      open(address);
      say(R"({"type":"subscribe","target":{"kind":"thread-detail","threadId":)" +
          Json(thread_id_).dump() + "}}");
      say(R"({"type":"ping"})");
      for (int left = kMessagesBefore; left > 0; --left) {
        const auto message = receive();
        if (!message) {
          break;
        }
        if (message.value()["type"].asString() == "pong") {
          return {};
        }
      }
    } catch (const Poco::TimeoutException&) {
      socket_.reset();
      return Error{errc::kTimeout, "no answer from " + address.url + " in time"};
    } catch (const Poco::Exception& failure) {
      socket_.reset();
      return Error{errc::kUnavailable,
                   "nothing answers at " + address.url + ": " + failure.displayText()};
    }
    socket_.reset();
    return Error{errc::kAborted, "the connection to " + address.url + " was lost"};
  }

  ThreadNews next(bool want_line, std::chrono::milliseconds patience) override {
    const auto until = Clock::now() + patience;
    for (;;) {
      if (interrupts_.raised()) {
        return {.kind = Kind::kInterrupted};
      }
      if (want_line) {
        if (auto line = takeLine()) {
          return {.kind = Kind::kLine, .line = std::move(*line)};
        }
      }
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      if (left <= 0) {
        return {};
      }
      std::array<pollfd, 3> events{
          {{.fd = interrupts_.descriptor(), .events = POLLIN, .revents = 0},
           {.fd = socket_ ? socket_->impl()->sockfd() : -1, .events = POLLIN, .revents = 0},
           {.fd = want_line && !input_ended_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}}};
      (void)::poll(events.data(), events.size(), static_cast<int>(left));
      if (events[2].revents != 0 && !readInput()) {
        return {.kind = Kind::kNoMoreLines};
      }
      if (events[1].revents != 0) {
        auto news = readNotice();
        if (news.kind != Kind::kNothing) {
          return news;
        }
      }
    }
  }

 private:
  void open(const ServerAddress& address) {
    const Poco::URI base(address.url);
    Poco::Net::HTTPClientSession session(base.getHost(), base.getPort());
    session.setTimeout(Poco::Timespan(kSocketSeconds, 0));
    auto path = base.getPath();
    while (path.ends_with('/')) {
      path.pop_back();
    }
    Poco::Net::HTTPRequest request("GET", path + "/api/v1/ws", Poco::Net::HTTPMessage::HTTP_1_1);
    if (!address.access_token.empty()) {
      request.set("x-svc-access-token", address.access_token);
    }
    Poco::Net::HTTPResponse response;
    socket_.emplace(session, request, response);
    socket_->setReceiveTimeout(Poco::Timespan(kSocketSeconds, 0));
    socket_->setSendTimeout(Poco::Timespan(kSocketSeconds, 0));
    socket_->setMaxPayloadSize(kMessageBytes);
  }

  void say(const std::string& text) {
    socket_->sendFrame(text.data(), static_cast<int>(text.size()), WebSocket::FRAME_TEXT);
  }

  /// One message; null for what is none. An error when the connection ends.
  Result<Json> receive() {
    Poco::Buffer<char> bytes(0);
    int flags = 0;
    const int count = socket_->receiveFrame(bytes, flags);
    const int kind = flags & WebSocket::FRAME_OP_BITMASK;
    if ((count <= 0 && flags == 0) || kind == WebSocket::FRAME_OP_CLOSE) {
      return Error{errc::kAborted, "the server has closed the connection"};
    }
    if (kind == WebSocket::FRAME_OP_PING) {
      socket_->sendFrame(bytes.begin(), count,
                         static_cast<int>(WebSocket::FRAME_FLAG_FIN) | WebSocket::FRAME_OP_PONG);
      return Json();
    }
    auto message = Json::parse(std::string_view(bytes.begin(), bytes.size()));
    return message ? std::move(message).value() : Json();
  }

  ThreadNews readNotice() {
    try {
      if (const auto message = receive(); message) {
        const auto& notice = message.value();
        const bool ours = notice["type"].asString() == "changed" &&
                          notice["entity"].asString() == "thread" &&
                          notice["id"].asString() == thread_id_;
        return ours ? ThreadNews{.kind = Kind::kChanged, .metadata = notice["metadata"]}
                    : ThreadNews{};
      }
    } catch (const Poco::Exception&) {
      // Lost, as when the server closes it.
    }
    socket_.reset();
    return {.kind = Kind::kLost};
  }

  std::optional<std::string> takeLine() {
    const auto end = input_.find('\n');
    if (end == std::string::npos) {
      return std::nullopt;
    }
    auto line = input_.substr(0, end);
    input_.erase(0, end + 1);
    return line;
  }

  bool readInput() {
    std::array<char, 4096> bytes{};
    const auto count = base::readSome(STDIN_FILENO, bytes.data(), bytes.size());
    if (count <= 0 || input_.size() > kLineBytes) {
      input_ended_ = true;
      return false;
    }
    input_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }

  const std::string thread_id_;
  const Interrupts interrupts_;
  std::optional<WebSocket> socket_;
  std::string input_;
  bool input_ended_ = false;
};

}  // namespace

std::unique_ptr<ILiveThread> openLiveThread(const std::string& thread_id) {
  return std::make_unique<LiveThread>(thread_id);
}

}  // namespace svc::client
