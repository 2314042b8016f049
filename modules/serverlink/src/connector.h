#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "svc/kernel/result.h"

#include "net_stream.h"
#include "tls.h"
#include "transport.h"

namespace svc::serverlink {

/// Makes one connection: name, TCP, whose its other end is, the way through a proxy, TLS, within L:session-retry's connect time. Lives on the thread of the context.
class Connector : public std::enable_shared_from_this<Connector> {
 public:
  using Done = std::function<void(Result<NetStream>)>;

  Connector(boost::asio::io_context& context, Endpoint endpoint);
  /// Fires once on the context's thread: `host_unavailable`, `timeout`, kUntrustedCertificate or kForeignServer when it fails.
  void start(Done done);
  /// Fires with `aborted` when it still runs.
  void abort();

 private:
  void connect(const boost::asio::ip::tcp::resolver::results_type& addresses);
  void onConnected();
  void checkOwner(std::chrono::milliseconds pause);
  [[nodiscard]] bool staysOnMachine() const;
  void askProxy(const Proxy& proxy);
  void onProxyAnswer(const Proxy& proxy);
  void proceed();
  void handshake();
  void finish(Result<NetStream> result);
  void fail(const boost::system::error_code& failure);

  Endpoint endpoint_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer not_accepted_yet_;
  std::string proxy_text_;  // what is said to the proxy, then what it answers
  std::shared_ptr<boost::asio::ssl::context> tls_settings_;
  std::unique_ptr<NetStream::TlsStream> tls_;
  std::shared_ptr<CertificateFinding> finding_ = std::make_shared<CertificateFinding>();
  bool timed_out_ = false;
  Done done_;
};

}  // namespace svc::serverlink
