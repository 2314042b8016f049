#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "svc/common/json.h"
#include "svc/storage/service_settings.h"

namespace svc::themes {

/// The palette that is part of the window.
inline constexpr const char* kDefaultTheme = "default";

/// What was chosen, for every window.
struct ThemeChoice {
  std::string theme_id = kDefaultTheme;
  std::optional<std::string> favicon_color{};  ///< "#rrggbb" or a name

  bool operator==(const ThemeChoice&) const = default;
};

[[nodiscard]] common::Json toJson(const ThemeChoice& choice);

/// The name of no colour: as null.
inline constexpr const char* kNoColor = "default";

/// "#" and six hexadecimal digits, or one of the names: blue, green, orange, pink, purple, red, teal, yellow.
[[nodiscard]] bool isColor(std::string_view text);

/// The choice, kept across restarts. Thread-safe.
class ThemeChoices {
 public:
  explicit ThemeChoices(storage::IServiceSettings& store) : store_(store) {}

  /// Reads what was stored; something unreadable is as nothing. Blocks.
  [[nodiscard]] Status open();
  [[nodiscard]] ThemeChoice get() const;
  /// In force when it is stored. Blocks.
  [[nodiscard]] Status set(const ThemeChoice& choice);

 private:
  storage::IServiceSettings& store_;
  mutable std::mutex mutex_;
  ThemeChoice choice_;
};

}  // namespace svc::themes
