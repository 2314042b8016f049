#include "clients.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <Poco/Base64Decoder.h>
#include <Poco/Base64Encoder.h>
#include <Poco/Exception.h>

#include "svc/common/json.h"
#include "svc/common/limits/mcp.h"
#include "svc/http/text.h"

namespace svc::mcp {
namespace {

/// What `svc mcp` calls itself.
constexpr std::string_view kBridge = "svc-mcp";
constexpr std::int64_t kForgottenMs = 15LL * 60 * 1000;
/// More are not remembered: who was heard of longest ago makes room.
constexpr std::size_t kClients = 256;
constexpr std::size_t kTextBytes = 200;
/// Bytes of capabilities that are remembered.
constexpr std::size_t kCapabilities = 4096;

std::string cut(std::string_view text) { return std::string(http::cutUtf8(text, kTextBytes)); }

/// "node" of "node/22.1 (linux)"
std::string productOf(std::string_view agent) {
  return cut(agent.substr(0, std::min(agent.find_first_of("/ "), agent.size())));
}

/// Between the secret of a session and what it says of its client.
constexpr char kTold = '.';

std::string base64(const std::string& text) {
  std::ostringstream out;
  Poco::Base64Encoder encoder(out, Poco::BASE64_URL_ENCODING | Poco::BASE64_NO_PADDING);
  encoder.rdbuf()->setLineLength(0);
  encoder << text;
  encoder.close();
  return out.str();
}

/// Empty when it is none.
std::string fromBase64(const std::string& text) {
  std::istringstream in(text);
  Poco::Base64Decoder decoder(in, Poco::BASE64_URL_ENCODING | Poco::BASE64_NO_PADDING);
  try {
    return {std::istreambuf_iterator<char>(decoder), {}};
  } catch (const Poco::DataFormatException&) {
    return {};
  }
}

/// What a session of another run of the server says. Anybody may say it: it is only what a client can do.
void readSession(const std::string& session, Introduction& introduction) {
  const auto at = session.rfind(kTold);
  if (at == std::string::npos) {
    return;
  }
  const auto told = common::Json::parse(fromBase64(session.substr(at + 1)));
  if (!told) {
    return;
  }
  introduction.name = told.value()["name"].asString();
  introduction.version = told.value()["version"].asString();
  if (told.value()["capabilities"].isObject()) {
    introduction.capabilities = told.value()["capabilities"].dump();
  }
}

}  // namespace

std::string sessionFor(std::string secret, const Introduction& introduction) {
  auto capabilities = common::Json::parse(introduction.capabilities);
  const auto told = base64(
      common::Json::object()
          .set("name", cut(introduction.name))
          .set("version", cut(introduction.version))
          .set("capabilities", capabilities ? std::move(capabilities).value() : common::Json())
          .dump());
  return secret.size() + 1 + told.size() > limits::kMcpSession ? secret : secret + kTold + told;
}

ClientPtr Clients::seen(const std::string& session, Introduction introduction) {
  const auto now = clock_.nowMs();
  const auto token_id = introduction.token ? introduction.token->id : std::string();
  const auto key = session.empty() ? "\n" + token_id + '\n' + introduction.name + '\n' +
                                         introduction.version + '\n' + introduction.agent
                                   : session;
  auto found = clients_.find(key);
  if (found == clients_.end()) {
    forgetOld();
    if (introduction.capabilities.empty()) {
      readSession(session, introduction);
    }
    auto client = std::make_shared<Client>();
    client->id = ++last_id_;
    client->name = productOf(introduction.agent);
    client->stdio = client->name == kBridge;
    client->token = std::move(introduction.token);
    client->since = now;
    found = clients_.emplace(key, std::move(client)).first;
  }
  auto& client = *found->second;
  client.last_seen_at = now;
  if (!introduction.name.empty()) {
    client.name = cut(introduction.name);
    client.version = cut(introduction.version);
  }
  if (!introduction.capabilities.empty() && introduction.capabilities.size() <= kCapabilities) {
    client.capabilities = std::move(introduction.capabilities);
  }
  if (!introduction.revision.empty()) {
    client.revision = std::move(introduction.revision);
  }
  return found->second;
}

std::vector<ClientPtr> Clients::list() {
  const auto oldest = clock_.nowMs() - kForgottenMs;
  std::erase_if(clients_, [&](const auto& entry) {
    return entry.second->streams == 0 && entry.second->last_seen_at < oldest;
  });
  std::vector<ClientPtr> all;
  for (const auto& [key, client] : clients_) {
    all.push_back(client);
  }
  std::stable_sort(all.begin(), all.end(), [](const ClientPtr& left, const ClientPtr& right) {
    return left->last_seen_at > right->last_seen_at;
  });
  return all;
}

void Clients::forgetOld() {
  if (clients_.size() < kClients) {
    return;
  }
  const auto oldest =
      std::min_element(clients_.begin(), clients_.end(), [](const auto& left, const auto& right) {
        return std::pair(left.second->streams > 0, left.second->last_seen_at) <
               std::pair(right.second->streams > 0, right.second->last_seen_at);
      });
  clients_.erase(oldest);
}

}  // namespace svc::mcp
