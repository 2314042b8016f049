#include "tokens.h"

#include <algorithm>
#include <utility>

#include <Poco/SHA2Engine.h>
#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/limits/mcp.h"
#include "svc/common/shown_text.h"
#include "svc/http/text.h"

#include "catalogue.h"

namespace svc::mcp {
namespace {

using common::Json;

/// Says to people and to scanners for secrets what it is.
constexpr std::string_view kSecretPrefix = "svc_mcp_";
/// How exact the stored time of the last use is.
constexpr std::int64_t kUseStoredMs = 60'000;

std::string hashOf(std::string_view secret) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(secret.data(), secret.size());
  return Poco::DigestEngine::digestToHex(engine.digest());
}

Json namesIn(const std::set<std::string, std::less<>>& texts) {
  auto all = Json::array();
  for (const auto& text : texts) {
    all.push(text);
  }
  return all;
}

bool isEmpty(const Scope& scope) { return scope.plugins.empty() && scope.tools.empty(); }

std::string scopeText(const Scope& scope) {
  return isEmpty(scope) ? std::string()
                        : Json::object()
                              .set("plugins", namesIn(scope.plugins))
                              .set("tools", namesIn(scope.tools))
                              .dump();
}

std::shared_ptr<const Scope> shared(Scope scope) {
  return isEmpty(scope) ? nullptr : std::make_shared<const Scope>(std::move(scope));
}

/// A scope that cannot be read opens nothing.
std::shared_ptr<const Scope> readScope(const std::string& text) {
  if (text.empty()) {
    return nullptr;
  }
  Scope scope;
  if (const auto json = Json::parse(text)) {
    for (const auto& plugin : json.value()["plugins"].items()) {
      scope.plugins.insert(plugin.asString());
    }
    for (const auto& tool : json.value()["tools"].items()) {
      scope.tools.insert(tool.asString());
    }
  }
  return std::make_shared<const Scope>(std::move(scope));
}

}  // namespace

Status checkTokenName(std::string_view name) {
  if (base::trimmed(name).empty()) {
    return Error{errc::kInvalidInput, "a token needs a name"};
  }
  const auto odd = common::oddCharacterOf(name);
  if (odd || base::trimmed(name).size() != name.size()) {
    return Error{errc::kInvalidInput,
                 "the name of a token has no blanks around it and no control characters: " +
                     odd.value_or("it has a blank at its beginning or end")};
  }
  if (const auto length = common::countCharacters(name); length > limits::kMcpTokenName) {
    return Error{errc::kInvalidInput,
                 fmt::format("the name has {} characters, the limit mcpTokenName is {}", length,
                             limits::kMcpTokenName)};
  }
  return {};
}

Status Tokens::load() {
  auto rows = parts_.store.list();
  if (!rows) {
    return std::move(rows).error();
  }
  for (auto& row : rows.value()) {
    auto token = std::make_shared<Token>();
    token->id = std::move(row.id);
    token->caller.token = token->id;
    token->name = std::move(row.name);
    token->caller.scope = readScope(row.scope);
    token->created_at = row.created_at;
    token->last_used_at = row.last_used_at;
    add(row.hash, std::move(token));
  }
  return {};
}

TokenPtr Tokens::find(std::string_view secret) const {
  if (!secret.starts_with(kSecretPrefix)) {
    return nullptr;
  }
  const auto hash = hashOf(secret);
  const std::scoped_lock lock(mutex_);
  const auto found = by_hash_.find(hash);
  return found == by_hash_.end() ? nullptr : found->second;
}

void Tokens::used(const Token& token) {
  const auto now = parts_.clock.nowMs();
  const auto before = token.last_used_at.exchange(now);
  if (!token.name.empty() && now / kUseStoredMs != before / kUseStoredMs) {
    // One that is not stored is shown as it is until the next start.
    parts_.store.used(token.id, now, [](const Status&) {});
  }
}

