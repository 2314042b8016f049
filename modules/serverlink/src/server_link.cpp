#include "server_link.h"

#include <utility>

#include "svc/common/codes.h"
#include "svc/hostprotocol/protocol.h"

#include "directory_commands.h"

namespace svc::serverlink {

ServerLink::ServerLink(ITransport& transport, IMainExecutor& main, const IClock& clock,
                       IWorkerPool& workers, base::PathBounds bounds,
                       std::shared_ptr<spdlog::logger> log, std::function<double()> random)
    : transport_(transport),
      main_(main),
      clock_(clock),
      workers_(workers),
      bounds_(std::move(bounds)),
      log_(std::move(log)),
      random_(std::move(random)) {
  addBuiltIn(hostprotocol::command::kDirectory,
             [](const std::string& command, const base::PathBounds& within) {
               return listDirectory(command, within);
             });
  addBuiltIn(hostprotocol::command::kPathsExist, &pathsExist);
}

void ServerLink::addBuiltIn(std::string_view type,
                            Result<std::string> (*answer)(const std::string&,
                                                          const base::PathBounds&)) {
  built_in_.push_back(commands_.add(
      std::string(type), [this, answer](std::string command, Completion<std::string> done) {
        auto waiting = std::make_shared<Completion<std::string>>(std::move(done));
        const bool queued =
            workers_.submit([answer, waiting, text = std::move(command), bounds = bounds_] {
              (*waiting)(guarded([&] { return answer(text, bounds); }));
            });
        if (!queued) {
          (*waiting)(Error{errc::kOverloaded, "this machine is too busy; try again"});
        }
      }));
}

std::shared_ptr<Session> ServerLink::session() const {
  const std::scoped_lock lock(mutex_);
  return session_;
}

void ServerLink::connect(SessionIdentity identity, Ended ended, Offered offered) {
  ended_ = std::move(ended);
  offered_ = std::move(offered);
  auto next = std::make_shared<Session>(
      Session::Surroundings{transport_, main_, clock_, *this, log_, random_}, std::move(identity));
  {
    const std::scoped_lock lock(mutex_);
    session_.swap(next);
  }
  next.reset();
  // The one before says nothing when it is let go.
  onSessionLost();
  session()->start();
}

void ServerLink::stop(Completion<void> done) {
  if (const auto current = session()) {
    current->stop(std::move(done));
  } else {
    done({});
  }
}

Handle ServerLink::onCommand(std::string type, CommandHandler handler) {
  return commands_.add(std::move(type), std::move(handler));
}

Handle ServerLink::onMessage(std::string type, MessageHandler handler) {
  const bool added = messages_->emplace(type, std::move(handler)).second;
  SVC_ASSERT(added);
  return Handle([weak = std::weak_ptr(messages_), type = std::move(type)] {
    if (const auto messages = weak.lock()) {
      messages->erase(type);
    }
  });
}

template <class Listener>
Handle ServerLink::Listeners<Listener>::add(const std::shared_ptr<Listeners>& listeners,
                                            Listener listener) {
  const auto number = ++listeners->last;
  listeners->by_number.emplace(number, std::move(listener));
  return Handle([weak = std::weak_ptr(listeners), number] {
    if (const auto still_there = weak.lock()) {
      still_there->by_number.erase(number);
    }
  });
}

template <class Listener>
template <class... Args>
void ServerLink::Listeners<Listener>::call(const Args&... arguments) {
  const auto now = by_number;
  for (const auto& [number, listener] : now) {
    if (by_number.contains(number)) {
      listener(arguments...);
    }
  }
}

Handle ServerLink::onSession(Opened listener) {
  return Listeners<Opened>::add(opened_, std::move(listener));
}

Handle ServerLink::onSessionLost(Lost listener) {
  return Listeners<Lost>::add(lost_, std::move(listener));
}

Handle ServerLink::onRefused(std::function<void()> listener) {
  return Listeners<Lost>::add(refused_, std::move(listener));
}

void ServerLink::send(std::string message) {
  if (const auto current = session()) {
    current->send(std::move(message));
  }
}

std::size_t ServerLink::backlog() const {
  const auto current = session();
  return current ? current->backlog() : 0;
}

template <class T>
void ServerLink::refuse(Completion<T> done) {
  auto waiting = std::make_shared<Completion<T>>(std::move(done));
  main_.post([waiting] {
    (*waiting)(Error{errc::kHostUnavailable, "this machine is not connected to a server"});
  });
}

void ServerLink::post(std::string path, std::string body, Completion<HttpAnswer> done) {
  const auto current = session();
  if (!current) {
    refuse(std::move(done));
    return;
  }
  const auto& identity = current->identity();
  transport_.post({identity.endpoint, std::move(path), identity.host_key}, std::move(body),
                  std::move(done));
}

void ServerLink::download(std::string path, std::filesystem::path file, std::uint64_t limit,
                          Completion<Download> done) {
  const auto current = session();
  if (!current) {
    refuse(std::move(done));
    return;
  }
  const auto& identity = current->identity();
  transport_.download({identity.endpoint, std::move(path), identity.host_key}, std::move(file),
                      limit, std::move(done));
}

std::string ServerLink::hostId() const {
  const auto current = session();
  return current ? current->identity().host_id : std::string{};
}

std::string ServerLink::serverUrl() const {
  const auto current = session();
  return current ? current->identity().endpoint.server.text() : std::string{};
}

void ServerLink::onSessionOpened(const std::vector<PluginGeneration>& generations) {
  open_ = true;
  opened_->call(generations);
}

void ServerLink::onSessionLost() {
  if (std::exchange(open_, false)) {
    lost_->call();
  }
}

void ServerLink::onSessionRefused() { refused_->call(); }

void ServerLink::onRequest(CommandRequest request, Completion<std::string> answer) {
  commands_.run(std::move(request), std::move(answer));
}

void ServerLink::onMessage(const std::string& type, const std::string& text) {
  if (const auto found = messages_->find(type); found != messages_->end()) {
    // A copy: a handler may withdraw itself.
    const auto handler = found->second;
    handler(text);
  }
}

void ServerLink::onUpdateOffered(std::int64_t server_protocol) {
  if (offered_) {
    offered_(server_protocol);
  }
}

void ServerLink::onSessionEnded(SessionEnd end, const std::string& why) {
  if (ended_) {
    ended_(end, why);
  }
}

}  // namespace svc::serverlink
