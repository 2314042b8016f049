#include "socket_owners.h"

#include <cstring>

namespace svc::http {
namespace {

sockaddr_storage plain(const ISocketOwners::Endpoint& endpoint) {
  sockaddr_storage address{};
  std::memcpy(&address, endpoint.data(), endpoint.size());
  return address;
}

class SocketOwners final : public ISocketOwners {
 public:
  SocketOwner ownerOf(const Endpoint& peer, const Endpoint& own) override {
    return owners_.ownerOf(plain(peer), plain(own));
  }

 private:
  base::SocketOwners owners_;
};

}  // namespace

std::unique_ptr<ISocketOwners> makeSocketOwners() { return std::make_unique<SocketOwners>(); }

}  // namespace svc::http
