#pragma once

#include <map>
#include <string>

#include "cli/command_tree.h"

/// What is written from the command definitions: docs/cli.md and the manual pages.
namespace svc::client {

[[nodiscard]] std::string markdownReference(const CommandInfo& root);
/// File name ("svc-plugin.1") to text: one page for the program and one for each group.
[[nodiscard]] std::map<std::string, std::string> manualPages(const CommandInfo& root,
                                                             const std::string& version);

}  // namespace svc::client
