#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "svc/mcp/sources.h"

#include "header_rules.h"
#include "message.h"
#include "owner_keeper.h"

namespace svc::mcp {

using SourcePtr = std::shared_ptr<ISource>;

/// Who answers a request, and whose plugin it is about; empty = nobody's.
struct Found {
  SourcePtr source;
  std::string plugin_id{};
  /// Of a tool; null = no argument is repeated.
  std::shared_ptr<const ParamHeaders> headers{};
};

/// One entry of a list and who answers for it.
struct Offer {
  Item item;
  SourcePtr source;
};

/// It keeps no source alive. Main thread.
class FrozenTools {
 public:
  [[nodiscard]] bool isEmpty() const { return !frozen_; }
  void freeze(const std::vector<Offer>& offers);
  /// Of the sources that there still are.
  [[nodiscard]] std::vector<Offer> offers() const;

 private:
  std::optional<std::vector<std::pair<Item, std::weak_ptr<ISource>>>> frozen_;
};

/// What all sources offer together. Lives on the main thread, except where it says otherwise.
class Catalogue final : public ISources, public std::enable_shared_from_this<Catalogue> {
 public:
  struct Listeners {
    std::function<void(ListKind kind)> changed;             ///< any thread
    std::function<void(std::string uri)> resource_updated;  ///< any thread
    std::function<void(const ToolOwners& owners)> owners_changed =
        nullptr;  ///< main thread; may be empty
  };
  /// `owners` are those of an earlier process.
  explicit Catalogue(Listeners listeners, ToolOwners owners = {})
      : listeners_(std::move(listeners)), owners_(std::move(owners)) {}

  [[nodiscard]] Handle add(SourcePtr source) override;
  void changed(ListKind kind) override;
  void resourceUpdated(std::string uri) override { listeners_.resource_updated(std::move(uri)); }

  /// Joined member by member: {"tools":{"listChanged":true},…}.
  [[nodiscard]] common::Json capabilities() const;
  /// Of all sources, cut at lim.mcpInstructions.
  [[nodiscard]] std::string instructions(const Caller& caller) const;
  /// The members of one page of a list, ascending by key: `"tools":[…],"nextCursor":"…"`. An empty cursor is the beginning.
  [[nodiscard]] std::variant<std::string, Refusal> page(ListKind kind, const Caller& caller,
                                                        std::string_view cursor);
  /// Reads what tools there are: calls find them without the main thread, and formerOwner() knows them when they are gone.
  void readTools() { static_cast<void>(offers(ListKind::kTools, {})); }
  /// The plugin that had a tool of this name when it last had any; empty = none is known.
  [[nodiscard]] std::string formerOwner(const std::string& name) const;
  /// Who answers the request; no source = nobody has the key for this caller.
  [[nodiscard]] Found find(std::string_view method, const std::string& key, const Caller& caller);
  /// As find() for a tool and a caller outside of threads, from what was listed last; no source = ask find(). Any thread.
  [[nodiscard]] Found knownTool(const std::string& name, const Caller& caller) const;

 private:
  using Index = std::unordered_map<std::string, Found>;

  [[nodiscard]] std::vector<Offer> offers(ListKind kind, const Caller& caller);
  /// What the sources list now, ascending by key.
  [[nodiscard]] std::vector<Offer> listed(ListKind kind, const Caller& caller) const;
  void remember(const std::vector<Offer>& tools, std::uint64_t version);

  const Listeners listeners_;
  std::vector<SourcePtr> sources_;
  ToolOwners owners_;  // also of plugins that do not run
  mutable std::mutex mutex_;
  std::shared_ptr<const Index> tools_;  // of callers outside of threads; null = to be made anew
  std::uint64_t version_ = 0;           // of what tools_ is made from
};

/// "tools", "prompts", "resources", "resourceTemplates"
[[nodiscard]] std::string_view listName(ListKind kind);

}  // namespace svc::mcp
