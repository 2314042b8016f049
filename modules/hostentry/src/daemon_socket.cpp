#include "daemon_socket.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include <boost/asio/post.hpp>
#include <node.h>
#include <uv.h>

namespace svc::hostentry {
namespace {

/// What is read in one turn; the script's timers and sockets get theirs in between.
constexpr std::size_t kReadPerTurn = 4UL * 1024 * 1024;
/// So much does not wait for the end of a turn.
constexpr std::size_t kFlushFrom = 64UL * 1024;

}  // namespace

/// Of the script's loop; closed there, and freed when it has turned.
struct DaemonSocket::LoopHandles {
  uv_poll_t poll{};
  uv_prepare_t prepare{};
  std::shared_ptr<DaemonSocket> owner;
  int open = 2;

  void close() {
    const auto closed = [](uv_handle_t* handle) {
      auto* self = static_cast<LoopHandles*>(handle->data);
      if (--self->open == 0) {
        delete self;
      }
    };
    uv_close(reinterpret_cast<uv_handle_t*>(&poll), closed);
    uv_close(reinterpret_cast<uv_handle_t*>(&prepare), closed);
  }
};

DaemonSocket::DaemonSocket(boost::asio::io_context& context, int socket, std::size_t longest)
    : context_(context),
      socket_(socket),
      longest_(longest),
      set_(context, ::epoll_create1(EPOLL_CLOEXEC)),
      pause_(context) {
  epoll_event nothing{};
  nothing.events = EPOLLONESHOT;
  ::epoll_ctl(set_.native_handle(), EPOLL_CTL_ADD, socket_.get(), &nothing);
}

DaemonSocket::~DaemonSocket() = default;

void DaemonSocket::start(Handlers handlers) {
  handlers_ = std::make_shared<const Handlers>(std::move(handlers));
  boost::asio::post(context_, [self = shared_from_this()] { self->watch(); });
}

// ---- the script's loop -------------------------------------------------------------------------------------------

void DaemonSocket::install(v8::Isolate* isolate, v8::Local<v8::Context> /*context*/,
                           v8::Local<v8::Object> /*exports*/) {
  auto* loop = node::GetCurrentEventLoop(isolate);
  auto handles = std::make_unique<LoopHandles>();
  if (uv_poll_init(loop, &handles->poll, socket_.get()) != 0) {
    return;  // the other thread does it all
  }
  uv_prepare_init(loop, &handles->prepare);
  handles->owner = shared_from_this();
  handles->poll.data = handles->prepare.data = handles.get();
  // Neither keeps the loop going.
  uv_unref(reinterpret_cast<uv_handle_t*>(&handles->poll));
  uv_unref(reinterpret_cast<uv_handle_t*>(&handles->prepare));
  uv_poll_start(&handles->poll, UV_READABLE | UV_DISCONNECT,
                [](uv_poll_t* poll, int /*status*/, int /*events*/) {
                  if (!static_cast<LoopHandles*>(poll->data)->owner->read()) {
                    uv_poll_stop(poll);
                  }
                });
  uv_prepare_start(&handles->prepare, [](uv_prepare_t* prepare) {
    auto& self = *static_cast<LoopHandles*>(prepare->data)->owner;
    self.turns_.fetch_add(1, std::memory_order_relaxed);
    if (self.backlog() > 0) {
      self.flushNow();
    }
  });
  loop_handles_ = handles.release();
  in_loop_ = true;
}

void DaemonSocket::close() {
  in_loop_ = false;
  flushNow();
  if (auto* handles = std::exchange(loop_handles_, nullptr)) {
    handles->close();
  }
}

// ---- reading -----------------------------------------------------------------------------------------------------

/// Takes what is there, unless the other thread does. False when there will be nothing any more.
bool DaemonSocket::read() {
  const std::unique_lock lock(read_mutex_, std::try_to_lock);
  if (!lock) {
    return true;
  }
  for (std::size_t taken = 0; !ended_ && taken < kReadPerTurn;) {
    const auto count = ::recv(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (count > 0) {
      const auto size = static_cast<std::size_t>(count);
      taken += size;
      take({buffer_.data(), size});
      if (size < buffer_.size()) {
        break;
      }
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    } else {
      end({});
    }
  }
  return !ended_;
}

void DaemonSocket::take(std::string_view chunk) {
  for (auto at = chunk.find('\n'); at != std::string_view::npos; at = chunk.find('\n')) {
    auto line = chunk.substr(0, at);
    if (!partial_.empty()) {
      partial_.append(line);
      line = partial_;
    }
    if (line.size() > longest_) {
      break;
    }
    handlers_->line(line);
    partial_.clear();
    chunk.remove_prefix(at + 1);
  }
  if (partial_.size() + chunk.size() > longest_) {
    end("a message has more than " + std::to_string(longest_) + " bytes");
    return;
  }
  partial_.append(chunk);
}

void DaemonSocket::end(std::string why) {
  if (std::exchange(ended_, true)) {
    return;
  }
  boost::asio::post(context_, [self = shared_from_this(), why = std::move(why)]() mutable {
    self->pause_.cancel();
    self->set_.cancel();
    const auto handlers = std::exchange(self->handlers_, nullptr);
    handlers->closed(std::move(why));
  });
}

// ---- writing -----------------------------------------------------------------------------------------------------

void DaemonSocket::add(std::string_view line, bool at_once) {
  bool waits = false;
  {
    const std::scoped_lock lock(write_mutex_);
    if (broken_) {
      return;
    }
    waiting_.append(line).push_back('\n');
    backlog_ = waiting_.size() - written_;
    if (at_once || !in_loop_ || backlog_ >= kFlushFrom) {
      flush();
    }
    waits = !waiting_.empty();
  }
  if (waits) {
    callPatrol();
  }
}

void DaemonSocket::flush() {
  while (!is_full_ && !broken_ && written_ < waiting_.size()) {
    const auto count = ::send(socket_.get(), waiting_.data() + written_, waiting_.size() - written_,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
      written_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      is_full_ = true;
      boost::asio::post(context_, [self = shared_from_this()] { self->watch(); });
    } else if (errno != EINTR) {
      broken_ = true;  // lost with the other side, which reading notices
    }
  }
  if (written_ == waiting_.size() || broken_) {
    if (waiting_.capacity() > kFlushFrom) {
      waiting_ = {};
    }
    waiting_.clear();
    written_ = 0;
  }
  backlog_ = waiting_.size() - written_;
  if (waiting_.empty() && std::exchange(asked_drained_, false)) {
    tellDrained();
  }
}

void DaemonSocket::flushNow() {
  const std::scoped_lock lock(write_mutex_);
  flush();
}

void DaemonSocket::askDrained() {
  {
    const std::scoped_lock lock(write_mutex_);
    asked_drained_ = true;
    flush();
  }
  callPatrol();
}

void DaemonSocket::tellDrained() {
  boost::asio::post(context_, [self = shared_from_this()] {
    if (const auto handlers = self->handlers_) {
      handlers->drained();
    }
  });
}

// ---- the thread of the io_context --------------------------------------------------------------------------------

/// What is there to read is left to the script's loop while the patrol goes its rounds.
void DaemonSocket::watch() {
  if (!handlers_) {
    return;
  }
  epoll_event wanted{};
  wanted.events = EPOLLONESHOT;
  if (!patrols_ || !in_loop_) {
    wanted.events |= EPOLLIN | EPOLLRDHUP;
  }
  {
    const std::scoped_lock lock(write_mutex_);
    wanted.events |= is_full_ ? EPOLLOUT : 0U;
  }
  ::epoll_ctl(set_.native_handle(), EPOLL_CTL_MOD, socket_.get(), &wanted);
  if (!std::exchange(watching_, true)) {
    set_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](const auto& failure) {
                      self->watching_ = false;
                      if (!failure) {
                        self->watched();
                      }
                    });
  }
}

void DaemonSocket::watched() {
  epoll_event event{};
  if (::epoll_wait(set_.native_handle(), &event, 1, 0) > 0) {
    if ((event.events & EPOLLOUT) != 0) {
      const std::scoped_lock lock(write_mutex_);
      is_full_ = false;
      flush();
    }
    if (!in_loop_ || (event.events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0) {
      read();
    } else if ((event.events & EPOLLIN) != 0) {
      callPatrol();
    }
  }
  watch();
}

void DaemonSocket::callPatrol() {
  if (!patrols_.exchange(true)) {
    boost::asio::post(context_, [self = shared_from_this()] { self->patrol(); });
  }
}

void DaemonSocket::patrol() {
  pause_.expires_after(kPatience);
  pause_.async_wait([self = shared_from_this()](const auto& failure) {
    if (failure || !self->handlers_) {
      return;
    }
    const auto turns = self->turns_.load(std::memory_order_relaxed);
    if (turns != std::exchange(self->turns_seen_, turns)) {
      self->patrol();  // the script's loop turns
      return;
    }
    self->flushNow();
    self->read();
    self->patrols_ = false;
    if (self->backlog() > 0) {
      self->callPatrol();
    }
    self->watch();
  });
}

}  // namespace svc::hostentry
