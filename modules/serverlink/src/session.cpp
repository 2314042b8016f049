#include "session.h"

#include <algorithm>
#include <utility>

#include <Poco/URI.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::serverlink {
namespace {

using common::Json;
using std::chrono::milliseconds;

constexpr std::uint16_t kNormal = 1000;
constexpr std::uint16_t kPolicy = 1008;
constexpr std::uint16_t kTryAgainLater = 1013;
constexpr int kMostDoublings = 16;
/// Share of a delay by which it may be shorter or longer.
constexpr double kJitter = 0.25;

/// The kind of problem that is only a matter of time.
constexpr const char* kUnreachable = "unreachable";

std::string openingText(const SessionIdentity& identity) {
  return Json::object()
      .set("hostId", identity.host_id)
      .set("instanceId", identity.instance_id)
      .set("hostName", identity.host_name)
      .set("hostType", identity.host_type)
      .set("platform", identity.platform)
      .set("dataDir", identity.data_directory)
      .set("protocolVersion", identity.protocol_version)
      .set("agents", Json::array())
      .set("activeThreads", Json::array())
      .set("loadedEnvironments", Json::array())
      .dump();
}

/// As the server says it that remembers this machine's key: a proxy, another server, or one that goes on from an earlier backup cannot.
bool saysRemoved(const Refusal& refusal) {
  const auto details = Json::parse(refusal.details);
  return refusal.status == status::kUnauthorized && details &&
         details.value()["reason"].asString() == hostprotocol::kRefusedAsRemoved;
}

/// What helps when the server speaks another protocol.
std::string mismatchAdvice(const SessionIdentity& identity, bool server_is_newer, bool offered) {
  if (!server_is_newer) {
    return "install the same version of svc on both";
  }
  if (offered && identity.auto_update) {
    return "this daemon updates itself";
  }
  return fmt::format("install the same version of svc on both{}",
                     identity.auto_update ? ", as the server has no daemon for " + identity.platform
                     : offered            ? ", or start svc-hostd with --auto-update"
                                          : "");
}

const std::string& heartbeatText() {
  static const std::string text = R"({"type":"heartbeat"})";
  return text;
}

}  // namespace

/// Of one socket: what a socket says after it was let go reaches nobody.
class Session::Listener final : public ISocketListener {
 public:
  explicit Listener(std::weak_ptr<Session> session) : session_(std::move(session)) {}
  void onOpened() override {
    if (const auto session = session_.lock()) {
      session->onOpened();
    }
  }
  void onMessage(std::string text) override {
    if (const auto session = session_.lock()) {
      session->onMessage(text);
    }
  }
  void onClosed(const SocketEnd& end) override {
    if (const auto session = session_.lock()) {
      session->onClosed(end);
    }
  }

 private:
  std::weak_ptr<Session> session_;
};

Session::Session(Surroundings surroundings, SessionIdentity identity)
    : at_(std::move(surroundings)), identity_(std::move(identity)) {}

Session::~Session() { (void)letGo(); }

void Session::start() {
  started_ = at_.clock.steadyNow();
  open();
}

void Session::open() {
  at_.transport.post({identity_.endpoint, "/internal/session/open", identity_.host_key},
                     openingText(identity_), [weak = weak_from_this()](Result<HttpAnswer> answer) {
                       const auto self = weak.lock();
                       if (self && !self->stopped_) {
                         self->onAnswer(std::move(answer));
                       }
                     });
}

void Session::onAnswer(Result<HttpAnswer> answer) {
  if (!answer) {
    if (answer.error().code == kUntrustedCertificate) {
      reportProblem("certificate",
                    answer.error().message +
                        "; if the server has got a new certificate, enroll this machine again");
    } else if (answer.error().code == kForeignServer) {
      // Another user there is another problem.
      reportProblem(answer.error().message, answer.error().message);
    } else {
      reportProblem(kUnreachable, answer.error().message);
    }
    retry();
    return;
  }
  if (answer.value().status != status::kCreated) {
    onRefused(parseRefusal(answer.value()));
    return;
  }
  auto opened = parseOpenedSession(answer.value().body);
  if (!opened) {
    reportProblem("answer", fmt::format("{}: {}", server(), opened.error().message));
    retry();
    return;
  }
  accepted_ = true;
  mismatches_ = 0;
  connect(std::move(opened).value());
}

void Session::onRefused(const Refusal& refusal) {
  if (refusal.code == errc::kProtocolMismatch.name()) {
    onProtocolMismatch(refusal);
    return;
  }
  if (saysRemoved(refusal)) {
    finish(SessionEnd::kRemoved, fmt::format("{} has removed this machine", server()));
    return;
  }
  const bool no_access =
      refusal.status == status::kUnauthorized || refusal.status == status::kForbidden;
  if (no_access && !accepted_) {
    finish(SessionEnd::kUnauthorized, fmt::format("{} does not accept the key of this machine: {}",
                                                  server(), reasonOf(refusal)));
    return;
  }
  reportProblem(
      no_access ? "unauthorized" : "refused",
      fmt::format("{} opens no session for this machine: {}", server(), reasonOf(refusal)));
  if (no_access) {
    keepOutFor(refusal);
  }
  retry();
}

