#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "svc/common/limits/skills.h"

namespace svc::skillfiles {

/// Code points of UTF-8 text.
[[nodiscard]] inline std::size_t characterCount(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

[[nodiscard]] inline std::string nameRule() {
  return fmt::format("lower-case words joined by single \"-\", at most {} characters",
                     limits::kSkillName);
}

}  // namespace svc::skillfiles
