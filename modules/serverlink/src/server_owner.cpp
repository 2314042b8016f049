#include "server_owner.h"

#include <utility>

#include <fmt/format.h>

#include "svc/base/user_name.h"

namespace svc::serverlink {
namespace {

using OwnerKind = base::SocketOwner::Kind;

constexpr uid_t kRootUser = 0;

std::string shownOwner(const base::SocketOwner& owner) {
  return owner.kind == OwnerKind::kUser ? base::shownUser(owner.uid)
                                        : "a user whom the system does not tell";
}

}  // namespace

ServerOwner::ServerOwner(Server server, std::optional<Owner> known, Ask ask)
    : server_(server), ask_(std::move(ask)), known_(known) {}

ServerOwner::Ask ServerOwner::kernelsAnswer() {
  return [](int socket) { return base::SocketOwners().ownerOfPeer(socket); };
}

Status ServerOwner::admit(const Owner& found, const std::string& server) {
  std::optional<Owner> known;
  {
    const std::scoped_lock lock(mutex_);
    known = known_;
    const bool let_in =
        !known || found == *known ||
        (found.kind == OwnerKind::kUser ? found.uid == kRootUser : server_ == Server::kParent);
    if (let_in) {
      last_ = found;
      return {};
    }
  }
  return refusal(found, *known, server);
}

Error ServerOwner::refusal(const Owner& found, const Owner& known,
                           const std::string& server) const {
  if (server_ == Server::kParent) {
    return {kForeignServer,
            fmt::format("the port of {} belongs to {}, not to the server that has started this "
                        "daemon: nothing is sent there",
                        server, shownOwner(found))};
  }
  return {kForeignServer,
          fmt::format("the port of {} belongs to {}, and the server that this machine has joined "
                      "to {}: the key is not sent. Start that server there; if it is another "
                      "user's now, join again (\"svc machine enroll\" on the server prints the "
                      "command)",
                      server, shownOwner(found), shownOwner(known))};
}

std::optional<ServerOwner::Owner> ServerOwner::remembered() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

bool ServerOwner::keep() {
  const std::scoped_lock lock(mutex_);
  if (known_ || !last_) {
    return false;
  }
  known_ = last_;
  return true;
}

}  // namespace svc::serverlink
