#include "socket.h"

#include <chrono>

#include <Poco/Buffer.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/NetException.h>

#include "child.h"

namespace svc::test {
namespace {

using Poco::Net::WebSocket;

}  // namespace

Socket::Socket(std::uint16_t port, const std::string& path) : session_("127.0.0.1", port) {
  Poco::Net::HTTPRequest request(Poco::Net::HTTPRequest::HTTP_GET, path,
                                 Poco::Net::HTTPMessage::HTTP_1_1);
  Poco::Net::HTTPResponse response;
  socket_ = std::make_unique<WebSocket>(session_, request, response);
  socket_->setMaxPayloadSize(8 * 1024 * 1024);
}

std::optional<std::string> Socket::receive() {
  const auto until = std::chrono::steady_clock::now() + kDeadline;
  while (!close_code_) {
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      return std::nullopt;
    }
    socket_->setReceiveTimeout(Poco::Timespan(left.count()));
    Poco::Buffer<char> buffer(0);
    int flags = 0;
    int size = 0;
    try {
      size = socket_->receiveFrame(buffer, flags);
    } catch (const Poco::TimeoutException&) {
      return std::nullopt;
    } catch (const Poco::Net::NetException&) {
      close_code_ = 0;
      return std::nullopt;
    }
    const int opcode = flags & WebSocket::FRAME_OP_BITMASK;
    if (opcode == WebSocket::FRAME_OP_PING) {
      socket_->sendFrame(buffer.begin(), size,
                         static_cast<int>(WebSocket::FRAME_FLAG_FIN) | WebSocket::FRAME_OP_PONG);
    } else if (opcode == WebSocket::FRAME_OP_CLOSE) {
      const auto high = size >= 2 ? static_cast<unsigned char>(buffer[0]) : 0U;
      const auto low = size >= 2 ? static_cast<unsigned char>(buffer[1]) : 0U;
      close_code_ = static_cast<std::uint16_t>((high << 8U) | low);
    } else if (size <= 0) {
      close_code_ = 0;
    } else {
      return std::string(buffer.begin(), static_cast<std::size_t>(size));
    }
  }
  return std::nullopt;
}

std::optional<common::Json> Socket::await(const std::function<bool(const common::Json&)>& wanted) {
  while (auto text = receive()) {
    auto message = common::Json::parse(*text);
    if (message && wanted(message.value())) {
      return std::move(message).value();
    }
  }
  return std::nullopt;
}

std::optional<common::Json> Socket::awaitSignal(const std::string& plugin,
                                                const std::string& channel) {
  auto message = await([&](const common::Json& json) {
    return json["type"].asString() == "plugin-signal" && json["pluginId"].asString() == plugin &&
           json["channel"].asString() == channel;
  });
  return message ? std::optional((*message)["payload"]) : std::nullopt;
}

bool Socket::awaitSignal(const std::string& plugin, const std::string& channel,
                         const std::string& payload) {
  while (const auto found = awaitSignal(plugin, channel)) {
    if (found->dump() == payload) {
      return true;
    }
  }
  return false;
}

bool Socket::awaitStatus(const std::string& plugin, const std::string& status) {
  return await([&](const common::Json& json) {
           if (json["type"].asString() != "plugins-changed") {
             return false;
           }
           for (const auto& entry : json["plugins"].items()) {
             if (entry["id"].asString() == plugin && entry["status"].asString() == status) {
               return true;
             }
           }
           return false;
         })
      .has_value();
}

std::optional<std::uint16_t> Socket::awaitClose() {
  while (receive()) {
  }
  return close_code_;
}

void Socket::send(const std::string& text) {
  socket_->sendFrame(text.data(), static_cast<int>(text.size()));
}

}  // namespace svc::test
