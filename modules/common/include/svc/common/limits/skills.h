#pragma once

#include <cstddef>

/// Skills and their trees. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

inline constexpr std::size_t kSkillName = 64;
inline constexpr std::size_t kSkillDescription = 1024;
inline constexpr std::size_t kSkillTreeFiles = 1000;
inline constexpr std::size_t kSkillTreeBytes = 10UL * 1024 * 1024;
inline constexpr std::size_t kSkillTreeDepth = 24;

}  // namespace svc::limits
