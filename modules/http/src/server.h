#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>

#include "svc/common/limits/http.h"

#include "memory_peak.h"
#include "reactor.h"
#include "server_context.h"
#include "socket_owners.h"
#include "web_socket_session.h"

namespace svc::http {

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  TransportLimits limits{};
  BodyBudget::Limits bodies{};
  /// Which user a connection is of, and what else shows that its sender may. Null: nobody is asked.
  std::shared_ptr<ISocketOwners> owners{};
  std::shared_ptr<AccessProof> proof{};
  /// How often deadlines are looked at.
  std::chrono::milliseconds tick{1000};
  /// Memory that bodies and answers had taken is free: whoever is here gives it back to the system. On the io thread; must not block.
  std::function<void()> give_back{};
  /// How long drain() lets answers in progress finish.
  std::chrono::milliseconds drain_grace = limits::kWsShutdown;
};

/// The listening socket, its connections and its WebSockets. Routes may be added from any thread; the rest lives on
/// the io thread, entered through listen(), accept(), drain() and close().
class Server final : public IHttpServer {
 public:
  Server(ServerOptions options, GuardPolicy guard, Reactor& reactor, const IClock& clock,
         std::shared_ptr<spdlog::logger> log);
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Binds the address. Before the reactor starts.
  [[nodiscard]] Status listen();
  /// Begins to serve. Any thread.
  void accept();
  /// Stops accepting, closes what is idle, lets the rest finish for the grace time, then cuts it. `done` runs on the io
  /// thread. Any thread.
  void drain(Task done);
  /// Cuts everything that is left. Call before the reactor stops; returns when it is done.
  void close();

  /// Who may call from now on. One thread at a time.
  void setGuard(GuardPolicy guard) { context_.guard.replace(std::move(guard)); }
  /// What request bodies may take from now on. Any thread.
  void setBodyLimits(BodyBudget::Limits limits) {
    context_.bodies->setLimits(limits);
    context_.unsent.setLimit(limits.process);
  }
  /// What answers GET outside the API where no route matches. Before accept().
  void setFallback(Handler handler);
  /// io thread.
  [[nodiscard]] bool draining() const { return context_.draining; }

  [[nodiscard]] Result<Handle> route(Route route, Handler handler) override;
  [[nodiscard]] Result<Handle> webSocket(WebSocketRoute route, WebSocketAcceptor acceptor) override;
  [[nodiscard]] Result<Handle> webSocketAsync(WebSocketRoute route,
                                              AsyncWebSocketAcceptor acceptor) override;
  [[nodiscard]] Status check(Guard guard, const Request& request) const override;
  [[nodiscard]] bool serves(std::string_view method, std::string_view path) const override;
  /// For what describes them. Any thread.
  [[nodiscard]] std::vector<EndpointPtr> routes() const { return router_.endpoints(); }
  void dispatch(Request request, std::stop_token stop, Completion<Response> done) override;
  [[nodiscard]] std::string baseUrl() const override;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Any thread, also after the server has gone.
  [[nodiscard]] std::shared_ptr<IHttpStats> stats() const { return context_.counters; }

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp,
                                                      boost::asio::io_context::executor_type>;

  void scheduleTick();
  void tick();
  void acceptNext();
  void acceptAll();
  [[nodiscard]] bool acceptOne();
  [[nodiscard]] bool acceptFailed(int failure);
  [[nodiscard]] bool closeOldestIdle();
  void addConnection(Socket socket);
  void upgrade(Upgrade upgrade);
  void beginDrain(Task done);
  void cutAll();
  void finishDrainWhenEmpty();
  void countOpen() { context_.counters->setOpen(connections_.size(), web_sockets_.size()); }

  ServerOptions options_;
  Reactor& reactor_;
  const IClock& clock_;
  std::shared_ptr<spdlog::logger> log_;
  Router router_;
  ServerContext context_;
  WebSocketContext web_socket_context_;
  Acceptor acceptor_;
  std::uint16_t port_ = 0;

  // io thread
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::unordered_map<IWebSocketSession*, std::shared_ptr<IWebSocketSession>> web_sockets_;
  /// When the log last said that there are no descriptors for connections.
  std::optional<std::chrono::steady_clock::time_point> exhaustion_told_;
  Task drained_;
  Handle tick_timer_;
  TimePoint ticked_{};  ///< the time of the last tick
  MemoryPeak memory_;
  Handle accept_timer_;
  Handle drain_timer_;
};

}  // namespace svc::http
