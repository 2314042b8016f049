#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocket.h>

namespace svc::test {

/// An address of a server that keeps when the server gets another port. Listens on a port of its own and passes on every connection
/// as it is.
class Relay {
 public:
  explicit Relay(std::uint16_t target);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  [[nodiscard]] std::string url() const;
  /// Where connections lead from now on.
  void leadTo(std::uint16_t target) { target_ = target; }
  /// Ends every connection there is; new ones are passed on.
  void cut();

 private:
  struct Link {
    Poco::Net::StreamSocket near;
    Poco::Net::StreamSocket far;
  };

  void accept();
  void pass(const std::shared_ptr<Link>& link);

  Poco::Net::ServerSocket listener_;
  std::atomic<std::uint16_t> target_;
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  // Guarded; the threads are of the acceptor, until it has ended.
  std::vector<std::shared_ptr<Link>> links_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace svc::test
