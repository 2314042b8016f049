#include "svc/base/assert.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "svc/base/unblocked_output.h"

namespace svc::detail {

void assertFailed(const char* expression, const char* file, int line) noexcept {
  std::array<char, 1024> text{};
  std::snprintf(text.data(), text.size(), "assertion failed: %s at %s:%d\n", expression, file,
                line);
  base::printUrgent(text.data());
  std::abort();
}

}  // namespace svc::detail
