#include "connection.h"

#include <boost/asio/write.hpp>

#include "svc/common/limits/http.h"

namespace svc::http {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadSize = 4096;
constexpr std::size_t kBodyReadSize = 64UL * 1024;
// Of a stranger's body, within each L:read-stall: one byte now and then would keep its room for ever.
constexpr std::size_t kLeastOfStrangers = 4UL * 1024;
constexpr std::size_t kKeptInput = 64UL * 1024;
/// So much of the budget is taken at once for a body that does not say its length.
constexpr std::size_t kBodyStep = 64UL * 1024;

std::size_t roundedUp(std::size_t body) {
  return body > BodyBudget::kSmall ? (body + kBodyStep - 1) / kBodyStep * kBodyStep : body;
}

}  // namespace

Connection::Connection(Socket socket, Peer peer, ServerContext& context)
    : socket_(std::move(socket)), peer_(std::move(peer)), context_(context) {}

void Connection::start() {
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  beginMessage();
  deadline_ = context_.now + limits::kReadStall;
  becomeIdle();
  armRead();
}

void Connection::tick(TimePoint now) {
  const bool write_stalled = writing_ && now >= write_deadline_;
  if (write_stalled || now >= deadline_) {
    close();
  }
}

void Connection::drain() {
  if (is_linked()) {
    close();
  }
}

void Connection::close() {
  if (state_ == State::kClosed) {
    return;
  }
  const auto self = shared_from_this();
  state_ = State::kClosed;
  unlink();
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
  clientGone();
  endTransfers(Error{errc::kAborted, "the client is gone"});
  context_.unsent.release(this);
  context_.remove(*this);
}

std::string_view Connection::input() const {
  const auto data = in_.data();
  return {static_cast<const char*>(data.data()), data.size()};
}

// Answers given while this runs are picked up by the loop, so that pipelined requests are answered without recursion
// and leave in one write.
void Connection::process() {
  if (processing_) {
    return;
  }
  const auto self = shared_from_this();
  processing_ = true;
  do {
    paused_ = false;
    while (step()) {
    }
    flush();
  } while (releaseWriters() ||
           (paused_ && out_.size() <= context_.limits.unsent && state_ == State::kHead));
  processing_ = false;
  if (end_of_input_ && (state_ == State::kHead || state_ == State::kBody) && out_.empty()) {
    close();
  }
  armRead();
}

bool Connection::step() {
  switch (state_) {
    case State::kHead:
      return readHead();
    case State::kBody:
      return readBody();
    case State::kHandling:
    case State::kStreaming:
      return pumpBody();
    default:
      return false;
  }
}

bool Connection::readHead() {
  if (!message_started_) {
    while (in_.size() > 0 && (input().front() == '\r' || input().front() == '\n')) {
      in_.consume(1);  // an empty line before a request is tolerated
    }
    paused_ = in_.size() > 0 && out_.size() > context_.limits.unsent;
    if (in_.size() == 0 || paused_) {
      return false;
    }
    message_started_ = true;
    unlink();
    deadline_ = context_.now + limits::kReadStall;
  }
  std::size_t consumed = 0;
  const auto progress = parser_.parse(input(), consumed);
  in_.consume(consumed);
  switch (progress) {
    case RequestParser::Progress::kNeedMore:
      return false;
    case RequestParser::Progress::kFailed:
      keep_alive_ = false;
      identify();
      refuse(parser_.failure());
      return true;
    default:
      onHeader();
      return true;
  }
}

bool Connection::readBody() {
  std::size_t consumed = 0;
  const auto progress = parser_.parse(input(), consumed);
  in_.consume(consumed);
  switch (progress) {
    case RequestParser::Progress::kNeedMore:
      body_arrived_ += consumed;
      if (body_arrived_ >= (sender_ == BodySender::kStranger ? kLeastOfStrangers : 1)) {
        body_arrived_ = 0;
        deadline_ = context_.now + limits::kReadStall;
      }
      // A body with a length has its room already.
      if (const auto room =
              parser_.facts().chunked ? share_.growTo(roundedUp(request_.body.size())) : Status();
          !room) {
        keep_alive_ = false;
        refuse(room.error());
        return true;
      }
      return false;
    case RequestParser::Progress::kFailed:
      keep_alive_ = false;
      refuse(parser_.failure());
      return true;
    default:
      dispatch();
      return true;
  }
}