/// What a proxy refuses may pass in a moment; after the grace the server has ended what ran here all the same.
void Session::keepOutFor(const Refusal& refusal) {
  const bool of_a_server =
      refusal.code == errc::kUnauthorized.name() || refusal.code == errc::kForbidden.name();
  if (kept_out_ || (!of_a_server && at_.clock.steadyNow() - lost_ < limits::kSessionWorkGrace)) {
    return;
  }
  kept_out_ = true;
  at_.owner.onSessionRefused();
}

void Session::onProtocolMismatch(const Refusal& refusal) {
  const auto parsed = Json::parse(refusal.details);
  const auto details = parsed ? parsed.value() : Json();
  const auto version = details["serverProtocolVersion"].asInteger();
  const bool newer = version > identity_.protocol_version;
  const bool offered = newer && details["retryUpdate"].asBool();
  reportProblem("protocol", fmt::format("{} speaks protocol version {}, this daemon version {}: {}",
                                        server(), version, identity_.protocol_version,
                                        mismatchAdvice(identity_, newer, offered)));
  retryAfter(limits::kUpdateRetry, limits::kUpdateRetryMax, mismatches_++);
  if (offered) {
    at_.owner.onUpdateOffered(version);
  }
}

void Session::connect(OpenedSession opened) {
  std::string id;
  Poco::URI::encode(opened.session_id, "&=+?/#%", id);
  opened_ = std::move(opened);
  listener_ = std::make_shared<Listener>(weak_from_this());
  auto socket = at_.transport.open(
      {identity_.endpoint, "/internal/ws?sessionId=" + id, identity_.host_key}, listener_);
  const std::scoped_lock lock(socket_mutex_);
  socket_ = std::move(socket);
}

void Session::onOpened() {
  {
    const std::scoped_lock lock(socket_mutex_);
    open_socket_ = socket_;
  }
  if (stopped_ || !opened_) {
    return;
  }
  at_.log->info("connected to {} as {}", server(), identity_.host_id);
  problem_.clear();
  kept_out_ = false;
  lateness_shown_ = true;
  at_.owner.onSessionOpened(opened_->generations);
  progress_ = progressOfSocket();
  renewLease();
  heartbeat();
}

void Session::heartbeat() {
  // On a slow link an acknowledgement may wait behind a message that takes longer than the lease.
  if (const auto progress = progressOfSocket(); progress != std::exchange(progress_, progress)) {
    renewLease();
  }
  send(heartbeatText());
  heartbeat_timer_ = at_.main.after(opened_->heartbeat, [this] { heartbeat(); });
}

std::uint64_t Session::progressOfSocket() {
  const std::scoped_lock lock(socket_mutex_);
  return socket_ ? socket_->progress() : 0;
}

/// After so long a silence, of the network or of this machine that slept, the server may have given the session up and done
/// otherwise with what it had asked for: none of what still arrives is done here.
bool Session::giveUpStale() {
  const auto silent = std::max<std::chrono::nanoseconds>(
      at_.clock.steadyNow() - acknowledged_, milliseconds(at_.clock.nowMs() - acknowledged_ms_));
  if (silent < opened_->lease - opened_->heartbeat) {
    return false;
  }
  reportProblem("silent", fmt::format("{} was not heard of for {} s", server(),
                                      std::chrono::floor<std::chrono::seconds>(silent).count()));
  drop(kTryAgainLater, "no acknowledgement");
  retry();
  return true;
}

void Session::renewLease() {
  acknowledged_ = at_.clock.steadyNow();
  // The other clock goes on while the machine sleeps.
  acknowledged_ms_ = at_.clock.nowMs();
  lease_timer_ = at_.main.after(opened_->lease, [this] {
    reportProblem("silent", fmt::format("{} has acknowledged nothing for {} s", server(),
                                        opened_->lease.count() / 1000));
    drop(kTryAgainLater, "no acknowledgement");
    retry();
  });
}

void Session::onMessage(const std::string& text) {
  if (stopped_ || !opened_ || giveUpStale()) {
    return;
  }
  auto message = parseServerMessage(text);
  if (!message) {
    reportProblem("message", fmt::format("{}: {}", server(), message.error().message));
    drop(kPolicy, "invalid-message");
    retry();
    return;
  }
  if (auto* request = std::get_if<CommandRequest>(&message.value())) {
    onCommand(std::move(*request));
  } else if (std::holds_alternative<HeartbeatAck>(message.value())) {
    attempts_ = 0;
    renewLease();
  } else if (const auto* close = std::get_if<SessionClose>(&message.value())) {
    onSessionClose(close->reason);
  } else if (const auto* forwarded = std::get_if<ForwardedMessage>(&message.value())) {
    at_.owner.onMessage(forwarded->type, forwarded->text);
  }
}

