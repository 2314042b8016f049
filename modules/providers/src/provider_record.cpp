#include "provider_record.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace svc::providers {
namespace {

using common::Json;

constexpr std::array<const char*, 3> kPermissionModes{"accept-edits", "auto", "full"};
constexpr std::array<std::string_view, 8> kLevels{"none",  "low",       "medium", "high",
                                                  "xhigh", "ultracode", "max",    "ultra"};

Json textOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// What the service can do with every agent that speaks ACP.
Json ownCapabilities() {
  auto modes = Json::array();
  for (const auto* mode : kPermissionModes) {
    modes.push(mode);
  }
  return Json::object()
      .set("supportsServiceTier", false)
      .set("supportsNativeUserQuestion", false)
      .set("supportsManualCompaction", false)
      .set("supportsThreadArchive", false)
      .set("supportsThreadRename", false)
      .set("fork", "none")
      .set("permissionModes", std::move(modes))
      .set("reasoningLevels", Json::array());
}

Json capabilitiesOf(const Offer& offer) {
  auto out = offer.declared.isNull() || offer.configured ? ownCapabilities()
                                                         : offer.declared["capabilities"];
  const auto fork = out["fork"].asString();
  const Json modes = out["permissionModes"];
  const bool archives = out["supportsThreadArchive"].asBool();
  const bool renames = out["supportsThreadRename"].asBool();
  const bool asks = out["supportsNativeUserQuestion"].asBool();
  return out.set("supportsFork", fork == "tip" || fork == "checkpoint")
      .set("supportsSessionRewind", fork == "checkpoint")
      .set("supportsArchive", archives)
      .set("supportsRename", renames)
      .set("supportsUserQuestion", asks)
      .set("supportedPermissionModes", modes);
}

Json actionsOf(const Offer& offer) {
  auto out = Json::array();
  for (const auto& kind : offer.declared["composerActions"].items()) {
    out.push(
        Json::object()
            .set("kind", kind)
            .set("command",
                 Json::object().set("trigger", "/").set("name", kind).set("trailingText", " ")));
  }
  return out;
}

/// The choices of a select option, which may be grouped.
std::vector<Json> choicesOf(const Json& option) {
  std::vector<Json> out;
  for (const auto& each : option["options"].items()) {
    if (each["options"].isArray()) {
      out.insert(out.end(), each["options"].items().begin(), each["options"].items().end());
    } else {
      out.push_back(each);
    }
  }
  return out;
}

const Json& optionOf(const Json& options, std::string_view category) {
  static const Json kNone;
  const auto& all = options.items();
  const auto found = std::find_if(all.begin(), all.end(), [category](const Json& option) {
    return option["category"].asString() == category;
  });
  return found == all.end() ? kNone : *found;
}

Json effort(const std::string& level, const std::string& description) {
  return Json::object().set("reasoningEffort", level).set("description", description);
}

Json model(const std::string& id, const std::string& name, const std::string& description,
           bool is_default, const Json& efforts, const std::string& effort_id) {
  return Json::object()
      .set("id", id)
      .set("model", id)
      .set("displayName", name.empty() ? id : name)
      .set("description", description)
      .set("isDefault", is_default)
      .set("defaultReasoningEffort", effort_id)
      .set("supportedReasoningEfforts", efforts);
}

}  // namespace

Json toRecord(const Offer& offer) {
  return Json::object()
      .set("id", offer.id)
      .set("displayName", offer.display_name)
      .set("available", offer.available)
      .set("unavailableReason", offer.available ? Json() : textOrNull(offer.reason))
      .set("logoUrl", nullptr)
      .set("pluginId", textOrNull(offer.plugin_id))
      .set("composerActions", actionsOf(offer))
      .set("capabilities", capabilitiesOf(offer));
}

Json toModels(const Json& config_options) {
  const auto& level = optionOf(config_options, "thought_level");
  auto efforts = Json::array();
  auto current = level["currentValue"].asString();
  for (const auto& choice : choicesOf(level)) {
    const auto& value = choice["value"].asString();
    if (std::find(kLevels.begin(), kLevels.end(), value) != kLevels.end()) {
      efforts.push(effort(value, choice["description"].asString()));
    }
  }
  if (efforts.items().empty()) {
    efforts.push(effort("none", ""));
    current = "none";
  } else if (std::find(kLevels.begin(), kLevels.end(), current) == kLevels.end()) {
    current = efforts.items().front()["reasoningEffort"].asString();
  }
  auto models = Json::array();
  const auto& option = optionOf(config_options, "model");
  for (const auto& choice : choicesOf(option)) {
    models.push(model(choice["value"].asString(), choice["name"].asString(),
                      choice["description"].asString(), choice["value"] == option["currentValue"],
                      efforts, current));
  }
  if (models.items().empty()) {
    models.push(model("default", "Default", "", true, efforts, current));
  }
  return models;
}

Json modelLoadError(const Offer& offer) {
  if (offer.available && offer.report["signIn"].asString() != "required") {
    return {};
  }
  const bool missing = !offer.report.isNull() && !offer.report["available"].asBool();
  return Json::object()
      .set("providerId", offer.id)
      .set("code", offer.available ? "auth_required"
                   : missing       ? "missing_executable"
                                   : "provider_unavailable")
      .set("message",
           offer.available ? "sign in to this agent on its machine, then try again" : offer.reason);
}

Json usageOf(const Offer& offer) {
  if (!offer.available) {
    return Json::object().set("status", "not_installed");
  }
  if (offer.report["signIn"].asString() == "required") {
    return Json::object().set("status", "unauthenticated");
  }
  return Json::object()
      .set("status", "error")
      .set("message", "this agent does not report its usage")
      .set("accountEmail", nullptr)
      .set("planLabel", nullptr);
}

std::string usageKey(const std::string& provider_id) {
  std::string key;
  bool upper = false;
  for (const char c : provider_id) {
    if (c == '-') {
      upper = !key.empty();
      continue;
    }
    key += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return key;
}

}  // namespace svc::providers
