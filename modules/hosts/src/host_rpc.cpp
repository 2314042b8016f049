#include "host_rpc.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "svc/base/random.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/kernel/async.h"

namespace svc::hosts {
namespace {

/// What tells the ids of this run from those of another.
constexpr std::size_t kPrefixBytes = 8;

/// The failure as the daemon says it. A code that is not part of the contract becomes `host_error`, which keeps it.
Error failureOf(const CommandAnswer& answer) {
  const auto code = common::wireCode(answer.error_code);
  if (code != errc::kInternal) {
    return {code, answer.error_message, std::string(answer.error_details)};
  }
  return {errc::kHostError, answer.error_message,
          common::Json::object().set("code", answer.error_code).dump()};
}

/// Every client waits for the io thread: a worker looks at longer answers.
constexpr std::size_t kCheckedInPlace = 256UL * 1024;

/// `machine` says which one.
Error nonsense(std::string_view machine, std::string_view type, std::string_view problem) {
  return {errc::kHostError,
          fmt::format("what the daemon of {} answered to {} is not valid: {}; update svc-hostd "
                      "there, and look at its log",
                      machine, type, problem)};
}

Result<std::string> checked(const std::string& machine, const AskedCommand& asked,
                            std::string answer) {
  const auto status = checkAnswer(asked, answer);
  return status ? Result<std::string>(std::move(answer))
                : nonsense(machine, asked.type, status.error().message);
}

}  // namespace

HostRpc::HostRpc(http::IReactor& reactor, IWorkerPool& workers, const IClock& clock,
                 machines::IHostRegistry& registry, Sessions& sessions)
    : reactor_(reactor),
      workers_(workers),
      registry_(registry),
      sessions_(sessions),
      prefix_(base::randomHex(kPrefixBytes) + "."),
      pending_(std::make_shared<PendingRequests>(reactor, clock)) {}

void HostRpc::send(const std::string& host_id, std::string command, std::chrono::milliseconds wait,
                   Completion<std::string> done) {
  struct Job {
    std::string command;
    Completion<std::string> done;
  };
  auto job = std::make_shared<Job>(Job{std::move(command), std::move(done)});
  reactor_.post([weak = weak_from_this(), host_id, wait, job] {
    if (const auto self = weak.lock()) {
      self->request(host_id, {job->command}, wait,
                    [weak, host_id, asked = askedCommand(job->command),
                     job](Result<std::string_view> result) mutable {
                      const auto still = weak.lock();
                      if (!result || !still) {
                        return job->done(result ? Error{errc::kAborted, "the server is stopping"}
                                                : std::move(result).error());
                      }
                      still->check(host_id, std::move(asked), std::string(result.value()),
                                   std::move(job->done));
                    });
    }
  });
}

void HostRpc::check(const std::string& host_id, AskedCommand asked, std::string answer,
                    Completion<std::string> done) {
  auto machine = named(host_id);
  if (answer.size() <= kCheckedInPlace || !mayWait(asked)) {
    return done(checked(machine, asked, std::move(answer)));
  }
  runOnWorker<std::string>(
      workers_, reactor_,
      [machine = std::move(machine), asked = std::move(asked),
       answer = std::move(answer)]() mutable { return checked(machine, asked, std::move(answer)); },
      std::move(done));
}

std::uint64_t HostRpc::request(const std::string& host_id,
                               std::initializer_list<std::string_view> command,
                               std::chrono::milliseconds wait, Answered done) {
  const auto session = sessions_.find(host_id);
  if (!session) {
    done(unreachable(host_id));
    return 0;
  }
  std::size_t bytes = 0;
  for (const auto piece : command) {
    bytes += piece.size();
  }
  if (const auto unanswered = pending_->bytes(session->number());
      unanswered + bytes > kUnanswered) {
    done(Error{errc::kTooManyCalls,
               fmt::format("host \"{}\" has {} bytes of calls to answer, and at most {} may wait; "
                           "call again when some have been answered",
                           host_id, unanswered, kUnanswered)});
    return 0;
  }
  auto type = command.size() == 0 ? std::string() : askedType(*command.begin());
  const auto id = pending_->add(session->number(), std::move(type), bytes, wait, std::move(done));
  session->send(message(id, command));
  return id;
}

void HostRpc::notify(const std::string& host_id, std::initializer_list<std::string_view> command) {
  if (const auto session = sessions_.find(host_id)) {
    session->send(message(0, command));
  }
}

std::string HostRpc::message(std::uint64_t request,
                             std::initializer_list<std::string_view> command) const {
  constexpr std::string_view kHead = R"({"type":"host-rpc.request","requestId":")";
  static_assert(kHead.find(hostprotocol::to_daemon::kRequest) != std::string_view::npos);
  constexpr std::string_view kBeforeCommand = R"(","command":)";
  const auto number = std::to_string(request);
  std::size_t size = kHead.size() + prefix_.size() + number.size() + kBeforeCommand.size() + 1;
  for (const auto piece : command) {
    size += piece.size();
  }
  std::string text;
  text.reserve(size);
  text.append(kHead).append(prefix_).append(number).append(kBeforeCommand);
  for (const auto piece : command) {
    text.append(piece);
  }
  text.push_back('}');
  return text;
}

Error HostRpc::unreachable(const std::string& host_id) const {
  const auto host = registry_.find(host_id);
  if (!host) {
    return {
        errc::kUnknownHost,
        fmt::format("there is no host \"{}\"; `svc machine list` shows those there are", host_id)};
  }
  return {errc::kHostUnavailable,
          fmt::format("host \"{}\" ({}) is not connected; is svc-hostd running on it?", host->name,
                      host_id)};
}

std::string HostRpc::named(const std::string& host_id) const {
  const auto host = registry_.find(host_id);
  return host ? fmt::format("machine \"{}\" ({})", host->name, host_id)
              : fmt::format("machine {}", host_id);
}

void HostRpc::sessionOpened(Session& /*session*/) {}

void HostRpc::sessionEnded(Session& session, const std::string& why) {
  const auto host = registry_.find(session.hostId());
  pending_->fail(
      session.number(),
      {errc::kHostUnavailable,
       fmt::format("the connection to the machine \"{}\" was lost during the call{}",
                   host ? host->name : session.hostId(), why.empty() ? "" : ": " + why)});
}

void HostRpc::messageArrived(Session& session, const DaemonMessage& message) {
  const auto* answer = std::get_if<CommandAnswer>(&message);
  if (answer == nullptr || !answer->request_id.starts_with(prefix_)) {
    return;
  }
  std::uint64_t id = 0;
  const auto* begin = answer->request_id.data() + prefix_.size();
  const auto* end = answer->request_id.data() + answer->request_id.size();
  if (const auto read = std::from_chars(begin, end, id);
      read.ptr != end || read.ec != std::errc{}) {
    return;
  }
  const auto type = pending_->type(id);
  if (type && *type != answer->command_type) {
    pending_->answer(
        session.number(), id,
        nonsense(named(session.hostId()), *type, "commandType: Expected the command's type"));
  } else if (answer->ok) {
    pending_->answer(session.number(), id, answer->result);
  } else {
    pending_->answer(session.number(), id, failureOf(*answer));
  }
}

}  // namespace svc::hosts