void Session::onCommand(CommandRequest request) {
  std::weak_ptr<ISocket> socket;
  {
    const std::scoped_lock lock(socket_mutex_);
    socket = open_socket_;
  }
  Completion<std::string> answer(
      [socket, id = request.request_id, type = request.type](Result<std::string> result) {
        const auto still_open = socket.lock();
        if (still_open && !still_open->sendWithRoom(responseMessage(id, type, result))) {
          still_open->send(responseMessage(
              id, type,
              Error{errc::kOverloaded,
                    "too many large answers of this machine are on their way; try again"}));
        }
      });
  at_.owner.onRequest(std::move(request), std::move(answer));
}

void Session::onSessionClose(const std::string& reason) {
  if (reason == hostprotocol::close_reason::kReplaced) {
    finish(SessionEnd::kReplaced,
           fmt::format("another daemon of this machine has connected to {}", server()));
    return;
  }
  if (reason == hostprotocol::close_reason::kRemoved) {
    finish(SessionEnd::kRemoved, fmt::format("{} has removed this machine", server()));
    return;
  }
  reportProblem(reason, fmt::format("{} has ended the session ({})", server(), reason));
  drop(kNormal, "");
  retry();
}

void Session::onClosed(const SocketEnd& end) {
  const bool was_open = lost();
  if (stopped_) {
    stop_done_({});
    return;
  }
  if (end.refusal) {
    onRefused(parseRefusal(*end.refusal));
    return;
  }
  reportProblem(
      was_open ? "lost" : "unreachable",
      fmt::format("{} {}: {}", was_open ? "the connection was lost to" : "cannot connect to",
                  server(), end.reason.empty() ? "closed" : end.reason));
  retry();
}

void Session::drop(std::uint16_t code, const std::string& reason) {
  std::shared_ptr<ISocket> socket;
  {
    const std::scoped_lock lock(socket_mutex_);
    socket = socket_;
  }
  if (socket) {
    socket->close(code, reason);
  }
  lost();
}

/// True when it was open.
bool Session::lost() {
  const bool was_open = letGo();
  if (was_open) {
    lost_ = at_.clock.steadyNow();
    at_.owner.onSessionLost();
  }
  return was_open;
}

/// True when the session was open.
bool Session::letGo() {
  heartbeat_timer_.reset();
  lease_timer_.reset();
  listener_.reset();
  opened_.reset();
  std::shared_ptr<ISocket> socket;
  const std::scoped_lock lock(socket_mutex_);
  socket.swap(socket_);
  return std::exchange(open_socket_, nullptr) != nullptr;
}

void Session::finish(SessionEnd end, const std::string& why) {
  stopped_ = true;
  drop(kNormal, "");
  at_.owner.onSessionEnded(end, why);
}

void Session::retry() {
  // While the server may still wait for this machine's work the pauses stay short: 7 s of doubling, then these.
  constexpr auto kSoon = limits::kSessionWorkGrace / limits::kSessionGraceRetry + 2;
  const bool soon = attempts_ < kSoon;
  retryAfter(limits::kSessionRetry, soon ? limits::kSessionGraceRetry : limits::kSessionRetryMax,
             attempts_);
  attempts_ = std::min(attempts_ + 1, kMostDoublings);
}

void Session::retryAfter(milliseconds first, milliseconds most, int attempt) {
  const auto delay = std::min(first * (1 << std::min(attempt, kMostDoublings)), most);
  const auto spread = 1 - kJitter + 2 * kJitter * at_.random();
  const auto spread_delay =
      milliseconds(static_cast<std::int64_t>(static_cast<double>(delay.count()) * spread));
  retry_timer_ = at_.main.after(spread_delay, [this] { open(); });
}

/// Each change once, not each try.
void Session::reportProblem(const std::string& kind, const std::string& text) {
  if (kind != problem_) {
    problem_ = kind;
    at_.log->warn("{}; trying again", text);
  } else if (kind == kUnreachable && !lateness_shown_ &&
             at_.clock.steadyNow() - started_ > limits::kSessionFirst) {
    lateness_shown_ = true;
    at_.log->error("no session for {} s: {}; trying on", limits::kSessionFirst.count() / 1000,
                   text);
  }
}

void Session::send(std::string message) {
  if (message.size() > limits::kIpcMessage) {
    at_.log->warn("a message of {} bytes is dropped; at most {} are sent", message.size(),
                  limits::kIpcMessage);
    return;
  }
  std::shared_ptr<ISocket> socket;
  {
    const std::scoped_lock lock(socket_mutex_);
    socket = open_socket_;
  }
  if (socket) {
    socket->send(std::move(message));
  }
}

std::size_t Session::backlog() const {
  const std::scoped_lock lock(socket_mutex_);
  return open_socket_ ? open_socket_->backlog() : 0;
}

void Session::stop(Completion<void> done) {
  stopped_ = true;
  heartbeat_timer_.reset();
  lease_timer_.reset();
  retry_timer_.reset();
  std::shared_ptr<ISocket> socket;
  {
    const std::scoped_lock lock(socket_mutex_);
    socket = socket_;
  }
  if (!socket) {
    done({});
    return;
  }
  stop_done_ = std::move(done);
  socket->close(kNormal, "");
}

}  // namespace svc::serverlink
