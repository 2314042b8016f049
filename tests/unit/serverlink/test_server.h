#pragma once

#include <functional>
#include <memory>
#include <string>

#include <Poco/Net/Context.h>
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/SecureServerSocket.h>
#include <Poco/Net/ServerSocket.h>
#include <fmt/format.h>

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
  void stop() { server_->stopAll(true); }

 private:
  TestServer(Handler handler, Poco::Net::ServerSocket socket, bool tls) : tls_(tls) {
    auto* parameters = new Poco::Net::HTTPServerParams;
    parameters->setKeepAlive(false);
    server_ = std::make_unique<Poco::Net::HTTPServer>(new Factory(std::move(handler)), socket,
                                                      parameters);
    server_->start();
  }

  static Poco::Net::SocketAddress anyPort() { return {"127.0.0.1", 0}; }
  static Poco::Net::ServerSocket secure(const TestCertificate& certificate) {
    const Poco::Net::Context::Ptr context(
        new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, certificate.key_file.string(),
                               certificate.file.string(), "", Poco::Net::Context::VERIFY_NONE));
    return Poco::Net::SecureServerSocket(anyPort(), 16, context);
  }

  class Factory final : public Poco::Net::HTTPRequestHandlerFactory {
   public:
    explicit Factory(Handler handler) : handler_(std::move(handler)) {}
    Poco::Net::HTTPRequestHandler* createRequestHandler(
        const Poco::Net::HTTPServerRequest& /*request*/) override {
      return new Answer(handler_);
    }

   private:
    class Answer final : public Poco::Net::HTTPRequestHandler {
     public:
      explicit Answer(Handler& handler) : handler_(handler) {}
      void handleRequest(Poco::Net::HTTPServerRequest& request,
                         Poco::Net::HTTPServerResponse& response) override {
        handler_(request, response);
      }

     private:
      Handler& handler_;
    };
    Handler handler_;
  };

  bool tls_;
  std::unique_ptr<Poco::Net::HTTPServer> server_;
};

}  // namespace svc::serverlink
