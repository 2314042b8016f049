#include "stream_socket.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>

namespace svc::http {
namespace {

/// Longer payloads tell their length in two bytes, and from 64 KiB on in eight.
constexpr std::size_t kShort = 125;
constexpr std::size_t kMedium = 0xFFFF;

// iovec and msghdr take pointers to mutable memory; sending changes nothing.
iovec part(const void* bytes, std::size_t size) { return {const_cast<void*>(bytes), size}; }

/// How many bytes the kernel took, 0 when there is no room; nullopt when the connection is lost.
std::optional<std::size_t> take(Socket& socket, std::span<iovec> parts) {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  for (;;) {
    // The descriptor itself may be one that blocks.
    const auto taken = ::sendmsg(socket.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken >= 0) {
      return static_cast<std::size_t>(taken);
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return 0;
    }
    if (errno != EINTR) {
      return std::nullopt;
    }
  }
}

}  // namespace

StreamSocket::Head StreamSocket::headOf(const OutgoingFrame& frame) {
  const auto size = frame.payload->size();
  Head head;
  head.bytes[0] = frame.first_byte;
  std::size_t length_bytes = 0;
  if (size <= kShort) {
    head.bytes[1] = static_cast<unsigned char>(size);
  } else if (size <= kMedium) {
    head.bytes[1] = kShort + 1;
    length_bytes = 2;
  } else {
    head.bytes[1] = kShort + 2;
    length_bytes = 8;
  }
  for (std::size_t at = 0; at < length_bytes; ++at) {
    head.bytes.at(2 + at) = static_cast<unsigned char>(size >> (8 * (length_bytes - 1 - at)));
  }
  head.size = 2 + length_bytes;
  return head;
}

SentFrames StreamSocket::send(const std::list<OutgoingFrame>& frames) {
  std::array<Head, kGathered> heads;
  std::array<iovec, 2 * kGathered> parts;
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const auto& frame : frames) {
    if (count == kGathered || bytes >= kGatheredBytes) {
      break;
    }
    heads.at(count) = headOf(frame);
    parts.at(2 * count) = part(heads.at(count).bytes.data(), heads.at(count).size);
    parts.at(2 * count + 1) = part(frame.payload->data(), frame.payload->size());
    bytes += heads.at(count).size + frame.payload->size();
    ++count;
  }
  auto taken = take(*this, std::span(parts).first(2 * count));
  if (!taken) {
    return {.state = Sent::kFailed};
  }
  std::size_t whole = 0;
  for (const auto& frame : frames) {
    const auto size = whole < count ? heads.at(whole).size + frame.payload->size() : 0;
    if (whole == count || *taken < size) {
      break;
    }
    *taken -= size;
    ++whole;
  }
  if (whole == count) {
    return {.count = whole, .state = Sent::kAll};
  }
  output_->frame = {heads.at(whole),
                    std::next(frames.begin(), static_cast<std::ptrdiff_t>(whole))->payload, *taken};
  return {.count = whole, .state = Sent::kPart};
}

Sent StreamSocket::sendRest(Socket& socket, Output& output) {
  auto& frame = output.frame;
  while (frame.payload) {
    const auto of_head = std::min(frame.sent, frame.head.size);
    const auto of_payload = frame.sent - of_head;
    std::array<iovec, 2> parts{
        part(frame.head.bytes.data() + of_head, frame.head.size - of_head),
        part(frame.payload->data() + of_payload, frame.payload->size() - of_payload)};
    const auto taken = take(socket, parts);
    if (!taken) {
      frame.payload.reset();
      return Sent::kFailed;
    }
    if (*taken == 0) {
      return Sent::kPart;
    }
    frame.sent += *taken;
    if (frame.sent == frame.head.size + frame.payload->size()) {
      frame.payload.reset();
    }
  }
  return Sent::kAll;
}

}  // namespace svc::http
