// The part of Connection that puts a handler's answer on the wire.
#include <fmt/format.h>
#include <spdlog/logger.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/limits/http.h"

#include "connection.h"

namespace svc::http {
namespace {

Response unsentResponse(const AnswerBudget& unsent) {
  const Error error{
      errc::kOverloaded,
      fmt::format("answers that clients have not taken yet fill {} bytes of the server's memory; "
                  "the limit is {} bytes (listen.waitingMiB); try again",
                  unsent.total(), unsent.limit())};
  Response response;
  response.status = common::httpStatus(error.code);
  response.body = common::errorEnvelope(error);
  return response;
}

}  // namespace

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
        writePiece(std::move(answer.piece), std::move(answer.taken));
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
    case Answer::Kind::kRead:
      readRequested(std::move(answer.read));
      break;
  }
  process();
}

/// Small bodies are not counted: the number of connections bounds them.
bool Connection::hasRoom(std::size_t body) {
  if (body < OutputQueue::kLarge) {
    return true;
  }
  return context_.unsent.admit(this, body, context_.now, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->context_.log->warn(
          "request {}: answers that their clients have not taken fill {} bytes of memory "
          "(listen.waitingMiB); this client takes slowest and is cut off",
          self->request_id_, self->context_.unsent.limit());
      self->close();
    }
  });
}

void Connection::writeResponse(Response response) {
  dropRestOfBody();
  if (!head_only_ && !isBodyless(response.status) && !hasRoom(response.body.size())) {
    response = unsentResponse(context_.unsent);
  }
  context_.counters->answered(response.status);
  keep_alive_ = keep_alive_ && !context_.draining;
  appendHead(out_.tail(), response, responseFacts(), Framing::kLength);
  if (!head_only_ && !isBodyless(response.status)) {
    out_.appendBody(std::move(response.body));
  }
  finishAnswer();
}

void Connection::beginStream(const Response& head) {
  const bool chunks = parser_.facts().version >= 11;
  context_.counters->answered(head.status);
  head_only_ = head_only_ || isBodyless(head.status);
  framing_ = chunks ? Framing::kChunked : Framing::kUntilClose;
  if (isBodyless(head.status)) {
    framing_ = Framing::kLength;
  }
  keep_alive_ = keep_alive_ && chunks && !context_.draining;
  state_ = State::kStreaming;
  appendHead(out_.tail(), head, responseFacts(), framing_);
}

void Connection::writePiece(std::string piece, Completion<void> taken) {
  if (taken.pending()) {
    writers_.push_back(std::move(taken));
  }
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
  dropRestOfBody();
  reader_(Error{errc::kAborted, "the request is answered"});
  for (auto& writer : std::exchange(writers_, {})) {
    writer({});
  }
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

void Connection::readRequested(Completion<std::string> done) {
  if (state_ != State::kHandling && state_ != State::kStreaming) {
    return;
  }
  reader_ = std::move(done);
  // After the head of the answer a "100 Continue" would be taken for a part of it.
  if (std::exchange(continue_owed_, false) && state_ == State::kHandling && in_.size() == 0) {
    out_.append("HTTP/1.1 100 Continue\r\n\r\n");
  }
  feedReader();
}

/// Answers the read that waits, if there is something to say. While it waits, the client owes bytes.
void Connection::feedReader() {
  if (reader_.pending() && !(request_.body.empty() && body_open_)) {
    auto reader = std::move(reader_);
    if (request_.body.empty() && body_failure_) {
      reader(*body_failure_);
    } else {
      reader(std::exchange(request_.body, {}));
    }
  }
  if (state_ == State::kHandling || state_ == State::kStreaming) {
    deadline_ =
        body_open_ && reader_.pending() ? context_.now + limits::kReadStall : TimePoint::max();
  }
}

/// A body that nobody reads any more: what has arrived is dropped, and with more to come the connection ends.
void Connection::dropRestOfBody() {
  if (!body_open_) {
    return;
  }
  std::size_t consumed = 0;
  const auto progress = parser_.parse(input(), consumed);
  in_.consume(consumed);
  keep_alive_ = keep_alive_ && progress == RequestParser::Progress::kComplete;
  body_open_ = false;
}

/// True when writers were told to go on.
bool Connection::releaseWriters() {
  if (writers_.empty() || out_.size() > context_.limits.write_ahead) {
    return false;
  }
  for (auto& writer : std::exchange(writers_, {})) {
    writer({});
  }
  return true;
}

void Connection::endTransfers(const Error& reason) {
  auto reader = std::move(reader_);
  auto writers = std::exchange(writers_, {});
  reader(reason);
  for (auto& writer : writers) {
    writer(reason);
  }
}

ResponseFacts Connection::responseFacts() const {
  return {.request_id = request_id_,
          .date = context_.date,
          .cors_origin = cors_origin_,
          .own_pages_only = own_pages_only_,
          .version = parser_.facts().version,
          .keep_alive = keep_alive_,
          .head_only = head_only_};
}

}  // namespace svc::http
