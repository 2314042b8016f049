#include "threads/live_thread.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <utility>

#include "svc/base/fd.h"

#include "exit_code.h"
#include "interrupts.h"
#include "wire/web_socket.h"

namespace svc::client {
namespace {

using common::Json;
using Clock = std::chrono::steady_clock;
using Kind = ThreadNews::Kind;

/// Bounds the connection and each wait for the server while it is made.
constexpr std::chrono::seconds kSocketPatience{10};
/// Bytes of one message; a server's are far below.
constexpr std::size_t kNoticeBytes = 64UL * 1024 * 1024;
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
    auto status = subscribe(address);
    if (!status) {
      socket_.reset();
    }
    return status;
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
      if (const auto news = readNotice(); news && news->kind != Kind::kNothing) {
        return *news;
      } else if (news && Clock::now() < until) {
        continue;  // more may have come with it
      }
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      if (left <= 0) {
        return {};
      }
      std::array<pollfd, 3> events{
          {{.fd = interrupts_.descriptor(), .events = POLLIN, .revents = 0},
           {.fd = socket_ ? socket_->descriptor() : -1, .events = POLLIN, .revents = 0},
           {.fd = want_line && !input_ended_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}}};
      (void)::poll(events.data(), events.size(), static_cast<int>(left));
      if (events[2].revents != 0 && !readInput()) {
        return {.kind = Kind::kNoMoreLines};
      }
    }
  }

 private:
  Status subscribe(const ServerAddress& address) {
    const auto at = HttpAddress::parse(address.url);
    if (!at || at->tls) {
      return Error{errc::kInvalidArgument, "\"" + address.url + "\" is not a server address"};
    }
    WebSocket::Settings settings{
        .target = "/api/v1/ws", .message_bytes = kNoticeBytes, .patience = kSocketPatience};
    if (!address.access_token.empty()) {
      settings.headers.emplace_back("x-svc-access-token", address.access_token);
    }
    auto opened = WebSocket::open(*at, settings);
    if (!opened) {
      return std::move(opened).error();
    }
    socket_ = std::move(opened).value();
    for (const auto& text : {R"({"type":"subscribe","target":{"kind":"thread-detail","threadId":)" +
                                 Json(thread_id_).dump() + "}}",
                             std::string(R"({"type":"ping"})")}) {
      if (auto said = socket_->send(text); !said) {
        return lost(address, said.error());
      }
    }
    return answered(address);
  }

  /// The subscription stands once the ping behind it is answered.
  Status answered(const ServerAddress& address) {
    for (int left = kMessagesBefore; left > 0; --left) {
      const auto message = socket_->receive(kSocketPatience);
      if (!message) {
        return lost(address, message.error());
      }
      if (!message.value()) {
        return Error{errc::kTimeout, "no answer from " + address.url + " in time"};
      }
      if (parsed(*message.value())["type"].asString() == "pong") {
        return {};
      }
    }
    return lost(address, Error{errc::kAborted, "it does not answer"});
  }

  static Error lost(const ServerAddress& address, const Error& why) {
    return {why.code, "the connection to " + address.url + " was lost: " + why.message};
  }

  /// Null for what is no JSON.
  static Json parsed(const std::string& text) {
    auto message = Json::parse(text);
    return message ? std::move(message).value() : Json();
  }

  /// What one message says, or that there is none any more; nothing when none has come.
  std::optional<ThreadNews> readNotice() {
    if (!socket_) {
      return std::nullopt;
    }
    const auto message = socket_->receive(std::chrono::milliseconds::zero());
    if (!message) {
      socket_.reset();
      return ThreadNews{.kind = Kind::kLost};
    }
    if (!message.value()) {
      return std::nullopt;
    }
    const auto notice = parsed(*message.value());
    const bool ours = notice["type"].asString() == "changed" &&
                      notice["entity"].asString() == "thread" &&
                      notice["id"].asString() == thread_id_;
    return ours ? ThreadNews{.kind = Kind::kChanged, .metadata = notice["metadata"]} : ThreadNews{};
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
  std::unique_ptr<WebSocket> socket_;
  std::string input_;
  bool input_ended_ = false;
};

}  // namespace

std::unique_ptr<ILiveThread> openLiveThread(const std::string& thread_id) {
  return std::make_unique<LiveThread>(thread_id);
}

}  // namespace svc::client
