#pragma once

#include <string>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/service_id.h"

namespace svc::agents {

struct MentionQuery {
  std::string trigger;
  std::string text;
  std::string project_id;  ///< empty = none
  std::string thread_id;   ///< empty = none
  std::string plugin_id;   ///< with provider_id: only this provider
  std::string provider_id;
};

/// The mention providers of every loaded plugin. search() on the io thread, resolve() on any.
class IMentionProviders {
 public:
  static constexpr ServiceId kId{"svc.agents.MentionProviders", 1};
  virtual ~IMentionProviders() = default;
  /// Array of {pluginId, providerId, label, items}, by plugin id and then as registered. A provider that fails or does not
  /// answer within lim.mentionSearch has no items. Fires on the io thread.
  virtual void search(const MentionQuery& query, Completion<common::RawJson> done) = 0;
  /// {context, images} of one item, within lim.mentionResolve; the error names the provider. Fires on the io thread.
  virtual void resolve(const std::string& plugin_id, const std::string& provider_id,
                       const std::string& item_id, Completion<common::RawJson> done) = 0;
};

}  // namespace svc::agents
