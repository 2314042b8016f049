#include "svc/kernel/assert.h"

#include <cstdio>
#include <cstdlib>

// The kernel library has this function too; a copy here keeps that library, and its load time, out of the client.
namespace svc::detail {

void assertFailed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "svc: internal error: %s (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace svc::detail
