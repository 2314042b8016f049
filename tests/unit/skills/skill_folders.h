#pragma once

#include <string>
#include <vector>

#include "roots.h"
#include "scan.h"
#include "unit/plugins/temp_directory.h"

namespace svc::skills {

/// A home and a data directory with skills in them.
class SkillFolders {
 public:
  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }
  [[nodiscard]] std::filesystem::path home() const { return path() / "home"; }
  [[nodiscard]] std::filesystem::path data() const { return path() / "data"; }
  [[nodiscard]] std::vector<Root> roots() const {
    return userRoots({.data = data(), .home = home()}, [](const char*) { return std::nullopt; });
  }

  /// A skill below a folder such as "data/skills".
  void add(const std::string& folder, const std::string& name,
           const std::string& text = "Text") const {
    write(folder + "/" + name + "/SKILL.md", skillText(name, text));
  }
  void write(const std::string& file, const std::string& text) const {
    directory_.write(file, text);
  }
  [[nodiscard]] plugins::PluginSkill ofPlugin(const std::string& plugin,
                                              const std::string& name) const {
    add("plugins/" + plugin, name, plugin);
    return {.plugin_id = plugin, .name = name, .directory = path() / "plugins" / plugin / name};
  }
  [[nodiscard]] static std::string skillText(const std::string& name, const std::string& text) {
    return "---\nname: " + name + "\ndescription: About " + name + "\n---\n" + text + "\n";
  }

 private:
  svc::test::TempDirectory directory_;
};

}  // namespace svc::skills
