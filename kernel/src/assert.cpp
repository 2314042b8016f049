#include "svc/kernel/assert.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "svc/kernel/thread_role.h"

#include "line_writer.h"

namespace svc {
namespace {
thread_local ThreadRole current_role = ThreadRole::kNone;
}

void setThreadRole(ThreadRole role) noexcept { current_role = role; }

ThreadRole threadRole() noexcept { return current_role; }

namespace detail {

void assertFailed(const char* expression, const char* file, int line) noexcept {
  std::array<char, 1024> text{};
  std::snprintf(text.data(), text.size(), "assertion failed: %s at %s:%d\n", expression, file,
                line);
  kernel::printUrgent(text.data());
  std::abort();
}

}  // namespace detail
}  // namespace svc
