#include "theme_choice.h"

#include <algorithm>
#include <array>

#include "svc/http/text.h"

namespace svc::themes {
namespace {

using common::Json;

constexpr const char* kKey = "theme";
constexpr std::array<std::string_view, 8> kColorNames{"blue",   "green", "orange", "pink",
                                                      "purple", "red",   "teal",   "yellow"};

}  // namespace

Json toJson(const ThemeChoice& choice) {
  return Json::object()
      .set("themeId", choice.theme_id)
      .set("faviconColor", choice.favicon_color ? Json(*choice.favicon_color) : Json());
}

bool isColor(std::string_view text) {
  constexpr std::size_t kLength = 7;
  if (std::find(kColorNames.begin(), kColorNames.end(), text) != kColorNames.end()) {
    return true;
  }
  return text.size() == kLength && text.front() == '#' &&
         std::all_of(text.begin() + 1, text.end(), [](char c) { return http::hexDigit(c) >= 0; });
}

Status ThemeChoices::open() {
  auto stored = store_.get(kKey);
  if (!stored) {
    return std::move(stored).error();
  }
  if (!stored.value()) {
    return {};
  }
  const auto json = Json::parse(*stored.value());
  if (!json || json.value()["themeId"].asString().empty()) {
    return {};
  }
  const std::scoped_lock lock(mutex_);
  choice_.theme_id = json.value()["themeId"].asString();
  if (const auto& color = json.value()["faviconColor"].asString(); isColor(color)) {
    choice_.favicon_color = color;
  }
  return {};
}

ThemeChoice ThemeChoices::get() const {
  const std::scoped_lock lock(mutex_);
  return choice_;
}

Status ThemeChoices::set(const ThemeChoice& choice) {
  if (auto stored = store_.set(kKey, toJson(choice).dump()); !stored) {
    return stored;
  }
  const std::scoped_lock lock(mutex_);
  choice_ = choice;
  return {};
}

}  // namespace svc::themes
