#pragma once

#include "svc/kernel/assert.h"

namespace svc {

/// The threads of the process that own objects. A thread takes its role once, when it starts.
enum class ThreadRole : unsigned char { kNone, kMain, kIo, kStore, kWorker, kScript };

void setThreadRole(ThreadRole role) noexcept;
[[nodiscard]] ThreadRole threadRole() noexcept;

}  // namespace svc

/// Asserts that the caller is on the thread that owns the object.
#define SVC_ASSERT_ON(role) SVC_ASSERT(::svc::threadRole() == (role))
