#include "connector.h"

#include <sys/socket.h>

#include <algorithm>

#include <Poco/Net/IPAddress.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"

namespace svc::serverlink {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Tcp = asio::ip::tcp;

/// Headers of a proxy's answer.
constexpr std::size_t kProxyAnswer = 16UL * 1024;

// Between two questions whose the other end is, while its process has not accepted the connection.
constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kMostPause{50};

asio::ip::address plainAddress(const asio::ip::address& address) {
  return address.is_v6() && address.to_v6().is_v4_mapped()
             ? asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6())
             : address;
}

/// The other end sends nothing any more.
bool hasEnded(Tcp::socket& socket) {
  char next = 0;
  const auto size = ::recv(socket.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace

Connector::Connector(asio::io_context& context, Endpoint endpoint)
    : endpoint_(std::move(endpoint)),
      resolver_(context),
      socket_(context),
      deadline_(context),
      not_accepted_yet_(context) {}

void Connector::start(Done done) {
  done_ = std::move(done);
  deadline_.expires_after(limits::kSessionConnect);
  deadline_.async_wait([self = shared_from_this()](const ErrorCode& failure) {
    if (!failure && self->done_) {
      self->timed_out_ = true;
      self->fail(asio::error::timed_out);
    }
  });
  const auto& proxy = endpoint_.proxy;
  resolver_.async_resolve(
      proxy ? proxy->host : endpoint_.server.host,
      std::to_string(proxy ? proxy->port : endpoint_.server.port),
      [self = shared_from_this()](const ErrorCode& failure, const auto& addresses) {
        if (!self->done_) {
          return;
        }
        if (failure) {
          self->fail(failure);
        } else {
          self->connect(addresses);
        }
      });
}

void Connector::connect(const Tcp::resolver::results_type& addresses) {
  asio::async_connect(socket_, addresses,
                      [self = shared_from_this()](const ErrorCode& failure, const auto&) {
                        if (!self->done_) {
                          return;
                        }
                        if (failure) {
                          self->fail(failure);
                          return;
                        }
                        self->onConnected();
                      });
}

void Connector::onConnected() {
  ErrorCode ignored;
  socket_.set_option(Tcp::no_delay(true), ignored);
  if (endpoint_.proxy) {
    askProxy(*endpoint_.proxy);
  } else if (endpoint_.owner && staysOnMachine()) {
    checkOwner(kFirstPause);
  } else {
    proceed();
  }
}

bool Connector::staysOnMachine() const {
  ErrorCode failure;
  const auto remote = socket_.remote_endpoint(failure).address();
  return plainAddress(remote).is_loopback() || remote == socket_.local_endpoint(failure).address();
}

/// A connection is there before the process that listens has accepted it, and is of nobody until then.
void Connector::checkOwner(std::chrono::milliseconds pause) {
  using Kind = base::SocketOwner::Kind;
  const auto found = endpoint_.owner->ask(socket_.native_handle());
  if (found.kind != Kind::kUser && hasEnded(socket_)) {
    fail(asio::error::eof);
    return;
  }
  if (found.kind == Kind::kNobody) {
    not_accepted_yet_.expires_after(pause);
    not_accepted_yet_.async_wait([self = shared_from_this(), pause](const ErrorCode& failure) {
      if (!failure && self->done_) {
        self->checkOwner(std::min(2 * pause, kMostPause));
      }
    });
    return;
  }
  if (auto admitted = endpoint_.owner->admit(found, endpoint_.server.text()); !admitted) {
    finish(std::move(admitted).error());
    return;
  }
  proceed();
}

/// Also for servers without TLS: a WebSocket needs the way as it is.
void Connector::askProxy(const Proxy& proxy) {
  const auto& server = endpoint_.server;
  const auto name =
      server.host.find(':') == std::string::npos ? server.host : "[" + server.host + "]";
  proxy_text_ = fmt::format(
      "CONNECT {0}:{1} HTTP/1.1\r\nHost: {0}:{1}\r\n{2}\r\n", name, server.port,
      proxy.authorization.empty() ? "" : "Proxy-Authorization: " + proxy.authorization + "\r\n");
  asio::async_write(socket_, asio::buffer(proxy_text_),
                    [self = shared_from_this(), proxy](const ErrorCode& failure, std::size_t) {
                      if (!self->done_) {
                        return;
                      }
                      if (failure) {
                        self->fail(failure);
                        return;
                      }
                      self->proxy_text_.clear();
                      self->onProxyAnswer(proxy);
                    });
}

void Connector::onProxyAnswer(const Proxy& proxy) {
  asio::async_read_until(
      socket_, asio::dynamic_buffer(proxy_text_, kProxyAnswer), "\r\n\r\n",
      [self = shared_from_this(), proxy](const ErrorCode& failure, std::size_t) {
        if (!self->done_) {
          return;
        }
        const auto line = self->proxy_text_.substr(0, self->proxy_text_.find("\r\n"));
        const auto space = line.find(' ');
        if (!failure && line.starts_with("HTTP/1.") && space != std::string::npos &&
            line.compare(space + 1, 1, "2") == 0) {
          self->proceed();
          return;
        }
        if (self->timed_out_) {
          self->fail(failure);
          return;
        }
        self->finish(
            Error{errc::kHostUnavailable,
                  fmt::format("the proxy {}:{} opens no way to {}: {}", proxy.host, proxy.port,
                              self->endpoint_.server.text(), failure ? failure.message() : line)});
      });
}

void Connector::proceed() {
  if (endpoint_.server.tls) {
    handshake();
  } else {
    finish(NetStream(std::move(socket_)));
  }
}

void Connector::handshake() {
  auto settings = tlsContext(endpoint_, finding_);
  if (!settings) {
    finish(std::move(settings).error());
    return;
  }
  tls_settings_ = std::move(settings).value();
  tls_ = std::make_unique<NetStream::TlsStream>(std::move(socket_), *tls_settings_);
  Poco::Net::IPAddress numeric;
  if (!Poco::Net::IPAddress::tryParse(endpoint_.server.host, numeric)) {
    // Servers with several names choose their certificate by it.
    std::string name = endpoint_.server.host;
    SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             name.data());
  }
  tls_->async_handshake(asio::ssl::stream_base::client,
                        [self = shared_from_this()](const ErrorCode& failure) {
                          if (!self->done_) {
                            return;
                          }
                          if (!failure) {
                            self->finish(NetStream(std::move(self->tls_), self->tls_settings_));
                          } else if (!self->timed_out_ && !self->finding_->problem.empty()) {
                            self->finish(untrusted(self->endpoint_, *self->finding_));
                          } else {
                            self->fail(failure);
                          }
                        });
}

void Connector::abort() { finish(Error{errc::kAborted, "the connection was given up"}); }

void Connector::fail(const ErrorCode& failure) {
  if (timed_out_) {
    finish(
        Error{errc::kTimeout, fmt::format("{} did not answer within {} s", endpoint_.server.text(),
                                          limits::kSessionConnect.count() / 1000)});
    return;
  }
  const auto via = endpoint_.proxy ? fmt::format(" through the proxy {}:{}", endpoint_.proxy->host,
                                                 endpoint_.proxy->port)
                                   : "";
  const bool speaks_http =
      endpoint_.server.tls && failure.category() == asio::error::get_ssl_category();
  finish(Error{errc::kHostUnavailable,
               fmt::format("cannot connect to {}{}: {}{}", endpoint_.server.text(), via,
                           failure.message(), speaks_http ? " (is that an https server?)" : "")});
}

void Connector::finish(Result<NetStream> result) {
  if (auto done = std::exchange(done_, nullptr)) {
    deadline_.cancel();
    not_accepted_yet_.cancel();
    resolver_.cancel();
    ErrorCode ignored;
    if (tls_) {
      tls_->next_layer().close(ignored);
    } else {
      socket_.close(ignored);
    }
    done(std::move(result));
  }
}

}  // namespace svc::serverlink
