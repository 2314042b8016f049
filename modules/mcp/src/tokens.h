#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/mcp/sources.h"
#include "svc/mcp/thread_tokens.h"
#include "svc/storage/mcp_token_store.h"

namespace svc::mcp {

/// One bearer token as requests see it. Thread-safe.
struct Token {
  std::string id;
  std::string name;  ///< what a person calls it; empty for one of a thread
  Caller caller;
  std::int64_t created_at = 0;
  mutable std::atomic<std::int64_t> last_used_at{0};  ///< 0 = not yet
  mutable std::atomic<bool> revoked{false};
};
using TokenPtr = std::shared_ptr<const Token>;

struct NewToken {
  std::string name;
  Scope scope;  ///< empty = no restriction
};

struct CreatedToken {
  TokenPtr token;
  std::string secret;
};

/// Who may present which bearer token. The secrets are known by their hashes only. Thread-safe.
class Tokens final : public IThreadTokens, public std::enable_shared_from_this<Tokens> {
 public:
  struct Parts {
    storage::IMcpTokenStore& store;
    const IClock& clock;
    /// A new secret without its prefix.
    std::function<std::string()> secret;
    std::function<std::string()> id;
    /// Called after a token stopped working, on the thread that did it.
    std::function<void(const TokenPtr& token)> revoked;
    /// As ThreadToken::abort_calls.
    std::function<void(const TokenPtr& token, bool all)> aborted;
  };
  explicit Tokens(Parts parts) : parts_(std::move(parts)) {}

  /// Reads what the store has. Blocks: main thread.
  [[nodiscard]] Status load();

  /// nullptr = there is no such token.
  [[nodiscard]] TokenPtr find(std::string_view secret) const;
  /// Remembers that a request came with it; the store hears of it at most once a minute.
  void used(const Token& token);

  /// `invalid_input`, `conflict` (the name, lim.mcpTokens), and what the store says. Durable when it fires.
  void create(NewToken wanted, Completion<CreatedToken> done);
  /// By id or by name; `not_found`. The token works until this has fired.
  void revoke(std::string_view id_or_name, Completion<TokenPtr> done);
  /// Those that people made, ascending by name.
  [[nodiscard]] std::vector<TokenPtr> list() const;

  [[nodiscard]] ThreadToken mint(Caller caller) override;

 private:
  void add(const std::string& hash, TokenPtr token);
  void forget(const TokenPtr& token);
  [[nodiscard]] Status checkNew(const NewToken& wanted) const;

  const Parts parts_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, TokenPtr> by_hash_;
};

/// What is wrong with the name of a token; success = nothing.
[[nodiscard]] Status checkTokenName(std::string_view name);

}  // namespace svc::mcp
