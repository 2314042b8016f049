#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "svc/kernel/result.h"

#include "scaffold.h"

namespace svc::client {

/// What an example is called in its own sources, and what other plugins must not be called as well.
struct ExampleNames {
  std::string id;                   ///< "todo"
  std::string title;                ///< "Todo", as people see it
  std::vector<std::string> pages;   ///< titles of rows in the sidebar: "Todos"
  std::vector<std::string> tools;   ///< "todo_add"; agents see those of all plugins side by side
  std::vector<std::string> skills;  ///< "example-todos"
};

/// The sources of an example with another plugin's name in every place that names the plugin: its id, its command, what of it all plugins
/// share, and its texts. Code keeps the names of its own (`function todo`, a table `notes`). A pure function of text.
class Renaming {
 public:
  Renaming(ExampleNames example, ScaffoldName name);

  /// The text of a file; `path` is relative to the plugin.
  [[nodiscard]] std::string text(const std::filesystem::path& path, std::string text) const;
  /// A folder of a skill has the skill's name.
  [[nodiscard]] std::filesystem::path path(const std::filesystem::path& path) const;
  /// package.json
  [[nodiscard]] common::Json manifest(const common::Json& example,
                                      const std::vector<std::string>& files) const;

 private:
  [[nodiscard]] std::string skill(const std::string& name) const;
  void renameInReadme(std::string& text) const;
  void renameTitles(std::string& text) const;

  ExampleNames example_;
  ScaffoldName name_;
};

/// Reads what `directory` is called. The error says that the installation is damaged.
[[nodiscard]] Result<ExampleNames> readExampleNames(const std::filesystem::path& directory);

/// Copies the example into the directory `target` as the plugin `name`.
[[nodiscard]] Status copyExample(const std::filesystem::path& example, const ScaffoldName& name,
                                 const std::filesystem::path& target);

}  // namespace svc::client
