#include "svc/base/environment.h"

#include <algorithm>
#include <array>
#include <string_view>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace svc::base {
namespace {

constexpr std::array<std::string_view, 15> kNames{"HOME",
                                                  "USER",
                                                  "LOGNAME",
                                                  "SHELL",
                                                  "LANG",
                                                  "TZ",
                                                  "TERM",
                                                  "TMPDIR",
                                                  "DISPLAY",
                                                  "WAYLAND_DISPLAY",
                                                  "SSH_AUTH_SOCK",
                                                  "HTTP_PROXY",
                                                  "HTTPS_PROXY",
                                                  "NO_PROXY",
                                                  "DBUS_SESSION_BUS_ADDRESS"};
constexpr std::array<std::string_view, 2> kPrefixes{"LC_", "XDG_"};

}  // namespace

Environment currentEnvironment() {
  Environment out;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view entry(*each);
    const auto equals = entry.find('=');
    if (equals != std::string_view::npos) {
      out.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return out;
}

Environment cleanEnvironment(const Environment& own, const std::string& path) {
  Environment out;
  for (const auto& [name, value] : own) {
    const bool passes =
        std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
        std::any_of(kPrefixes.begin(), kPrefixes.end(),
                    [&name = name](std::string_view prefix) { return name.starts_with(prefix); });
    if (passes) {
      out.emplace(name, value);
    }
  }
  out["PATH"] = path;
  return out;
}

}  // namespace svc::base
