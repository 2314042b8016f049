#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/role.hpp>

#include "server_context.h"

namespace svc::http {

/// The first byte of a frame that is a whole message.
inline constexpr std::uint8_t kTextFrame = 0x81;
inline constexpr std::uint8_t kBinaryFrame = 0x82;

/// A message that is one frame, without a mask and not compressed.
struct OutgoingFrame {
  std::shared_ptr<const std::string> payload;
  std::uint8_t first_byte = kTextFrame;
};

/// What became of bytes that were given to a socket.
enum class Sent : std::uint8_t { kAll, kPart, kFailed };

struct SentFrames {
  /// Those that are gone as a whole.
  std::size_t count = 0;
  /// kPart: the one behind them is begun, or could not be.
  Sent state = Sent::kAll;
};

/// The socket of a WebSocket, below Beast. Io thread.
///
/// It also sends messages past Beast, as many with one system call as wait: for short messages to many clients that is what counts.
/// What Beast writes of its own accord (answers to pings, the close frame) goes between such frames, never into one.
class StreamSocket : public Socket {
 public:
  explicit StreamSocket(Socket socket) : Socket(std::move(socket)) {}
  ~StreamSocket() { output_->gone = true; }
  StreamSocket(const StreamSocket&) = delete;
  StreamSocket& operator=(const StreamSocket&) = delete;

  /// Nothing is half sent, by either way.
  [[nodiscard]] bool isFree() const { return !output_->beast_writes && !output_->frame.payload; }

  /// A frame is half sent.
  [[nodiscard]] bool hasRest() const { return output_->frame.payload != nullptr; }

  /// Frames and bytes that are gathered for one system call.
  static constexpr std::size_t kGathered = 16;
  static constexpr std::size_t kGatheredBytes = 64UL * 1024;

  /// Sends what the kernel takes of the first of these frames; isFree(). After kPart the rest of the one that is begun goes with
  /// sendRest(), when there is room; its payload is kept for so long. After kFailed the connection is over.
  [[nodiscard]] SentFrames send(const std::list<OutgoingFrame>& frames);
  [[nodiscard]] Sent sendRest() { return sendRest(*this, *output_); }

  /// What Beast calls; the name is Beast's. The rest of a frame goes first.
  template <class Buffers, class Handler>
  // NOLINTNEXTLINE(readability-identifier-naming)
  BOOST_ASIO_INITFN_AUTO_RESULT_TYPE(Handler, void(boost::system::error_code, std::size_t))
      async_write_some(const Buffers& buffers, Handler&& handler) {
    output_->beast_writes = true;
    return boost::asio::async_compose<Handler, void(boost::system::error_code, std::size_t)>(
        BeastWrite<Buffers>{*this, output_, buffers}, handler, static_cast<Socket&>(*this));
  }

 private:
  /// Opcode and length.
  struct Head {
    std::array<unsigned char, 10> bytes{};
    std::size_t size = 0;
  };
  struct Frame {
    Head head{};
    std::shared_ptr<const std::string> payload{};
    std::size_t sent = 0;
  };
  /// Shared with operations of Beast, which may end after the socket.
  struct Output {
    Frame frame;
    bool beast_writes = false;
    bool gone = false;
  };

  static Head headOf(const OutgoingFrame& frame);
  static Sent sendRest(Socket& socket, Output& output);

  template <class Buffers>
  struct BeastWrite {
    StreamSocket& socket;
    std::shared_ptr<Output> output;
    Buffers buffers;

    /// Begins, and goes on when there is room.
    template <class Self>
    void operator()(Self& self, boost::system::error_code failure = {}) {
      if (!failure && output->gone) {
        failure = boost::asio::error::operation_aborted;
      }
      if (failure) {
        self.complete(failure, 0);
        return;
      }
      Socket& below = socket;
      // A frame that failed leaves a connection on which the next write fails, too.
      if (sendRest(below, *output) == Sent::kPart) {
        below.async_wait(Socket::wait_write, std::move(self));
        return;
      }
      const auto given = buffers;
      below.async_write_some(given, std::move(self));
    }

    template <class Self>
    void operator()(Self& self, boost::system::error_code failure, std::size_t written) {
      // Beast comes back at once with what is left.
      output->beast_writes = !failure && written < boost::asio::buffer_size(buffers);
      self.complete(failure, written);
    }
  };

  std::shared_ptr<Output> output_ = std::make_shared<Output>();
};

/// Beast's own teardown closes the socket while the client may still be sending, which resets the connection and can take the close
/// frame along. Found by Beast through argument-dependent lookup; the name is Beast's.
template <class Handler>
// NOLINTNEXTLINE(readability-identifier-naming)
void async_teardown(boost::beast::role_type, StreamSocket& socket, Handler&& handler) {
  boost::system::error_code failure;
  socket.shutdown(Socket::shutdown_send, failure);
  boost::asio::post(socket.get_executor(),
                    boost::beast::bind_front_handler(std::forward<Handler>(handler), failure));
}

}  // namespace svc::http
