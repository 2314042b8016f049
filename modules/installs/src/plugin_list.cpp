#include "plugin_list.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"

#include "source_spec.h"

namespace svc::installs {

using common::Json;

Result<std::vector<ListedPlugin>> parsePluginList(std::string_view text, std::string_view url) {
  const auto parsed = Json::parse(text);
  if (!parsed || !parsed.value().isObject()) {
    return refusal("no_manifest", fmt::format("{} of {} is not a JSON object", kPluginList, url));
  }
  std::vector<ListedPlugin> out;
  for (const auto& plugin : parsed.value()["plugins"].items()) {
    if (const auto& name = plugin["name"].asString(); !name.empty()) {
      out.push_back({name, plugin["source"].asString()});
    }
  }
  return out;
}

std::string namesOf(const std::vector<ListedPlugin>& plugins) {
  constexpr std::size_t kNamed = 20;
  std::string out;
  for (const auto& plugin : plugins) {
    if (&plugin == plugins.data() + kNamed) {
      return fmt::format("{} and {} more", out, plugins.size() - kNamed);
    }
    out += (out.empty() ? "" : ", ") + plugin.name;
  }
  return out;
}

std::vector<ListedPlugin> installable(std::vector<ListedPlugin> plugins) {
  std::erase_if(plugins, [](const ListedPlugin& plugin) {
    const auto directory = checkSubdirectory(plugin.source);
    return !directory || directory.value().empty();
  });
  return plugins;
}

}  // namespace svc::installs
