// The part of Connection that puts a handler's answer on the wire.
#include <spdlog/logger.h>

#include "connection.h"

namespace svc::http {

void Connection::deliver(Answer answer) {
  if (answer.sequence != sequence_) {
    return;
  }
  switch (answer.kind) {
    case Answer::Kind::kRespond:
      if (state_ == State::kHandling) {
        writeResponse(std::move(answer.response));
      }
      break;
    case Answer::Kind::kBegin:
      if (state_ == State::kHandling) {
        beginStream(answer.response);
      }
      break;
    case Answer::Kind::kPiece:
      if (state_ == State::kStreaming) {
        writePiece(std::move(answer.piece));
      }
      break;
    case Answer::Kind::kFinish:
      if (state_ == State::kStreaming) {
        out_.append(framing_ == Framing::kChunked && !head_only_ ? kLastChunk : "");
        finishAnswer();
      }
      break;
    case Answer::Kind::kAbort:
      close();
      break;
  }
  process();
}

void Connection::writeResponse(Response response) {
  keep_alive_ = keep_alive_ && !context_.draining;
  appendHead(out_.tail(), response, responseFacts(), Framing::kLength);
  if (!head_only_ && !isBodyless(response.status)) {
    out_.appendBody(std::move(response.body));
  }
  finishAnswer();
}

void Connection::beginStream(const Response& head) {
  const bool chunks = parser_.facts().version >= 11;
  framing_ = chunks ? Framing::kChunked : Framing::kUntilClose;
  keep_alive_ = keep_alive_ && chunks && !context_.draining;
  state_ = State::kStreaming;
  appendHead(out_.tail(), head, responseFacts(), framing_);
}

void Connection::writePiece(std::string piece) {
  if (head_only_) {
    return;
  }
  if (out_.size() > context_.limits.streamed) {
    context_.log->warn(
        "request {}: the client is more than {} bytes behind a streamed answer ({} bytes); it is "
        "cut off",
        request_id_, context_.limits.streamed, out_.size());
    close();
    return;
  }
  if (framing_ == Framing::kChunked) {
    appendChunk(out_.tail(), piece);
  } else {
    out_.appendBody(std::move(piece));
  }
}

void Connection::finishAnswer() {
  ++sequence_;
  if (!keep_alive_) {
    exchange_.reset();
    state_ = State::kClosing;
    deadline_ = TimePoint::max();  // the write deadline holds
    return;
  }
  beginMessage();
  state_ = State::kHead;
  deadline_ = context_.now + limits::kKeepAlive;
}

ResponseFacts Connection::responseFacts() const {
  return {.request_id = request_id_,
          .date = context_.date,
          .cors_origin = cors_origin_,
          .version = parser_.facts().version,
          .keep_alive = keep_alive_,
          .head_only = head_only_};
}

}  // namespace svc::http
