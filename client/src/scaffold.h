#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

#include "sdk_pins.h"

namespace svc::client {

struct ScaffoldName {
  std::string package;    ///< "svc-plugin-todo", "@scope/svc-plugin-todo"
  std::string id;         ///< "todo"
  std::string directory;  ///< "svc-plugin-todo"
  std::string title;      ///< "Todo"

  /// What its skill is called, and what the names of its tools begin with: those of all plugins lie side by side.
  [[nodiscard]] std::string skill() const;
  [[nodiscard]] std::string tool() const;
};

/// The text as the name of a skill, which has a limit and no double dashes.
[[nodiscard]] std::string asSkillName(std::string text);

/// From `x`, `svc-plugin-x` or `@scope/svc-plugin-x`. `usage` for a name that no plugin can have.
[[nodiscard]] Result<ScaffoldName> parseScaffoldName(std::string_view typed);

/// Makes the folder of a plugin, from a template (see scaffold/README.md for the placeholders) or from an example.
class Scaffold {
 public:
  struct Service {
    std::string version;
    std::string url;
  };
  /// `share` is <prefix>/share/svc.
  Scaffold(std::filesystem::path share, Service service, const CarriedSdk& sdk)
      : share_(std::move(share)), service_(std::move(service)), sdk_(sdk) {}

  /// Makes `target`, which must not exist (`conflict`, and it stays untouched), with everything in it. What was written
  /// is removed when something fails.
  [[nodiscard]] Status write(std::string_view plugin_template, const ScaffoldName& name,
                             const std::filesystem::path& target) const;
  /// The same from the sources of an example: a plugin of its own with this name (example_copy.h).
  [[nodiscard]] Status writeFrom(const std::filesystem::path& example, const ScaffoldName& name,
                                 const std::filesystem::path& target) const;

 private:
  [[nodiscard]] static Status make(const std::filesystem::path& target,
                                   const std::function<Status()>& fill);
  [[nodiscard]] Status fill(std::string_view plugin_template, const ScaffoldName& name,
                            const std::filesystem::path& target) const;
  [[nodiscard]] Status setPins(const std::filesystem::path& target) const;

  std::filesystem::path share_;
  Service service_;
  const CarriedSdk& sdk_;
};

}  // namespace svc::client
