#include "browser.h"

#include <algorithm>
#include <array>

namespace svc::client {
namespace {

bool isSet(const Environment& environment, const char* name) {
  const auto value = environment.variable(name);
  return value && !value->empty();
}

}  // namespace

std::optional<std::string> browserProgram(const Environment& environment) {
  if (isSet(environment, "BROWSER")) {
    auto named = environment.variable("BROWSER").value_or("");
    if (named == "none") {
      return std::nullopt;
    }
    // A list, or a command line with a place for the address: the desktop's program understands those.
    if (named.find_first_of(": %") == std::string::npos) {
      return named;
    }
  }
  if (isSet(environment, "SSH_CONNECTION")) {
    return std::nullopt;
  }
  constexpr std::array kDesktop{"WAYLAND_DISPLAY", "DISPLAY"};
  const bool has_desktop = std::any_of(kDesktop.begin(), kDesktop.end(),
                                       [&](const char* name) { return isSet(environment, name); });
  return has_desktop ? std::optional<std::string>("xdg-open") : std::nullopt;
}

}  // namespace svc::client
