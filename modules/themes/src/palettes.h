#pragma once

#include <array>
#include <string_view>

namespace svc::themes {

/// A palette that comes with the service. `default` has no sheet: it is part of the window.
struct Palette {
  std::string_view id;
  std::string_view name;
  std::string_view code_dark;
  std::string_view code_light;
};

/// In the order of the catalog; the sheets are in the order of those behind the first.
inline constexpr std::array<Palette, 6> kPalettes{
    {{"default", "Default", "", ""},
     {"nord", "Nord", "nord", "github-light"},
     {"dracula", "Dracula", "dracula", "github-light"},
     {"solarized", "Solarized", "solarized-dark", "solarized-light"},
     {"gruvbox", "Gruvbox", "gruvbox-dark-medium", "gruvbox-light-medium"},
     {"catppuccin", "Catppuccin", "catppuccin-mocha", "catppuccin-latte"}}};

using PaletteSheets = std::array<std::string_view, kPalettes.size() - 1>;
extern const PaletteSheets kPaletteSheets;

/// Null for an id that is none of them.
[[nodiscard]] const Palette* findPalette(std::string_view id);
/// Empty for the palette of the window.
[[nodiscard]] std::string_view sheetOf(const Palette& palette);

}  // namespace svc::themes