/// Takes in more of a body that its handler reads in pieces. True when there may be something else to do.
bool Connection::pumpBody() {
  if (!body_open_ || in_.size() == 0 || request_.body.size() >= context_.limits.read_ahead) {
    return false;
  }
  std::size_t consumed = 0;
  const auto progress = parser_.parse(input(), consumed);
  in_.consume(consumed);
  if (progress == RequestParser::Progress::kFailed) {
    body_open_ = false;
    keep_alive_ = false;
    body_failure_ = parser_.failure();
  } else if (progress == RequestParser::Progress::kComplete) {
    body_open_ = false;
  }
  feedReader();
  return progress != RequestParser::Progress::kNeedMore || consumed > 0;
}

void Connection::armRead() {
  // The socket of an upgrade is handed over: no read may be under way then.
  if (reading_ || end_of_input_ || state_ == State::kClosed || state_ == State::kAccepting) {
    return;
  }
  const bool waiting = state_ == State::kHandling || state_ == State::kStreaming;
  const bool full = body_open_ ? request_.body.size() >= context_.limits.read_ahead
                               : in_.size() >= context_.limits.pipelined;
  if ((waiting && full) || (state_ == State::kHead && out_.size() > context_.limits.unsent)) {
    return;
  }
  if (in_.size() == 0 && in_.capacity() > kKeptInput) {
    in_.shrink_to_fit();
  }
  reading_ = true;
  socket_.async_read_some(
      in_.prepare(state_ == State::kBody || body_open_ ? kBodyReadSize : kReadSize),
      [self = shared_from_this()](const boost::system::error_code& failure, std::size_t bytes) {
        self->onRead(failure, bytes);
      });
}

void Connection::onRead(const boost::system::error_code& failure, std::size_t bytes) {
  reading_ = false;
  if (state_ == State::kClosed) {
    return;
  }
  if (failure == asio::error::eof) {
    onEndOfInput();
    return;
  }
  if (failure) {
    close();
    return;
  }
  in_.commit(bytes);
  if (state_ == State::kLinger || state_ == State::kClosing) {
    in_.consume(in_.size());
    armRead();
    return;
  }
  process();
}

// The client may have closed only its sending side: what it asked for is still answered.
void Connection::onEndOfInput() {
  end_of_input_ = true;
  if (state_ == State::kLinger) {
    close();
    return;
  }
  clientGone();
  if (body_open_) {
    body_open_ = false;
    keep_alive_ = false;
    body_failure_ = Error{errc::kAborted, "the client left before the end of the request body"};
    feedReader();
  }
  process();
}

void Connection::flush() {
  while (!writing_ && !out_.empty() && state_ != State::kClosed) {
    OutputQueue::Buffers storage;
    boost::system::error_code failure;
    const auto buffers = out_.buffers(storage);
    const auto sent = buffers.size() == 1 ? socket_.write_some(buffers.front(), failure)
                                          : socket_.write_some(buffers, failure);
    if (failure == asio::error::would_block) {
      writeLater();
      return;
    }
    if (failure) {
      close();
      return;
    }
    out_.consume(sent);
    context_.unsent.left(this, out_.size());
  }
  if (out_.empty()) {
    onFlushed();
  }
}

void Connection::writeLater() {
  OutputQueue::Buffers storage;
  const auto buffers = out_.buffers(storage);
  out_.seal();
  writing_ = true;
  write_deadline_ = context_.now + limits::kReadStall;
  socket_.async_write_some(
      std::vector<asio::const_buffer>(buffers.begin(), buffers.end()),
      [self = shared_from_this()](const boost::system::error_code& failure, std::size_t bytes) {
        self->onWritten(failure, bytes);
      });
}

void Connection::onWritten(const boost::system::error_code& failure, std::size_t bytes) {
  writing_ = false;
  if (state_ == State::kClosed) {
    return;
  }
  if (failure) {
    close();
    return;
  }
  out_.consume(bytes);
  context_.unsent.left(this, out_.size());
  flush();
  process();
}

void Connection::becomeIdle() {
  if (!is_linked()) {
    context_.idle.push_back(*this);
  }
}

// The client sees the end of the answer before the connection goes: closing at once, with input unread, would reset it
// and could take the answer along.
void Connection::onFlushed() {
  if (state_ == State::kHead && !message_started_) {
    becomeIdle();
  }
  if (state_ != State::kClosing) {
    return;
  }
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  if (end_of_input_) {
    close();
    return;
  }
  state_ = State::kLinger;
  deadline_ = context_.now + context_.limits.linger;
  in_.consume(in_.size());
  armRead();
}

void Connection::clientGone() {
  if (const auto exchange = exchange_.lock()) {
    exchange->clientGone();
  }
}

}  // namespace svc::http
