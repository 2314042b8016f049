#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>
#include <spdlog/logger.h>

#include "access_proof.h"
#include "answer_budget.h"
#include "exchange.h"
#include "guard.h"
#include "http_counters.h"
#include "router.h"
#include "socket_owners.h"

namespace svc::http {

/// Bound to the concrete executor: the type-erased one costs a virtual call and an allocation per operation.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;
using TimePoint = std::chrono::steady_clock::time_point;

class Connection;

/// The place of a connection among those without a request.
struct IdlePlace
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
};

/// The other end of a connection.
struct Peer {
  std::string address{};
  /// A process of this machine has it.
  bool local = false;
  SocketOwner owner{};
};

/// Bounds of the transport that are not part of the contract.
struct TransportLimits {
  std::size_t connections = 16'384;
  /// Pipelined input kept while a handler runs.
  std::size_t pipelined = 64UL * 1024;
  /// Unsent bytes at which no further pipelined request is started.
  std::size_t unsent = 1024UL * 1024;
  /// Unsent bytes at which a writer that asked for it waits.
  std::size_t write_ahead = 64UL * 1024;
  /// Bytes of a streamed request body that are read before its handler asks for them.
  std::size_t read_ahead = 64UL * 1024;
  /// Unsent bytes of a streamed answer at which the client is cut off.
  std::size_t streamed = 8UL * 1024 * 1024;
  /// A refused body up to this size is read and discarded so that the connection can stay.
  std::size_t discarded_body = 64UL * 1024;
  /// How long a closing connection waits for the client to read the last answer.
  std::chrono::milliseconds linger{2000};
  /// Bytes of an answer in pieces that an in-process call collects.
  std::size_t collected = 64UL * 1024 * 1024;
};

using WebSocketHandlerPtr = std::shared_ptr<IWebSocketHandler>;

/// An accepted upgrade on its way from the connection to its WebSocket.
struct Upgrade {
  Socket socket;
  Request request;
  EndpointPtr endpoint;
  WebSocketHandlerPtr handler;
};

/// What every connection shares. Lives on the io thread.
struct ServerContext {
  Router& router;
  CurrentGuard guard;
  std::shared_ptr<AnswerQueue> answers;
  std::shared_ptr<BodyBudget> bodies;
  std::shared_ptr<HttpCounters> counters;
  AnswerBudget unsent{};
  /// What shows that an unknown user may; null when nobody is asked.
  std::shared_ptr<AccessProof> proof{};
  std::shared_ptr<spdlog::logger> log;
  TransportLimits limits{};
  /// Answers GET and HEAD of paths outside the API that no route has.
  EndpointPtr fallback{};
  std::function<void(Connection&)> remove{};
  std::function<void(Upgrade)> upgrade{};
  /// Coarse: moves with each tick and with each connection.
  TimePoint now{};
  /// Of the Date header; moves once per tick.
  std::string date{};
  bool draining = false;
  std::string id_prefix{};
  std::uint64_t last_id = 0;
  /// Connections that have no request and have sent everything; the one for which that is longest so first.
  boost::intrusive::list<IdlePlace, boost::intrusive::constant_time_size<false>> idle{};

  [[nodiscard]] std::string nextRequestId() {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), ++last_id, 36).ptr;
    return std::string(id_prefix).append(digits.data(), end);
  }
};

}  // namespace svc::http
