#include "http.h"

#include <array>
#include <istream>
#include <iterator>
#include <ostream>

#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/String.h>
#include <Poco/Timespan.h>

#include "child.h"

namespace svc::test {
namespace {

Poco::Timespan deadline() { return {static_cast<long>(kDeadline.count()) * 2, 0}; }

}  // namespace

Http::Http(std::uint16_t port) : session_("127.0.0.1", port) {
  session_.setKeepAlive(true);
  session_.setTimeout(deadline());
}

Answer Http::send(const Request& request) {
  Poco::Net::HTTPRequest message(request.method, request.target, Poco::Net::HTTPMessage::HTTP_1_1);
  for (const auto& [name, value] : request.headers) {
    message.set(name, value);
  }
  if (request.method != "GET") {
    message.setContentLength64(static_cast<Poco::Int64>(request.body.size()));
  }
  session_.sendRequest(message) << request.body << std::flush;
  Poco::Net::HTTPResponse head;
  auto& stream = session_.receiveResponse(head);
  Answer answer;
  answer.status = head.getStatus();
  answer.content_type = head.getContentType();
  answer.cache_control = head.get("Cache-Control", "");
  answer.request_id = head.get("x-request-id", "");
  for (const auto& [name, value] : head) {
    answer.headers[Poco::toLower(name)] = value;
  }
  answer.body.assign(std::istreambuf_iterator<char>(stream), {});
  if (const auto* const failure = session_.networkException()) {
    failure->rethrow();
  }
  if (auto parsed = common::Json::parse(answer.body)) {
    answer.json = std::move(parsed).value();
  }
  return answer;
}

Answer Http::post(const std::string& target, const std::string& json) {
  return send({.method = "POST",
               .target = target,
               .body = json,
               .headers = {{"Content-Type", "application/json"}}});
}

Answer Http::rpc(const std::string& plugin, const std::string& method, const std::string& input) {
  return post("/api/v1/plugins/" + plugin + "/rpc/" + method, input);
}

std::string exchangeRaw(std::uint16_t port, const std::string& bytes) {
  Poco::Net::StreamSocket socket(Poco::Net::SocketAddress("127.0.0.1", port));
  socket.setReceiveTimeout(deadline());
  socket.sendBytes(bytes.data(), static_cast<int>(bytes.size()));
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const int size = socket.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
    if (size <= 0) {
      return text;
    }
    text.append(buffer.data(), static_cast<std::size_t>(size));
    const auto end = text.find("\r\n\r\n");
    if (end == std::string::npos) {
      continue;
    }
    const auto at = text.find("Content-Length: ");
    const auto length = at == std::string::npos ? 0 : std::stoul(text.substr(at + 16));
    if (text.size() >= end + 4 + length) {
      return text;
    }
  }
}

}  // namespace svc::test
