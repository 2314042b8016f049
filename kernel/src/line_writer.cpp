#include "line_writer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace svc::kernel {

LineWriter::LineWriter(Options options) : options_(std::move(options)), out_(options_.fd) {}

LineWriter::~LineWriter() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) {
    wake();
    thread_.join();
  }
}

void LineWriter::write(std::string line) {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty() && dropped_ == 0) {
    const auto written = out_.write(line);
    if (written == line.size()) {
      return;
    }
    begun_ = written;
  }
  bytes_ += line.size();
  waiting_.push_back(std::move(line));
  dropOldest();
  if (!thread_.joinable()) {
    wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    thread_ = std::thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), "log-output");
  } else if (waiting_.size() == 1) {
    wake();
  }
}

void LineWriter::dropOldest() {
  // A line of which a part is out is finished, so that the reader sees whole lines.
  const std::ptrdiff_t first = begun_ > 0 ? 1 : 0;
  while (bytes_ > options_.limit && waiting_.size() > static_cast<std::size_t>(first)) {
    const auto oldest = waiting_.begin() + first;
    bytes_ -= oldest->size();
    waiting_.erase(oldest);
    ++dropped_;
  }
}

/// In the place of the lines that were dropped, which may become more until there is room. False when it is not out.
bool LineWriter::writeNote() {
  auto note = options_.dropped(dropped_);
  begun_ = out_.write(note);
  if (begun_ == 0) {
    return false;
  }
  dropped_ = 0;
  if (begun_ == note.size()) {
    begun_ = 0;
    return true;
  }
  bytes_ += note.size();
  waiting_.push_front(std::move(note));
  return false;
}

/// As much as there is room for.
void LineWriter::writeWaiting() {
  while (!waiting_.empty() || dropped_ > 0) {
    if (dropped_ > 0 && begun_ == 0 && !writeNote()) {
      return;
    }
    if (waiting_.empty()) {
      break;
    }
    const auto& line = waiting_.front();
    begun_ += out_.write(std::string_view(line).substr(begun_));
    if (begun_ < line.size()) {
      return;
    }
    bytes_ -= line.size();
    begun_ = 0;
    waiting_.pop_front();
  }
  drained_.notify_all();
}

bool LineWriter::drain(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return drained_.wait_for(lock, limit, [this] { return waiting_.empty() && dropped_ == 0; });
}

void LineWriter::wake() const {
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

void LineWriter::run() {
  for (;;) {
    bool waits = false;
    {
      const std::scoped_lock lock(mutex_);
      if (stopping_) {
        return;
      }
      writeWaiting();
      waits = !waiting_.empty() || dropped_ > 0;
    }
    std::array<pollfd, 2> events{pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = out_.descriptor(), .events = POLLOUT, .revents = 0}};
    ::poll(events.data(), waits ? 2 : 1, -1);
    std::uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof count);
  }
}

}  // namespace svc::kernel
