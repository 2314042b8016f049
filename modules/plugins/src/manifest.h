#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::plugins {

/// A path of the manifest leaves the plugin directory.
inline constexpr Errc kPathEscape{"path_escape"};

struct Theme {
  std::string id;
  std::string name;
  std::string description;
  std::string css;
  std::string code_dark;
  std::string code_light;
};

/// Paths are relative to the plugin root, normalised, without a leading "./". Empty = not given.
struct Branding {
  std::string icon;       ///< name of a host icon
  std::string icon_file;  ///< or an SVG of the plugin
  std::string logo_light;
  std::string logo_dark;
  std::map<std::string, std::string> icons;
};

/// What a plugin's package.json says about it, with the defaults filled in.
struct Manifest {
  std::string id;
  std::string package_name;
  std::string version;
  std::string name;
  std::string description;
  std::string server;
  std::string app;
  std::string host;
  Branding branding;
  std::vector<std::string> skills;
  std::vector<Theme> themes;
  std::string engine_service;
  std::string engine_sdk;
};

struct ParsedManifest {
  Manifest manifest;
  /// One sentence each, e.g. `package.json: svc.colour: unknown key`.
  std::vector<std::string> warnings;
};

/// A pure function of the bytes of package.json. An error's message starts with the JSON path of
/// what is wrong; its details carry it as `path`.
[[nodiscard]] Result<ParsedManifest> parseManifest(std::string_view bytes);

/// Plugin id of a package name; empty when nothing of it can be used.
[[nodiscard]] std::string pluginIdOf(std::string_view package_name);
/// Whether a plugin can have it.
[[nodiscard]] bool isPluginId(std::string_view id);
/// True for ids the service keeps for itself.
[[nodiscard]] bool isReservedId(std::string_view plugin_id);
/// "example-todos" → "Example Todos".
[[nodiscard]] std::string titleOf(std::string_view plugin_id);

}  // namespace svc::plugins
