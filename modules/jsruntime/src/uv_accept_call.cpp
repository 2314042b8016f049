// Node's inspector takes whoever connects to its port and knows the path, and whoever it takes runs code as the server's user.
// What it accepts goes through libuv's dynamic symbols, as in uv_calls.cpp, or through a slot (uv_slots.h): connections of
// other users of the machine end here.
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>
#include <v8.h>

#include "svc/base/socket_owner.h"

#include "uv_call.h"
#include "uv_slots.h"

namespace svc::jsruntime {
namespace {

/// The threads of scripts are inside of an isolate when they accept what a plugin listens for; the inspector's has none.
bool isInspectorsThread() { return v8::Isolate::TryGetCurrent() == nullptr; }

/// True for connections of this process's user and of root, who may look into the process anyway.
bool isOfOwnUser(int socket) {
  const auto owner = base::SocketOwners().ownerOfPeer(socket);
  return owner.kind == base::SocketOwner::Kind::kUser &&
         (owner.uid == ::geteuid() || owner.uid == 0);
}

/// Reads fail from now on, also of what has arrived. The number stays with its handle, which Node closes then.
void disconnect(int socket) {
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;
  static_cast<void>(::connect(socket, &nowhere, sizeof nowhere));
}

/// What `call`, libuv's uv_accept, has accepted.
int acceptOwn(decltype(&uv_accept) call, uv_stream_t* server, uv_stream_t* client) {
  const int result = call(server, client);
  uv_os_fd_t socket = -1;
  // An error would make Node free the handle while its loop still has it.
  if (result == 0 && client->type == UV_TCP && isInspectorsThread() &&
      uv_fileno(reinterpret_cast<uv_handle_t*>(client), &socket) == 0 && !isOfOwnUser(socket)) {
    disconnect(socket);
  }
  return result;
}

}  // namespace
}  // namespace svc::jsruntime

#ifdef SVC_NODE_EXECUTABLE

int svc::jsruntime::acceptOfInspector(uv_stream_t* server, uv_stream_t* client) {
  return acceptOwn(uv_accept, server, client);
}

#else

extern "C" {

SVC_EXPORTED int uv_accept(uv_stream_t* server, uv_stream_t* client) {
  SVC_LIBUVS(uv_accept);
  return svc::jsruntime::acceptOwn(call, server, client);
}

}  // extern "C"

#endif
