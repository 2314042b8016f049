#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <Poco/Net/Context.h>
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/SecureServerSocket.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/ThreadPool.h>
#include <fmt/format.h>

#include "svc/kernel/executor.h"

#include "server_address.h"
#include "test_certificate.h"

namespace svc::serverlink {

/// A server on a free port of this machine whose answers a test gives. The handler runs on threads of the server.
class TestServer {
 public:
  using Handler =
      std::function<void(Poco::Net::HTTPServerRequest&, Poco::Net::HTTPServerResponse&)>;

  explicit TestServer(Handler handler)
      : TestServer(std::move(handler), Poco::Net::ServerSocket(anyPort()), false) {}
  TestServer(Handler handler, const TestCertificate& certificate)
      : TestServer(std::move(handler), secure(certificate), true) {}
  ~TestServer() { stop(); }

  [[nodiscard]] ServerAddress address(const std::string& base_path = {}) const {
    return {tls_, "127.0.0.1", server_->port(), base_path};
  }
  /// Ends every connection, and waits for the handlers, which know what the test owns.
  void stop() {
    server_->stop();
    connections_->end();
    server_->stopAll(true);
    threads_.joinAll();
  }

 private:
  TestServer(Handler handler, Poco::Net::ServerSocket socket, bool tls) : tls_(tls) {
    auto* parameters = new Poco::Net::HTTPServerParams;
    parameters->setKeepAlive(false);
    server_ = std::make_unique<Poco::Net::HTTPServer>(new Factory(std::move(handler), connections_),
                                                      threads_, socket, parameters);
    server_->start();
  }

  static Poco::Net::SocketAddress anyPort() { return {"127.0.0.1", 0}; }
  static Poco::Net::ServerSocket secure(const TestCertificate& certificate) {
    const Poco::Net::Context::Ptr context(
        new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, certificate.key_file.string(),
                               certificate.file.string(), "", Poco::Net::Context::VERIFY_NONE));
    return Poco::Net::SecureServerSocket(anyPort(), 16, context);
  }

  /// Those that a handler has; Poco forgets one that becomes a WebSocket.
  class Connections {
   public:
    void add(const Poco::Net::StreamSocket& socket) {
      const std::scoped_lock lock(mutex_);
      sockets_.push_back(socket);
    }
    void remove(const Poco::Net::StreamSocket& socket) {
      const std::scoped_lock lock(mutex_);
      sockets_.erase(std::find(sockets_.begin(), sockets_.end(), socket));
      removed_.notify_all();
    }
    void end() {
      std::unique_lock lock(mutex_);
      for (const auto& socket : sockets_) {
        // Beside its thread, so without what TLS would say.
        ::shutdown(socket.impl()->sockfd(), SHUT_RDWR);
      }
      removed_.wait(lock, [this] { return sockets_.empty(); });
    }

   private:
    std::mutex mutex_;
    std::condition_variable removed_;
    std::vector<Poco::Net::StreamSocket> sockets_;
  };

  class Factory final : public Poco::Net::HTTPRequestHandlerFactory {
   public:
    Factory(Handler handler, std::shared_ptr<Connections> connections)
        : handler_(std::move(handler)), connections_(std::move(connections)) {}
    Poco::Net::HTTPRequestHandler* createRequestHandler(
        const Poco::Net::HTTPServerRequest& /*request*/) override {
      return new Answer(handler_, *connections_);
    }

   private:
    class Answer final : public Poco::Net::HTTPRequestHandler {
     public:
      Answer(Handler& handler, Connections& connections)
          : handler_(handler), connections_(connections) {}
      void handleRequest(Poco::Net::HTTPServerRequest& request,
                         Poco::Net::HTTPServerResponse& response) override {
        const auto socket = dynamic_cast<Poco::Net::HTTPServerRequestImpl&>(request).socket();
        connections_.add(socket);
        const Handle gone([this, &socket] { connections_.remove(socket); });
        handler_(request, response);
      }

     private:
      Handler& handler_;
      Connections& connections_;
    };
    Handler handler_;
    std::shared_ptr<Connections> connections_;
  };

  bool tls_;
  const std::shared_ptr<Connections> connections_ = std::make_shared<Connections>();
  Poco::ThreadPool threads_;
  std::unique_ptr<Poco::Net::HTTPServer> server_;
};

}  // namespace svc::serverlink
