#include <utility>

#include "svc/plugins/versions.h"

#include "engines.h"
#include "install_source.h"
#include "plugin_contents.h"
#include "plugin_files.h"
#include "plugin_manager.h"

namespace svc::plugins {
namespace {

/// The checks of an install and of the first steps of a load, in their order. Blocks.
Inspection inspectFiles(const std::string& source) {
  Inspection out;
  const auto root = localDirectory(source);
  auto parsed = root ? readPlugin(root.value()) : Result<ParsedManifest>(root.error());
  if (!parsed) {
    out.problems.push_back(parsed.error().message);
    return out;
  }
  const auto& manifest = parsed.value().manifest;
  out.id = manifest.id;
  out.warnings = std::move(parsed.value().warnings);
  if (auto reason = incompatibility(manifest, kServiceVersion, kSdkVersion); !reason.empty()) {
    out.problems.push_back(std::move(reason));
  }
  const auto contents = readContents(root.value(), manifest);
  if (!contents) {
    out.problems.push_back(contents.error().message);
    return out;
  }
  for (const auto& problem : contents.value()->problems) {
    out.warnings.push_back(problem.message);
  }
  return out;
}

}  // namespace

Status PluginManager::directoryAdmission(const std::string& plugin_id) const {
  const auto plugin = find(plugin_id);
  if (isReservedId(plugin_id) || (!plugin && !builtinDirectory(plugin_id).empty())) {
    return reservedId(plugin_id);
  }
  if (plugin && plugin->row.source_kind != "path") {
    return idInUse(plugin->row);
  }
  return {};
}

void PluginManager::inspect(std::string source, Completion<Inspection> done) {
  onMain<Inspection>(std::move(done), [this,
                                       source = std::move(source)](Completion<Inspection> answer) {
    const std::function job = [source]() -> Result<Inspection> { return inspectFiles(source); };
    runOnWorker<Inspection>(
        with_.workers, with_.main, job,
        [self = shared_from_this(), answer = std::move(answer)](Result<Inspection> found) mutable {
          if (found && !found.value().id.empty()) {
            if (const auto admitted = self->directoryAdmission(found.value().id); !admitted) {
              found.value().problems.push_back(admitted.error().message);
            }
          }
          answer(std::move(found));
        });
  });
}

}  // namespace svc::plugins
