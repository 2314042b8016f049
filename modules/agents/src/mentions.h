#pragma once

#include <string>

#include "svc/agents/mention_providers.h"
#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::agents {

/// Io thread.
class Mentions final : public IMentionProviders {
 public:
  Mentions(plugins::ILoadedPlugins& loaded, http::IReactor& reactor)
      : loaded_(loaded), reactor_(reactor) {}

  void search(const MentionQuery& query, Completion<common::RawJson> done) override;
  void resolve(const std::string& plugin_id, const std::string& provider_id,
               const std::string& item_id, Completion<common::RawJson> done) override;

 private:
  plugins::ILoadedPlugins& loaded_;
  http::IReactor& reactor_;
};

/// GET /api/v1/plugins/mentions/search.
class MentionRoute {
 public:
  explicit MentionRoute(IMentionProviders& mentions) : mentions_(mentions) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void handle(const http::ExchangePtr& exchange);

  IMentionProviders& mentions_;
  Handle route_;
};

}  // namespace svc::agents
