#include "svc/kernel/thread_role.h"

namespace svc {
namespace {
thread_local ThreadRole current_role = ThreadRole::kNone;
}

void setThreadRole(ThreadRole role) noexcept { current_role = role; }

ThreadRole threadRole() noexcept { return current_role; }

}  // namespace svc
