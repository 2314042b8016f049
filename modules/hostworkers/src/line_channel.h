#pragma once

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace svc::hostworkers {

/// Text lines over a stream socket: the daemon's end of a worker's. Handlers run on the thread of the io_context; sends, consumed()
/// and backlog() are for any thread.
class LineChannel : public std::enable_shared_from_this<LineChannel> {
 public:
  struct Handlers {
    /// Complete lines, in order, without their ends. The receiver says with consumed() when it has dealt with their bytes.
    std::function<void(std::vector<std::string> lines, std::size_t bytes)> lines;
    /// The last call: the other side is gone (empty), or why the channel cannot go on.
    std::function<void(std::string why)> closed;
  };

  /// Takes `socket`, a descriptor. A line of more than `longest` bytes closes the channel.
  LineChannel(boost::asio::io_context& context, int socket, std::size_t longest)
      : context_(context),
        socket_(context, boost::asio::local::stream_protocol(), socket),
        longest_(longest) {
    socket_.non_blocking(true);
  }

  /// Begins to read. Once, on any thread.
  void start(Handlers handlers) {
    handlers_ = std::make_shared<const Handlers>(std::move(handlers));
    boost::asio::post(context_, [self = shared_from_this()] { self->read(); });
  }

  /// Queues one line, given without its end and without a line break in it.
  void send(std::string_view line) { add(line, false); }

  /// As send(), but the system takes what it can at once where nothing waits. The other side has it a turn of this thread sooner; lines
  /// that come together are cheaper queued.
  void sendAtOnce(std::string_view line) { add(line, true); }

  /// Bytes that wait to be written.
  [[nodiscard]] std::size_t backlog() const { return backlog_; }

  /// The receiver has dealt with so many bytes of lines. Reading rests while too many are undone, so that a sender that floods
  /// waits instead of filling the memory of this side.
  void consumed(std::size_t bytes) {
    const auto before = undone_.fetch_sub(bytes);
    if (before > kUndoneLimit && before - bytes <= kUndoneLimit) {
      boost::asio::post(context_, [self = shared_from_this()] {
        if (std::exchange(self->resting_, false)) {
          self->read();
        }
      });
    }
  }

  /// Begins no further reading: handlers of what was read may still wait to be called. Only on the thread of the io_context.
  void rest() { finishing_ = true; }

  /// Takes what the other side had written before it ended, and closes. Only on the thread of the io_context, in a task posted
  /// after rest().
  void finish() {
    boost::system::error_code failure;
    while (!closed_) {
      const auto count = socket_.read_some(boost::asio::buffer(buffer_), failure);
      if (failure) {
        break;
      }
      take({buffer_.data(), count});
    }
    end({});
  }

  /// Only on the thread of the io_context; handlers are not called any more.
  void close() {
    handlers_.reset();
    boost::system::error_code ignored;
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    socket_.close(ignored);
  }

 private:
  static constexpr std::size_t kUndoneLimit = 4UL * 1024 * 1024;
  static constexpr std::size_t kChunk = 256UL * 1024;

  void read() {
    if (closed_ || finishing_) {
      return;
    }
    if (undone_ > kUndoneLimit) {
      resting_ = true;
      // consumed() may have run between the look and the note.
      if (undone_ > kUndoneLimit) {
        return;
      }
      resting_ = false;
    }
    socket_.async_read_some(boost::asio::buffer(buffer_),
                            [self = shared_from_this()](auto failure, std::size_t count) {
                              if (self->closed_) {
                                return;
                              }
                              if (failure) {
                                self->end({});
                                return;
                              }
                              self->take({self->buffer_.data(), count});
                              self->read();
                            });
  }

  void take(std::string_view chunk) {
    std::vector<std::string> lines;
    std::size_t bytes = 0;
    for (auto end = chunk.find('\n'); end != std::string_view::npos; end = chunk.find('\n')) {
      partial_.append(chunk.substr(0, end));
      chunk.remove_prefix(end + 1);
      if (partial_.size() > longest_) {
        break;
      }
      bytes += partial_.size() + 1;
      lines.push_back(std::exchange(partial_, {}));
    }
    if (partial_.size() + chunk.size() <= longest_) {
      partial_.append(chunk);
    } else {
      end("a message has more than " + std::to_string(longest_) + " bytes");
      return;
    }
    if (!lines.empty() && handlers_) {
      undone_ += bytes;
      // The handler may close the channel.
      const auto handlers = handlers_;
      handlers->lines(std::move(lines), bytes);
    }
  }

  void add(std::string_view line, bool at_once) {
    bool wake = false;
    {
      const std::scoped_lock lock(mutex_);
      if (closed_) {
        return;
      }
      const auto waited = waiting_.size();
      waiting_.append(line).push_back('\n');
      if (at_once && !writing_) {
        writeNow();
      }
      backlog_ += waiting_.size() - waited;
      wake = !waiting_.empty() && !std::exchange(writing_, true);
    }
    if (wake) {
      boost::asio::post(context_, [self = shared_from_this()] { self->write(); });
    }
  }

  /// What the system takes without waiting of the only line there is. A failure is left to write().
  void writeNow() {
    const auto count = ::send(socket_.native_handle(), waiting_.data(), waiting_.size(),
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) {
      waiting_.erase(0, static_cast<std::size_t>(count));
    }
  }

  /// True when there is something to write now.
  bool takeWaiting() {
    const std::scoped_lock lock(mutex_);
    outgoing_.clear();
    if (waiting_.empty() || closed_) {
      writing_ = false;
      return false;
    }
    outgoing_.swap(waiting_);
    return true;
  }

  void write() {
    if (!takeWaiting()) {
      return;
    }
    boost::asio::async_write(socket_, boost::asio::buffer(outgoing_),
                             [self = shared_from_this()](auto failure, std::size_t /*count*/) {
                               self->backlog_ -= self->outgoing_.size();
                               // What cannot be written is lost with the other side, which reading notices.
                               if (failure) {
                                 return;
                               }
                               if (self->outgoing_.capacity() > kChunk) {
                                 self->outgoing_ = {};
                               }
                               self->write();
                             });
  }

  void end(std::string why) {
    if (!closed_) {
      const auto handlers = handlers_;
      close();
      if (handlers) {
        handlers->closed(std::move(why));
      }
    }
  }

  boost::asio::io_context& context_;
  boost::asio::local::stream_protocol::socket socket_;
  std::size_t longest_;
  std::shared_ptr<const Handlers> handlers_;
  std::array<char, kChunk> buffer_{};
  std::string partial_;
  bool closed_ = false;  ///< written with mutex_ held, for those who send
  bool finishing_ = false;
  bool resting_ = false;
  std::atomic<std::size_t> undone_{0};
  std::atomic<std::size_t> backlog_{0};
  std::mutex mutex_;
  std::string waiting_;
  std::string outgoing_;
  bool writing_ = false;
};

}  // namespace svc::hostworkers
