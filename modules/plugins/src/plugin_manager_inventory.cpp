#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

#include "log_line.h"
#include "plugin_files.h"
#include "plugin_manager.h"

namespace svc::plugins {
namespace {

/// A directory is used in place: it has one version, the present one. Managed rows carry the rest.
void addSource(SourceDetail& out, const storage::PluginRow& row) {
  out.resolved = row.resolved.empty() ? row.root_dir : row.resolved;
  auto since = row.installed_at;
  if (const auto parsed = common::Json::parse(row.source_detail)) {
    const auto& detail = parsed.value();
    since = detail["resolvedAt"].asInteger(since);
    out.subdirectory = detail["subdirectory"].asString();
    out.range = detail["range"].asString();
    out.tag_prefix = detail["tagPrefix"].asString();
    out.registry =
        detail[detail.find("registry") != nullptr ? "registry" : "resolvedRegistry"].asString();
  }
  out.history.push_back({row.version, out.resolved, since});
  out.resolved_tag = row.resolved_tag;
  out.integrity = row.integrity;
  if (const auto history = common::Json::parse(row.history)) {
    for (const auto& each : history.value().items()) {
      out.history.push_back(
          {each["version"].asString(), each["resolved"].asString(), each["at"].asInteger()});
    }
  }
  out.history.resize(std::min(out.history.size(), limits::kSourceHistory));
}

/// What a plugin that is not loaded shows of itself.
struct Description {
  Manifest manifest;
  ContentsPtr contents;
};

Result<Description> describeDirectory(const std::filesystem::path& root) {
  auto parsed = readPlugin(root);
  if (!parsed) {
    return std::move(parsed).error();
  }
  Description out{std::move(parsed).value().manifest, nullptr};
  auto contents = readContents(root, out.manifest);
  if (contents) {
    out.contents = std::move(contents).value();
  }
  return out;
}

}  // namespace

void PluginManager::describe(const PluginPtr& plugin) {
  const auto job = [root = plugin->row.root_dir] { return describeDirectory(root); };
  runOnWorker<Description>(with_.workers, with_.main, job,
                           [self = shared_from_this(), plugin](Result<Description> found) {
                             // A load that has begun meanwhile reads for itself.
                             if (!found || plugin->manifest || plugin->removed ||
                                 found.value().manifest.id != plugin->row.id) {
                               return;
                             }
                             plugin->manifest = std::move(found.value().manifest);
                             plugin->contents = std::move(found.value().contents);
                             self->with_.assets->set(plugin->row.id, plugin->contents);
                             self->announce();
                           });
}

void PluginManager::setDevProblems(std::string plugin_id, std::vector<DevProblem> problems,
                                   Completion<void> done) {
  onMain<void>(std::move(done), [this, plugin_id = std::move(plugin_id),
                                 problems = std::move(problems)](Completion<void> answer) {
    const auto plugin = find(plugin_id);
    if (!plugin) {
      answer(unknownPlugin(plugin_id));
      return;
    }
    if (problems.empty() && plugin->dev_problems.empty()) {
      answer({});
      return;
    }
    plugin->dev_problems.clear();
    for (const auto& problem : problems) {
      plugin->dev_problems.push_back(with_.logs->mask().apply(cutMessage(buildFailure(problem))));
    }
    with_.loaded->setStatus(plugin_id, shownStatus(*plugin), shownDetail(*plugin));
    announce();
    answer({});
  });
}

void PluginManager::source(std::string plugin_id, Completion<SourceDetail> done) {
  onMain<SourceDetail>(std::move(done),
                       [this, plugin_id = std::move(plugin_id)](Completion<SourceDetail> answer) {
                         const auto plugin = find(plugin_id);
                         if (!plugin) {
                           answer(unknownPlugin(plugin_id));
                           return;
                         }
                         const auto& row = plugin->row;
                         SourceDetail out;
                         out.requested = row.source;
                         out.installed_at = row.installed_at;
                         addSource(out, row);
                         if (plugin->manifest) {
                           out.engine_service = plugin->manifest->engine_service;
                           out.engine_sdk = plugin->manifest->engine_sdk;
                         }
                         answer(std::move(out));
                       });
}

}  // namespace svc::plugins
