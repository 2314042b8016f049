#include "scaffold_templates.h"

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>

#include <fmt/format.h>

#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

constexpr std::array<PluginTemplate, 6> kPluginTemplates{
    {{"minimal", "a command, in 20 lines"},
     {"page", "a page in the window, a command, a skill for agents"},
     {"service", "work that goes on in the background"},
     {"webhook", "receives what another service sends"},
     {"host", "asks your machines something"},
     {"agent", "tools and a skill for agents"}}};

}  // namespace

std::span<const PluginTemplate> pluginTemplates() { return kPluginTemplates; }

std::vector<std::filesystem::path> templateFolders(const std::filesystem::path& share,
                                                   std::string_view name) {
  if (name == kUsualTemplate) {
    return {share / "scaffold"};
  }
  const auto templates = share / "templates";
  return {templates / "common", templates / name};
}

std::optional<std::string> askForTemplate(const Console& console) {
  Table table;
  std::vector<std::string> names;
  for (const auto& each : kPluginTemplates) {
    names.emplace_back(each.name);
    table.add({fmt::format("  {}", names.size()), names.back(), std::string(each.about)});
  }
  console.err << "What does the plugin begin with?\n" << table.render(Table::Layout::kAligned);
  for (;;) {
    console.err << fmt::format("Number or name [{}]: ", kUsualTemplate) << std::flush;
    std::string answer;
    if (!std::getline(console.in, answer)) {
      console.err << '\n';
      return std::nullopt;
    }
    const auto start = answer.find_first_not_of(" \t\r");
    answer = start == std::string::npos
                 ? std::string(kUsualTemplate)
                 : answer.substr(start, answer.find_last_not_of(" \t\r") + 1 - start);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (answer == names[i] || answer == std::to_string(i + 1)) {
        return names[i];
      }
    }
    console.err << fmt::format("There is no template \"{}\".\n", oneLine(answer));
  }
}

}  // namespace svc::client
