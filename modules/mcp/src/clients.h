#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/executor.h"

#include "tokens.h"

namespace svc::mcp {

/// One program that talks to the endpoint, as far as requests tell programs apart.
struct Client {
  std::uint64_t id = 0;  ///< ascending
  std::string name;      ///< as it says itself, else its User-Agent
  std::string version;   ///< empty = it does not say
  std::string revision;
  bool stdio = false;  ///< through `svc mcp`
  TokenPtr token;      ///< null = none
  std::int64_t since = 0;
  std::int64_t last_seen_at = 0;
  std::int64_t last_call_at = 0;  ///< of a tool; 0 = none
  std::uint64_t calls = 0;
  std::size_t streams = 0;
  /// What its handshake said that it can do, as JSON; empty = it had none here.
  std::string capabilities;
};
using ClientPtr = std::shared_ptr<Client>;

/// What one request says of who sent it.
struct Introduction {
  std::string name{};
  std::string version{};
  std::string revision{};
  std::string agent{};  ///< User-Agent
  TokenPtr token{};
  std::string capabilities{};  ///< of its handshake
};

/// The name of a session: what nobody can guess, and what the client said in its handshake, so that a server that starts again knows it.
[[nodiscard]] std::string sessionFor(std::string secret, const Introduction& introduction);

/// Clients that were heard of lately. Io thread.
class Clients {
 public:
  explicit Clients(const IClock& clock) : clock_(clock) {}

  /// A message arrived. `session` is that of a handshake, of this server or of one before; empty = clients are told apart by what they say of themselves.
  [[nodiscard]] ClientPtr seen(const std::string& session, Introduction introduction);
  /// Those that have a stream open or were heard of in the last minutes, the one that was heard of last first.
  [[nodiscard]] std::vector<ClientPtr> list();

 private:
  void forgetOld();

  const IClock& clock_;
  std::map<std::string, ClientPtr, std::less<>> clients_;
  std::uint64_t last_id_ = 0;
};

}  // namespace svc::mcp
