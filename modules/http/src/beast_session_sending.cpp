#include <algorithm>

#include <boost/asio/buffer.hpp>
#include <fmt/format.h>

#include "beast_session.h"

namespace svc::http {
namespace {

namespace asio = boost::asio;

constexpr std::uint16_t kTryAgainLater = 1013;
// What a message that waits takes at least, however short it is: else empty ones could wait without a limit.
constexpr std::size_t kLeastWeight = 64;

std::size_t weightOf(const OutgoingFrame& frame) {
  return std::max(frame.payload->size(), kLeastWeight);
}

}  // namespace

void BeastSession::send(OutgoingFrame frame) {
  if (reactor_.isCurrent()) {
    if (enqueue(std::move(frame))) {
      writeSoon();
    }
    return;
  }
  reactor_.post([self = weak_from_this(), frame = std::move(frame)] {
    if (const auto session = self.lock(); session && session->enqueue(frame)) {
      session->writeSoon();
    }
  });
}

/// At the end of this turn, because messages of one turn are cheaper together.
void BeastSession::writeSoon() {
  if (!std::exchange(writes_soon_, true)) {
    reactor_.post([self = weak_from_this()] {
      if (const auto session = self.lock()) {
        session->writes_soon_ = false;
        session->writeNext();
      }
    });
  }
}

void BeastSession::sendTexts(std::span<const Text> texts) {
  if (!reactor_.isCurrent()) {
    IWebSocket::sendTexts(texts);
    return;
  }
  for (const auto& text : texts) {
    if (!enqueue({text, kTextFrame})) {
      return;
    }
  }
  writeNext();
}

bool BeastSession::enqueue(OutgoingFrame frame) {
  if (state_ == State::kClosing || state_ == State::kClosed || overflowed_) {
    return false;
  }
  // What the kernel takes does not count as the client's backlog.
  if (outgoing_.size() >= StreamSocket::kGathered ||
      backlog_ + weightOf(frame) > StreamSocket::kGatheredBytes) {
    writeNext();
  }
  dropSent();
  // A single message may be larger than the backlog: it is behind only when others wait before it.
  const bool waits = backlog_ > 0;
  backlog_ += weightOf(frame);
  if (waits && backlog_ > settings_.backlog_limit) {
    overflow();
    return false;
  }
  outgoing_.push_back(std::move(frame));
  return true;
}

// Posted, because the handler may be sending from inside its own callback.
void BeastSession::overflow() {
  overflowed_ = true;
  close(kTryAgainLater, fmt::format("the client is more than {} bytes behind ({} bytes)",
                                    settings_.backlog_limit, backlog_));
}

void BeastSession::writeNext() {
  if (writing_ || state_ == State::kOpening || state_ == State::kClosed) {
    return;
  }
  while (!outgoing_.empty() && sendsDirectly()) {
    if (!sendDirectly()) {
      return;
    }
  }
  if (outgoing_.empty()) {
    if (state_ == State::kClosing) {
      sendClose();
    }
    return;
  }
  writing_ = true;
  const auto& frame = outgoing_.front();
  stream_->binary(frame.first_byte == kBinaryFrame);
  stream_->async_write(asio::buffer(*frame.payload),
                       [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                         self->onWritten(failure);
                       });
}

/// A message needs nothing of Beast, and none of its frames is half sent. After a close frame Beast refuses messages.
bool BeastSession::sendsDirectly() const {
  return !settings_.compress && stream_->is_open() && stream_->next_layer().isFree();
}

/// Sends what waits; false when the rest has to wait on.
bool BeastSession::sendDirectly() {
  const auto sent = stream_->next_layer().send(outgoing_);
  for (std::size_t gone = 0; gone < sent.count; ++gone) {
    dropFirst();
  }
  switch (sent.state) {
    case Sent::kAll:
      return true;
    case Sent::kPart:
      awaitRoom();
      return false;
    case Sent::kFailed:
      fail();
      return false;
  }
  return false;
}

void BeastSession::awaitRoom() {
  writing_ = true;
  is_part_sent_ = true;
  stream_->next_layer().async_wait(
      Socket::wait_write,
      [self = shared_from_this()](const ErrorCode& failure) { self->onRoom(failure); });
}

void BeastSession::onRoom(const ErrorCode& failure) {
  if (failure || state_ == State::kClosed) {
    goOn(failure);
    return;
  }
  switch (stream_->next_layer().sendRest()) {
    case Sent::kAll:
      dropSent();
      goOn({});
      return;
    case Sent::kPart:
      awaitRoom();
      return;
    case Sent::kFailed:
      fail();
      return;
  }
}

// Posted, because the handler may be sending from inside its own callback.
void BeastSession::fail() {
  writing_ = true;
  reactor_.post([self = weak_from_this()] {
    if (const auto session = self.lock()) {
      session->terminate();
    }
  });
}

/// The rest of a message may have gone before an answer of Beast, sooner than this session hears that there was room.
void BeastSession::dropSent() {
  if (is_part_sent_ && !stream_->next_layer().hasRest()) {
    is_part_sent_ = false;
    dropFirst();
  }
}

void BeastSession::dropFirst() {
  backlog_ -= std::min(backlog_, weightOf(outgoing_.front()));
  outgoing_.pop_front();
}

void BeastSession::onWritten(const ErrorCode& failure) {
  if (!outgoing_.empty()) {
    dropFirst();
  }
  goOn(failure);
}

void BeastSession::goOn(const ErrorCode& failure) {
  writing_ = false;
  if (state_ == State::kClosed) {
    return;
  }
  if (failure) {
    terminate();
    return;
  }
  writeNext();
}

}  // namespace svc::http
