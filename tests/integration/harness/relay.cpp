#include "relay.h"

#include <sys/socket.h>

#include <array>

#include <Poco/Exception.h>
#include <Poco/Net/SocketAddress.h>
#include <fmt/format.h>

namespace svc::test {
namespace {

/// One direction, until either side ends.
void copy(Poco::Net::StreamSocket& from, Poco::Net::StreamSocket& to) {
  std::array<char, 64UL * 1024> bytes{};
  try {
    for (int count = 1; count > 0;) {
      count = from.receiveBytes(bytes.data(), static_cast<int>(bytes.size()));
      for (int sent = 0; sent < count;) {
        sent += to.sendBytes(bytes.data() + sent, count - sent);
      }
    }
  } catch (const Poco::Exception&) {
    // A side was killed.
  }
  for (const auto* each : {&from, &to}) {
    ::shutdown(each->impl()->sockfd(), SHUT_RDWR);
  }
}

}  // namespace

Relay::Relay(std::uint16_t target)
    : listener_(Poco::Net::SocketAddress("127.0.0.1", 0)),
      target_(target),
      acceptor_([this] { accept(); }) {}

Relay::~Relay() {
  over_ = true;
  ::shutdown(listener_.impl()->sockfd(), SHUT_RDWR);
  acceptor_.join();
  for (const auto& link : links_) {
    ::shutdown(link->near.impl()->sockfd(), SHUT_RDWR);
    ::shutdown(link->far.impl()->sockfd(), SHUT_RDWR);
  }
  for (auto& thread : threads_) {
    thread.join();
  }
}

std::string Relay::url() const {
  return fmt::format("http://127.0.0.1:{}", listener_.address().port());
}

void Relay::cut() {
  const std::scoped_lock lock(mutex_);
  for (const auto& link : links_) {
    ::shutdown(link->near.impl()->sockfd(), SHUT_RDWR);
    ::shutdown(link->far.impl()->sockfd(), SHUT_RDWR);
  }
}

void Relay::accept() {
  while (!over_) {
    try {
      auto link = std::make_shared<Link>();
      link->near = listener_.acceptConnection();
      link->far.connect(Poco::Net::SocketAddress("127.0.0.1", target_.load()));
      pass(link);
    } catch (const Poco::Exception&) {
      // Nobody listens there now: the connection ends.
    }
  }
}

void Relay::pass(const std::shared_ptr<Link>& link) {
  {
    const std::scoped_lock lock(mutex_);
    links_.push_back(link);
  }
  threads_.emplace_back([link] { copy(link->near, link->far); });
  threads_.emplace_back([link] { copy(link->far, link->near); });
}

}  // namespace svc::test
