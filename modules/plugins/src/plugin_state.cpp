#include "plugin_state.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace svc::plugins {
namespace {

/// The problems that people are to see without looking for them: `svc <name>` is not this plugin's, and its page shows
/// nothing in the window.
constexpr std::array<std::string_view, 2> kShownProblems{"cli_command_reserved", "ui_failed"};

void append(std::string& text, const std::string& more) {
  if (!more.empty()) {
    text += text.empty() ? more : "; " + more;
  }
}

std::optional<CliRegistration> readCli(const common::Json& value) {
  if (!value.isObject()) {
    return std::nullopt;
  }
  CliRegistration out;
  out.name = value["name"].asString();
  out.summary = value["summary"].asString();
  out.renders_help = value["rendersHelp"].asBool();
  out.shadowed = value["shadowed"].asBool();
  for (const auto& command : value["commands"].items()) {
    out.commands.push_back(
        {command["name"].asString(), command["summary"].asString(), command["usage"].asString()});
  }
  return out;
}

std::optional<AppBundle> readApp(const common::Json& value) {
  if (!value.isObject()) {
    return std::nullopt;
  }
  AppBundle out{.js_url = value["jsUrl"].asString(),
                .css_url = value["cssUrl"].asString(),
                .hash = value["hash"].asString(),
                .js_bytes = static_cast<std::uint64_t>(value["jsBytes"].asInteger()),
                .sdk_major = value["sdkMajor"].asInteger(),
                .sdk_version = value["sdkVersion"].asString(),
                .compatible = value["compatible"].asBool()};
  if (value["runtimeSlots"].isArray()) {
    auto& slots = out.runtime_slots.emplace();
    for (const auto& slot : value["runtimeSlots"].items()) {
      slots.push_back(slot.asString());
    }
  }
  return out;
}

void addAgents(PluginRecord& record, const Generation& generation) {
  const auto tools = generation.registration("agent-tools");
  for (const auto& tool : tools.items()) {
    const auto& name = tool["name"].asString();
    record.capabilities.push_back({"agent-tool", name, name, tool["description"].asString()});
  }
  const auto providers = generation.registration("providers");
  for (const auto& provider : providers.items()) {
    record.provider_ids.push_back(provider["id"].asString());
  }
}

void addCatalog(PluginRecord& record, const storage::PluginRow& row) {
  if (row.provenance != "catalog") {
    return;
  }
  if (const auto detail = common::Json::parse(row.source_detail)) {
    const auto& catalog = detail.value()["catalog"];
    record.publisher_label = catalog["publisher"].asString();
    record.catalog_entry_id = catalog["entryId"].asString();
    record.catalog_marketplace_name = catalog["marketplace"].asString();
  }
}

void addManifest(PluginRecord& record, const Manifest& manifest) {
  record.version = manifest.version;
  record.name = manifest.name;
  record.description = manifest.description;
  record.icon = manifest.branding.icon;
  record.has_app = !manifest.app.empty();
}

void addContents(PluginRecord& record, const PluginContents& contents) {
  constexpr std::string_view kIcons = "icons/";
  const auto url = [&](const std::string& name) {
    return assetUrl(record.id, contents.branding, name);
  };
  record.icon_url = url("icon");
  record.logo_url = url("logo");
  record.logo_dark_url = url("logo-dark");
  for (const auto& [name, asset] : contents.branding) {
    if (name.starts_with(kIcons)) {
      record.icons[name.substr(kIcons.size())] = url(name);
    }
  }
  record.overview = contents.overview;
  record.capabilities = contents.capabilities;
  record.problems = contents.problems;
}

void addGeneration(PluginRecord& record, const Generation& generation) {
  const auto problems = generation.problems();
  record.problems.insert(record.problems.end(), problems.begin(), problems.end());
  record.unsupported = generation.unsupported();
  record.cli = readCli(generation.registration("cli"));
  addAgents(record, generation);
  record.app = readApp(generation.registration("app"));
  record.has_settings = generation.registration("settings").isObject();
}

}  // namespace

std::string buildFailure(const DevProblem& problem) {
  return fmt::format("{} bundle build failed: {}",
                     problem.target == BundleTarget::kHost ? "host" : "frontend", problem.message);
}

PluginStatus shownStatus(const PluginState& plugin) {
  return plugin.degraded.empty() ? plugin.status : PluginStatus::kDegraded;
}

std::string shownDetail(const PluginState& plugin) {
  std::string out;
  for (const auto& [load_id, text] : plugin.degraded) {
    append(out, text);
  }
  append(out, plugin.detail);
  if (plugin.current) {
    append(out, plugin.warnings);
  }
  for (const auto& problem : plugin.dev_problems) {
    append(out, problem);
  }
  for (const auto& problem : plugin.build_problems) {
    // A development loop has usually met the same failure.
    if (std::ranges::find(plugin.dev_problems, problem) == plugin.dev_problems.end()) {
      append(out, problem);
    }
  }
  if (plugin.current) {
    for (const auto& problem : plugin.current->problems()) {
      if (std::ranges::find(kShownProblems, problem.code) != kShownProblems.end()) {
        append(out, problem.message);
      }
    }
    append(out, plugin.current->stall());
  }
  return out;
}

PluginRecord makeRecord(const PluginState& plugin) {
  const auto& row = plugin.row;
  PluginRecord record;
  record.id = row.id;
  record.source = row.source;
  record.source_display = row.source_kind == "path" ? row.root_dir : row.source;
  record.root_dir = row.root_dir;
  record.version = row.version;
  record.provenance = row.provenance;
  record.is_orphaned_builtin = row.source_kind == "builtin" && plugin.orphaned;
  addCatalog(record, row);
  record.enabled = row.enabled;
  record.update_state = plugin.update_state;
  if (const auto failure = common::Json::parse(row.last_failure);
      failure && !row.last_failure.empty()) {
    record.update_state.set("lastFailure", failure.value());
  }
  record.name = titleOf(row.id);
  if (plugin.manifest) {
    addManifest(record, *plugin.manifest);
  }
  if (plugin.contents) {
    addContents(record, *plugin.contents);
  }
  record.status = shownStatus(plugin);
  record.status_detail = shownDetail(plugin);
  record.generation = row.generation;
  record.loaded_at = plugin.loaded_at;
  record.load_ms = plugin.load_ms;
  const auto meters = plugin.meters->kept();
  record.last_error = meters.last_error;
  record.handler_stats = meters.handlers;
  record.counters = meters.counters;
  const auto held = plugin.meters->environments();
  record.resources = {.worker_threads = held.worker_threads,
                      .descriptors = held.descriptors,
                      .database_bytes = held.database_bytes,
                      .database_connections = held.database_connections};
  if (plugin.current) {
    addGeneration(record, *plugin.current);
  }
  if (plugin.schedules) {
    record.schedules = plugin.schedules->records(row.id);
  }
  if (plugin.services) {
    record.services = plugin.services->records();
  }
  return record;
}

}  // namespace svc::plugins
