#pragma once

#include <optional>
#include <string_view>

#include "svc/common/semver.h"

namespace svc::common::semver {

// Numbers above this are not exact in JavaScript, so npm refuses them.
inline constexpr std::uint64_t kMaxNumber = (1ULL << 53U) - 1;

/// A version in which trailing components may be missing or written x, X or *.
struct Partial {
  Version version;          ///< open components are 0; the pre-release only counts when parts == 3
  int parts = 0;            ///< numeric components before the first open one
  bool misordered = false;  ///< a number follows an open component, as in "1.x.3"
};

/// Reads the tokens of versions and ranges from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool atEnd() const { return rest_.empty(); }
  [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool accept(char wanted);
  bool accept(std::string_view wanted);
  /// True when at least one blank was skipped.
  bool skipBlanks();
  /// "1", "1.x", "1.2.3-beta.1+build"; the whole word has to fit, nullopt otherwise.
  [[nodiscard]] std::optional<Partial> partial();

 private:
  [[nodiscard]] std::optional<std::uint64_t> number();
  [[nodiscard]] std::string_view word();
  [[nodiscard]] bool component(int index, Partial& out);
  [[nodiscard]] bool prerelease(Version& out);
  [[nodiscard]] bool build();

  std::string_view rest_;
};

}  // namespace svc::common::semver
