#pragma once

#include <memory>
#include <string>

#include "svc/http/http.h"

#include "catalogue.h"

namespace svc::providers {

/// What a person may type after "/" to an agent in a project: the agent's own commands, as its latest session there named them, and
/// the skills it has there. Any thread.
class CommandRoutes {
 public:
  struct With {
    std::shared_ptr<Catalogue> catalogue;
    http::IHttpServer& server;
  };
  explicit CommandRoutes(With with) : with_(std::move(with)) {}

  [[nodiscard]] Status attach();

 private:
  void commands(const http::ExchangePtr& exchange) const;

  const With with_;
  Handle route_;
};

/// The commands of the contract: those of an agent as ACP has them, and the skills of a catalogue (`GET /skills`) that no command of
/// the agent hides.
[[nodiscard]] common::Json toCommands(const std::string& provider_id,
                                      const common::Json& agent_commands,
                                      const common::Json& skills);

}  // namespace svc::providers
