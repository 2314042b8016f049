#include "builder_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include <fmt/format.h>

#include "svc/base/stop_event.h"
#include "svc/base/system_error.h"

namespace svc::common {
namespace {

/// A line that is longer than this is no message of the builder.
constexpr std::size_t kLongestLine = 8UL * 1024 * 1024;
constexpr std::size_t kSaid = 4096;

}  // namespace

BuilderProcess::~BuilderProcess() {
  // Its input's end lets it clean up; whoever does not go is killed with the group.
  input_.reset();
  if (child_) {
    pollfd over{.fd = output_.get(), .events = POLLIN, .revents = 0};
    constexpr int kPatienceMs = 1000;
    std::array<char, 4096> rest{};
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
    while (std::chrono::steady_clock::now() < until && ::poll(&over, 1, kPatienceMs) > 0 &&
           ::read(output_.get(), rest.data(), rest.size()) > 0) {
    }
  }
}

Status BuilderProcess::start(const std::vector<std::string>& argv) {
  name_ = argv.at(0);
  auto in = base::makeSocketPair();
  auto out = base::makePipe();
  auto err = base::makePipe();
  if (!in || !out || !err) {
    return !in ? in.error() : !out ? out.error() : err.error();
  }
  auto child = base::spawn({.argv = argv,
                            .in = in.value().there.get(),
                            .out = out.value().write.get(),
                            .err = err.value().write.get()});
  if (!child) {
    return Error{
        errc::kUnavailable,
        fmt::format("bundles are built with Node.js 20 or newer: {}; install Node.js or name it "
                    "with the setting build.node (SVC_BUILD_NODE)",
                    child.error().message)};
  }
  child_ = std::move(child).value();
  input_ = std::move(in.value().here);
  output_ = std::move(out.value().read);
  errors_ = std::move(err.value().read);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(errors_.get(), F_SETFL, O_NONBLOCK);
  return {};
}

Status BuilderProcess::send(const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const auto count = ::send(input_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return ended();
    }
    sent += static_cast<std::size_t>(count);
  }
  return {};
}

bool BuilderProcess::takeLine(std::string& line) {
  const auto end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return false;
  }
  line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  scanned_ = 0;
  return true;
}

Status BuilderProcess::readMore(int timeout_ms, int wake) {
  std::array<pollfd, 3> polled{
      {{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}, {wake, POLLIN, 0}}};
  const int ready = ::poll(polled.data(), polled.size(), timeout_ms);
  if (ready < 0 && errno != EINTR) {
    return base::systemError("waiting for the builder failed", errno);
  }
  std::array<char, 16384> chunk{};
  if (errors_ && polled[1].revents != 0) {
    const auto count = ::read(errors_.get(), chunk.data(), chunk.size());
    if (count > 0) {
      said_.append(chunk.data(), static_cast<std::size_t>(count));
      said_.erase(0, said_.size() - std::min(said_.size(), kSaid));
    } else if (count == 0) {
      errors_.reset();
    }
  }
  if (polled[0].revents != 0) {
    const auto count = ::read(output_.get(), chunk.data(), chunk.size());
    if (count > 0) {
      buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return ended();
    }
  }
  return {};
}

Error BuilderProcess::ended() {
  // What it said last arrives with or before the end of its output.
  std::array<char, kSaid> chunk{};
  const auto count = errors_ ? ::read(errors_.get(), chunk.data(), chunk.size()) : 0;
  if (count > 0) {
    said_.append(chunk.data(), static_cast<std::size_t>(count));
  }
  while (!said_.empty() && (said_.back() == '\n' || said_.back() == ' ')) {
    said_.pop_back();
  }
  return {errc::kUnavailable,
          fmt::format("the builder process ({}) ended before the build was done{}{}", name_,
                      said_.empty() ? "" : ": ", said_)};
}

Result<std::string> BuilderProcess::readLine(std::chrono::steady_clock::time_point deadline,
                                             const std::stop_token& stop) {
  const base::StopEvent stopped(stop);
  std::string line;
  Result<std::string> answer = Error{errc::kAborted, "the build was stopped"};
  while (!stop.stop_requested()) {
    if (takeLine(line)) {
      answer = std::move(line);
      break;
    }
    if (buffer_.size() > kLongestLine) {
      answer = Error{errc::kUnavailable, "the builder printed a line that is too long"};
      break;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
            .count();
    if (left <= 0) {
      answer = Error{errc::kTimeout, "no answer in time"};
      break;
    }
    if (auto status =
            readMore(static_cast<int>(std::min<std::int64_t>(left, INT_MAX)), stopped.descriptor());
        !status) {
      answer = std::move(status).error();
      break;
    }
  }
  return answer;
}

}  // namespace svc::common
