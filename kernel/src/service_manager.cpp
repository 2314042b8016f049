#include "service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "svc/base/fd.h"

namespace svc::kernel {
namespace {

constexpr const char* kSocket = "NOTIFY_SOCKET";
constexpr const char* kWatchdog = "WATCHDOG_USEC";
constexpr const char* kWatchdogPid = "WATCHDOG_PID";

std::string take(const char* name) {
  // Before any thread starts. NOLINTBEGIN(concurrency-mt-unsafe)
  const char* value = std::getenv(name);
  std::string text = value != nullptr ? value : "";
  ::unsetenv(name);
  // NOLINTEND(concurrency-mt-unsafe)
  return text;
}

void put(const char* name, const std::string& value) {
  if (!value.empty()) {
    ::setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): exec follows
  }
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value > 0
             ? std::optional(value)
             : std::nullopt;
}

/// Half of what is allowed, as sd_watchdog_enabled(3) recommends.
std::optional<std::chrono::milliseconds> intervalOf(const ServiceManager::Wishes& wishes) {
  const auto limit = number(wishes.watchdog_us);
  const bool is_meant = wishes.watchdog_pid.empty() || number(wishes.watchdog_pid) == ::getpid();
  if (wishes.socket.empty() || !limit || !is_meant) {
    return std::nullopt;
  }
  return std::max(std::chrono::milliseconds(1), std::chrono::milliseconds(*limit / 2000));
}

}  // namespace

ServiceManager::Wishes ServiceManager::takeFromEnvironment() {
  return {take(kSocket), take(kWatchdog), take(kWatchdogPid)};
}

void ServiceManager::putIntoEnvironment(const Wishes& wishes) {
  put(kSocket, wishes.socket);
  put(kWatchdog, wishes.watchdog_us);
  put(kWatchdogPid, wishes.watchdog_pid);
}

ServiceManager::ServiceManager(Wishes wishes)
    : wishes_(std::move(wishes)), interval_(intervalOf(wishes_)) {}

void ServiceManager::ready(IExecutor& loop) {
  tell("READY=1");
  if (interval_) {
    live(loop);
  }
}

void ServiceManager::stopping() { tell("STOPPING=1"); }

void ServiceManager::live(IExecutor& loop) {
  tell("WATCHDOG=1");
  next_ = loop.after(*interval_, [this, &loop] { live(loop); });
}

void ServiceManager::tell(std::string_view message) const {
  sockaddr_un address{};
  const auto& name = wishes_.socket;
  if (name.empty() || (name.front() != '/' && name.front() != '@') ||
      name.size() >= sizeof address.sun_path) {
    return;
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name.front() == '@') {
    address.sun_path[0] = '\0';  // an abstract name
  }
  const base::Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  // Nobody who listens is no reason not to serve.
  static_cast<void>(::sendto(socket.get(), message.data(), message.size(),
                             MSG_NOSIGNAL | MSG_DONTWAIT,
                             reinterpret_cast<const sockaddr*>(&address), size));
}

}  // namespace svc::kernel
