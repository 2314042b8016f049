#include "plugin_state.h"

namespace svc::plugins {
namespace {

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

void addManifest(PluginRecord& record, const Manifest& manifest) {
  record.version = manifest.version;
  record.name = manifest.name;
  record.description = manifest.description;
  record.icon = manifest.branding.icon;
  record.has_app = !manifest.app.empty();
}

void addGeneration(PluginRecord& record, const Generation& generation) {
  record.problems = generation.problems();
  record.unsupported = generation.unsupported();
  record.cli = readCli(generation.registration("cli"));
  record.has_settings = generation.registration("settings").isObject();
}

}  // namespace

PluginStatus shownStatus(const PluginState& plugin) {
  return plugin.degraded.empty() ? plugin.status : PluginStatus::kDegraded;
}

std::string shownDetail(const PluginState& plugin) {
  std::string out = plugin.degraded;
  append(out, plugin.detail);
  if (plugin.current) {
    append(out, plugin.current->stall());
  }
  return out;
}

PluginRecord makeRecord(const PluginState& plugin) {
  const auto& row = plugin.row;
  PluginRecord record;
  record.id = row.id;
  record.source = row.source;
  record.source_display = row.root_dir;
  record.root_dir = row.root_dir;
  record.version = row.version;
  record.provenance = row.provenance;
  record.enabled = row.enabled;
  record.name = titleOf(row.id);
  if (plugin.manifest) {
    addManifest(record, *plugin.manifest);
  }
  record.status = shownStatus(plugin);
  record.status_detail = shownDetail(plugin);
  record.generation = row.generation;
  record.loaded_at = plugin.loaded_at;
  record.load_ms = plugin.load_ms;
  const auto meters = plugin.meters->snapshot();
  record.last_error = meters.last_error;
  record.handler_stats = meters.handlers;
  record.counters = meters.counters;
  if (plugin.current) {
    addGeneration(record, *plugin.current);
  }
  return record;
}

}  // namespace svc::plugins
