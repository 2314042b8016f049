#include "palettes.h"

#include <algorithm>

namespace svc::themes {

const Palette* findPalette(std::string_view id) {
  const auto* const found = std::find_if(kPalettes.begin(), kPalettes.end(),
                                         [id](const Palette& each) { return each.id == id; });
  return found == kPalettes.end() ? nullptr : found;
}

std::string_view sheetOf(const Palette& palette) {
  const auto at = static_cast<std::size_t>(&palette - kPalettes.data());
  return at == 0 ? std::string_view() : kPaletteSheets.at(at - 1);
}

}  // namespace svc::themes
