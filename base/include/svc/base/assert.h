#pragma once

namespace svc::detail {
[[noreturn]] void assertFailed(const char* expression, const char* file, int line) noexcept;
}

/// A programming error ends the process, in every build. Input from outside never reaches an assert.
#define SVC_ASSERT(expression)         \
  ((expression) ? static_cast<void>(0) \
                : ::svc::detail::assertFailed(#expression, __FILE__, __LINE__))
