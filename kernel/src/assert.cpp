#include "svc/kernel/assert.h"

#include <cstdio>
#include <cstdlib>

#include "svc/kernel/thread_role.h"

namespace svc {
namespace {
thread_local ThreadRole current_role = ThreadRole::kNone;
}

void setThreadRole(ThreadRole role) noexcept { current_role = role; }

ThreadRole threadRole() noexcept { return current_role; }

namespace detail {

void assertFailed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "assertion failed: %s at %s:%d\n", expression, file, line);
  std::abort();
}

}  // namespace detail
}  // namespace svc
