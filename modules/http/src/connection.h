#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/beast/core/flat_buffer.hpp>

#include "exchange.h"
#include "output_queue.h"
#include "request_parser.h"
#include "response_writer.h"
#include "server_context.h"

namespace svc::http {

/// One client connection: reads requests, one at a time and in order, hands them to their handlers, and writes the
/// answers. Lives on the io thread.
class Connection final : public IAnswerSink,
                         public IdlePlace,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(Socket socket, Peer peer, ServerContext& context);

  void start();
  /// Enforces the deadlines.
  void tick(TimePoint now);
  /// Closes when idle, otherwise after the answer in progress.
  void drain();
  void close();
  void deliver(Answer answer) override;

 private:
  enum class State : std::uint8_t {
    kHead,       ///< between requests, or reading a header
    kBody,       ///< reading a body
    kHandling,   ///< a handler owes the answer
    kAccepting,  ///< an acceptor owes its decision about a WebSocket
    kStreaming,  ///< a handler sends the answer in pieces
    kClosing,    ///< the last answer is queued
    kLinger,     ///< everything is sent; waiting for the client to close
    kClosed,
  };

  // connection.cpp: bytes in, bytes out.
  void process();
  [[nodiscard]] bool step();
  [[nodiscard]] bool readHead();
  [[nodiscard]] bool readBody();
  [[nodiscard]] bool pumpBody();
  void armRead();
  void onRead(const boost::system::error_code& failure, std::size_t bytes);
  void onEndOfInput();
  void flush();
  void writeLater();
  void onWritten(const boost::system::error_code& failure, std::size_t bytes);
  void onFlushed();
  void becomeIdle();
  void clientGone();
  [[nodiscard]] std::string_view input() const;

  // request_cycle.cpp: from the header to the handler.
  void beginMessage();
  void onHeader();
  void identify();
  void identifySender();
  void routeRequest(RouteMatch match);
  [[nodiscard]] bool applyGuard(Guard guard);
  [[nodiscard]] bool isPreflight(const RouteMatch& match) const;
  void answerOptions(const RouteMatch& match);
  void refusePage();
  void answerUnknown(const RouteMatch& match);
  [[nodiscard]] bool wantsWebSocket() const;
  void acceptWebSocket();
  void callAcceptor();
  void acceptorAnswered(Result<WebSocketHandlerPtr> accepted);
  [[nodiscard]] BodySender bodySender() const;
  void expectBody();
  void dispatch();
  void refuse(const Error& error);
  void refuse(Response response);

  // answer_cycle.cpp: from the answer to the wire.
  void writeResponse(Response response);
  [[nodiscard]] bool hasRoom(std::size_t body);
  void beginStream(const Response& head);
  void writePiece(std::string piece, Completion<void> taken);
  void finishAnswer();
  void readRequested(Completion<std::string> done);
  void feedReader();
  void dropRestOfBody();
  [[nodiscard]] bool releaseWriters();
  void endTransfers(const Error& reason);
  [[nodiscard]] ResponseFacts responseFacts() const;
  [[nodiscard]] const std::string* headerAt(std::optional<std::size_t> position) const;

  Socket socket_;
  Peer peer_;
  ServerContext& context_;

  State state_ = State::kHead;
  bool processing_ = false;
  // More input waits, but too much output is unsent.
  bool paused_ = false;
  bool reading_ = false;
  bool writing_ = false;
  bool end_of_input_ = false;
  boost::beast::flat_buffer in_;
  OutputQueue out_;
  TimePoint deadline_{};
  TimePoint write_deadline_{};

  // The request being read or answered.
  RequestParser parser_;
  Request request_;
  BodyShare share_;
  BodySender sender_ = BodySender::kKnown;
  std::size_t body_arrived_ = 0;  // since the deadline was moved
  EndpointPtr endpoint_;
  std::weak_ptr<Exchange> exchange_;
  std::uint64_t sequence_ = 0;
  bool message_started_ = false;
  bool keep_alive_ = true;
  bool head_only_ = false;
  Framing framing_ = Framing::kLength;
  std::string request_id_;
  std::string cors_origin_;
  // No page of another origin may embed the answer.
  bool own_pages_only_ = false;
  std::optional<Response> refusal_;  // sent once the body is discarded

  // A body that the handler reads in pieces; what has arrived and nobody took is request_.body.
  bool body_open_ = false;
  bool continue_owed_ = false;
  std::optional<Error> body_failure_;
  Completion<std::string> reader_;
  // Writers that wait until less is unsent.
  std::vector<Completion<void>> writers_;
};

}  // namespace svc::http
