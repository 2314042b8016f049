#include "catalogue.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/mcp.h"
#include "svc/http/text.h"

namespace svc::mcp {
namespace {

using common::Json;

constexpr std::string_view kAfter = "after ";

std::optional<ListKind> kindOf(std::string_view method) {
  if (method == "tools/call") {
    return ListKind::kTools;
  }
  if (method == "prompts/get") {
    return ListKind::kPrompts;
  }
  if (method == "resources/read") {
    return ListKind::kResources;
  }
  return std::nullopt;
}

}  // namespace

std::string_view listName(ListKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"tools", "prompts", "resources",
                                                   "resourceTemplates"};
  return kNames.at(static_cast<std::size_t>(kind));
}

void FrozenTools::freeze(const std::vector<Offer>& offers) {
  frozen_.emplace();
  for (const auto& [item, source] : offers) {
    frozen_->emplace_back(item, source);
  }
}

std::vector<Offer> FrozenTools::offers() const {
  std::vector<Offer> all;
  for (const auto& [item, source] : *frozen_) {
    if (auto there = source.lock()) {
      all.push_back({item, std::move(there)});
    }
  }
  return all;
}

Handle Catalogue::add(SourcePtr source) {
  sources_.push_back(source);
  const auto announce = [](Catalogue& self) {
    for (const auto kind : {ListKind::kTools, ListKind::kPrompts, ListKind::kResources}) {
      self.changed(kind);
    }
  };
  announce(*this);
  return Handle([weak = weak_from_this(), source = std::move(source), announce] {
    if (const auto self = weak.lock()) {
      std::erase(self->sources_, source);
      announce(*self);
    }
  });
}

void Catalogue::changed(ListKind kind) {
  if (kind == ListKind::kTools) {
    const std::scoped_lock lock(mutex_);
    ++version_;
    tools_.reset();
  }
  listeners_.changed(kind);
}

Json Catalogue::capabilities() const {
  auto joined = Json::object();
  for (const auto& source : sources_) {
    const auto capabilities = source->capabilities();
    for (const auto& [name, value] : capabilities.members()) {
      const auto* const known = joined.find(name);
      auto both = known == nullptr ? Json::object() : *known;
      for (const auto& [member, setting] : value.members()) {
        both.set(member, setting);
      }
      joined.set(name, std::move(both));
    }
  }
  return joined;
}

std::string Catalogue::instructions(const Caller& caller) const {
  std::string text;
  for (const auto& source : sources_) {
    const auto part = source->instructions(caller);
    if (!part.empty()) {
      text += (text.empty() ? "" : "\n\n") + part;
    }
  }
  return std::string(http::cutUtf8(text, limits::kMcpInstructions));
}

std::vector<Offer> Catalogue::listed(ListKind kind, const Caller& caller) const {
  std::vector<Offer> all;
  std::set<std::string, std::less<>> taken;
  for (const auto& source : sources_) {
    for (auto& item : source->list(kind, caller)) {
      if (taken.insert(item.key).second) {
        all.push_back({std::move(item), source});
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Offer& left, const Offer& right) { return left.item.key < right.item.key; });
  return all;
}

std::vector<Offer> Catalogue::offers(ListKind kind, const Caller& caller) {
  const bool tools = kind == ListKind::kTools;
  std::uint64_t version = 0;
  {
    const std::scoped_lock lock(mutex_);
    version = version_;
  }
  auto* const frozen = tools ? caller.frozen.get() : nullptr;
  if (frozen != nullptr && frozen->isEmpty()) {
    frozen->freeze(listed(kind, caller));
  }
  auto all = frozen != nullptr ? frozen->offers() : listed(kind, caller);
  if (tools && caller.thread_id.empty()) {
    remember(all, version);
  }
  std::erase_if(all, [&](const Offer& offer) {
    return !(tools ? caller.seesTool(offer.item.key, offer.item.plugin_id)
                   : caller.sees(offer.item.plugin_id));
  });
  return all;
}

void Catalogue::remember(const std::vector<Offer>& tools, std::uint64_t version) {
  auto index = std::make_shared<Index>();
  for (const auto& tool : tools) {
    index->emplace(tool.item.key,
                   Found{tool.source, tool.item.plugin_id, paramHeadersOf(tool.item.json)});
  }
  std::set<std::string, std::less<>> present;
  for (const auto& tool : tools) {
    present.insert(tool.item.plugin_id);
  }
  auto owners = owners_;
  std::erase_if(owners, [&](const auto& owner) { return present.contains(owner.second); });
  for (const auto& tool : tools) {
    if (!tool.item.plugin_id.empty()) {
      owners[tool.item.key] = tool.item.plugin_id;
    }
  }
  if (owners != owners_) {
    owners_ = std::move(owners);
    if (listeners_.owners_changed) {
      listeners_.owners_changed(owners_);
    }
  }
  const std::scoped_lock lock(mutex_);
  if (version == version_) {
    tools_ = std::move(index);
  }
}

std::string Catalogue::formerOwner(const std::string& name) const {
  const auto found = owners_.find(name);
  return found == owners_.end() ? std::string() : found->second;
}

std::variant<std::string, Refusal> Catalogue::page(ListKind kind, const Caller& caller,
                                                   std::string_view cursor) {
  if (!cursor.empty() && !cursor.starts_with(kAfter)) {
    return badParams(fmt::format("\"{}\" is not a cursor of this list", cursor));
  }
  const auto all = offers(kind, caller);
  auto next = all.begin();
  if (!cursor.empty()) {
    const auto last = cursor.substr(kAfter.size());
    next = std::upper_bound(
        all.begin(), all.end(), last,
        [](std::string_view key, const Offer& offer) { return key < offer.item.key; });
  }
  std::string text = fmt::format(R"("{}":[)", listName(kind));
  std::size_t count = 0;
  for (; next != all.end() && count < limits::kMcpPage; ++next, ++count) {
    text.append(count == 0 ? "" : ",").append(next->item.json.text());
  }
  text += ']';
  if (next != all.end()) {
    text.append(R"(,"nextCursor":)")
        .append(common::jsonString(std::string(kAfter) + std::prev(next)->item.key));
  }
  return text;
}

Found Catalogue::find(std::string_view method, const std::string& key, const Caller& caller) {
  if (const auto kind = kindOf(method)) {
    for (auto& offer : offers(*kind, caller)) {
      if (offer.item.key == key) {
        auto headers = *kind == ListKind::kTools ? paramHeadersOf(offer.item.json) : nullptr;
        return {offer.source, std::move(offer.item.plugin_id), std::move(headers)};
      }
    }
  }
  const auto taker = std::find_if(sources_.begin(), sources_.end(), [&](const SourcePtr& source) {
    return source->takes(method, key);
  });
  return taker == sources_.end() ? Found() : Found{*taker};
}

Found Catalogue::knownTool(const std::string& name, const Caller& caller) const {
  const std::scoped_lock lock(mutex_);
  if (!tools_ || !caller.thread_id.empty()) {
    return {};
  }
  const auto found = tools_->find(name);
  return found == tools_->end() || !caller.seesTool(name, found->second.plugin_id) ? Found()
                                                                                   : found->second;
}

}  // namespace svc::mcp