Status Tokens::checkNew(const NewToken& wanted) const {
  if (auto checked = checkTokenName(wanted.name); !checked) {
    return checked;
  }
  const auto tokens = list();
  if (tokens.size() >= limits::kMcpTokens) {
    return Error{errc::kConflict, fmt::format("there are {} tokens, the limit mcpTokens is {}",
                                              tokens.size(), limits::kMcpTokens)};
  }
  return {};
}

void Tokens::create(NewToken wanted, Completion<CreatedToken> done) {
  if (auto checked = checkNew(wanted); !checked) {
    done(std::move(checked).error());
    return;
  }
  auto secret = std::string(kSecretPrefix) + parts_.secret();
  auto token = std::make_shared<Token>();
  token->id = "mct_" + parts_.id();
  token->caller.token = token->id;
  token->name = std::move(wanted.name);
  token->created_at = parts_.clock.nowMs();
  storage::McpTokenRow row{.id = token->id,
                           .name = token->name,
                           .hash = hashOf(secret),
                           .scope = scopeText(wanted.scope),
                           .created_at = token->created_at};
  token->caller.scope = shared(std::move(wanted.scope));
  auto hash = row.hash;
  parts_.store.insert(std::move(row),
                      [self = shared_from_this(), hash = std::move(hash), token = std::move(token),
                       secret = std::move(secret), done = std::move(done)](Status stored) mutable {
                        if (!stored) {
                          done(std::move(stored).error());
                          return;
                        }
                        self->add(hash, token);
                        done(CreatedToken{std::move(token), std::move(secret)});
                      });
}

void Tokens::revoke(std::string_view id_or_name, Completion<TokenPtr> done) {
  const auto tokens = list();
  auto found = std::find_if(tokens.begin(), tokens.end(),
                            [&](const TokenPtr& token) { return token->id == id_or_name; });
  if (found == tokens.end()) {
    found = std::find_if(tokens.begin(), tokens.end(),
                         [&](const TokenPtr& token) { return token->name == id_or_name; });
  }
  if (found == tokens.end()) {
    done(Error{errc::kNotFound, fmt::format("there is no token \"{}\"", id_or_name)});
    return;
  }
  parts_.store.remove((*found)->id, [self = shared_from_this(), token = *found,
                                     done = std::move(done)](Status removed) mutable {
    if (!removed) {
      done(std::move(removed).error());
      return;
    }
    self->forget(token);
    done(std::move(token));
  });
}

std::vector<TokenPtr> Tokens::list() const {
  std::vector<TokenPtr> all;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [hash, token] : by_hash_) {
      if (!token->name.empty()) {
        all.push_back(token);
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const TokenPtr& left, const TokenPtr& right) { return left->name < right->name; });
  return all;
}

ThreadToken Tokens::mint(Caller caller) {
  auto secret = std::string(kSecretPrefix) + parts_.secret();
  auto token = std::make_shared<Token>();
  token->id = "mct_" + parts_.id();
  token->caller = std::move(caller);
  token->caller.token = token->id;
  token->caller.frozen = std::make_shared<FrozenTools>();
  token->created_at = parts_.clock.nowMs();
  add(hashOf(secret), token);
  return {.secret = std::move(secret),
          .handle = Handle([weak = weak_from_this(), token] {
            if (const auto self = weak.lock()) {
              self->forget(token);
            }
          }),
          .abort_calls = [aborted = parts_.aborted, token](bool all) { aborted(token, all); }};
}

void Tokens::add(const std::string& hash, TokenPtr token) {
  const std::scoped_lock lock(mutex_);
  by_hash_.insert_or_assign(hash, std::move(token));
}

void Tokens::forget(const TokenPtr& token) {
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(by_hash_, [&](const auto& entry) { return entry.second == token; });
  }
  if (!token->revoked.exchange(true)) {
    parts_.revoked(token);
  }
}

}  // namespace svc::mcp
