#include "daemon.h"

#include <unistd.h>

#include <Poco/UUIDGenerator.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/platform.h"

#include "directory_owner.h"
#include "tls.h"

namespace svc::serverlink {
namespace {

constexpr std::string_view kHowToEnroll =
    "run \"svc machine enroll\" on the server, and here the command that it prints";

}  // namespace

Daemon::Daemon(DaemonSettings settings, ITransport& transport, ServerLink& link,
               DaemonActions actions, std::shared_ptr<spdlog::logger> log)
    : settings_(std::move(settings)),
      transport_(transport),
      link_(link),
      actions_(std::move(actions)),
      log_(std::move(log)),
      file_(settings_.data_directory, log_),
      instance_id_(Poco::UUIDGenerator::defaultGenerator().createRandom().toString()) {}

Status Daemon::checkJoin() const {
  if (settings_.join && (settings_.server.empty() || settings_.code.empty())) {
    return Error{errc::kInvalidArgument,
                 "join needs --server and --code: \"svc machine enroll\" on the server prints the "
                 "whole command"};
  }
  if (!settings_.join && !settings_.code.empty()) {
    return Error{errc::kInvalidArgument,
                 "--code is for enrolling: svc-hostd join --server <url> --code <code>"};
  }
  if (settings_.local && settings_.server.empty()) {
    return Error{errc::kInvalidArgument, "--local needs --server"};
  }
  return {};
}

Status Daemon::prepare() {
  if (auto status = checkJoin(); !status) {
    return status;
  }
  if (!settings_.fingerprint.empty()) {
    auto parsed = parseFingerprint(settings_.fingerprint);
    if (!parsed) {
      return std::move(parsed).error();
    }
    fingerprint_ = std::move(parsed).value();
  }
  auto stored = file_.load();
  if (!stored && !settings_.join && settings_.enroll_key.empty()) {
    return std::move(stored).error();
  }
  if (stored) {
    credential_ = std::move(stored).value();
  } else {
    log_->warn("{}", stored.error().message);
  }
  if (auto taken = takeDirectory(); !taken) {
    return taken;
  }
  if (!credential_ && !settings_.join && settings_.enroll_key.empty()) {
    return Error{errc::kNotFound, fmt::format("this machine is not enrolled: {}", kHowToEnroll)};
  }
  auto server = ServerAddress::parse(
      !settings_.server.empty() || !credential_ ? settings_.server : credential_->server_url);
  if (!server) {
    return std::move(server).error();
  }
  server_ = std::move(server).value();
  knowOwner();
  return {};
}

void Daemon::knowOwner() {
  using Owner = ServerOwner::Owner;
  owner_ = settings_.local ? std::make_shared<ServerOwner>(ServerOwner::Server::kParent,
                                                           Owner{Owner::Kind::kUser, ::geteuid()})
                           : std::make_shared<ServerOwner>(
                                 ServerOwner::Server::kJoined,
                                 credential_ ? credential_->server_user : std::optional<Owner>());
}

/// A server that opens a session is the right one, so whoever has it then is whom it belongs to.
void Daemon::keepOwner() {
  if (!owner_->keep()) {
    return;
  }
  credential_->server_user = owner_->remembered();
  if (auto saved = file_.save(*credential_); !saved) {
    log_->warn("whose the server is could not be kept: {}", saved.error().message);
  }
}

Endpoint Daemon::endpoint() const { return {*server_, credential_->server_certificate, owner_}; }

/// The daemon of the server's own machine and one that has joined a server never take each other's directory, and with it the key.
Status Daemon::takeDirectory() {
  if (!credential_) {
    return {};
  }
  if (!settings_.local) {
    return isOfServer(*credential_, settings_) ? Status(directoryOfServer(settings_)) : Status();
  }
  if (credential_->of_server == std::optional(false)) {
    return Error{errc::kInvalidArgument,
                 fmt::format("{} belongs to the daemon that has joined {}: the server's own needs "
                             "another directory",
                             settings_.data_directory.string(), credential_->server_url)};
  }
  if (!credential_->of_server) {
    credential_->of_server = true;
    if (auto saved = file_.save(*credential_); !saved) {
      log_->warn("{}", saved.error().message);
    }
  }
  return {};
}

bool Daemon::hasToJoin() const {
  // The code is used up when another version of the program has joined with it.
  return settings_.join && !(settings_.resumed && credential_);
}

void Daemon::enrollIfNeeded(Completion<void> done) {
  if (hasToJoin()) {
    warnOfAddress();
    enrollWith(settings_.code, std::move(done));
  } else if (!credential_) {
    enrollWith(settings_.enroll_key, std::move(done));
  } else {
    done({});
  }
}

void Daemon::enrollWith(std::string key, Completion<void> done) {
  key_used_ = true;
  auto name = settings_.name.empty() ? usualHostName() : settings_.name;
  if (settings_.join) {
    // Whoever names the address in this moment names its user, too.
    owner_ = std::make_shared<ServerOwner>(ServerOwner::Server::kJoined, std::nullopt);
  }
  enroll(transport_,
         {{*server_, fingerprint_, owner_},
          std::move(key),
          std::move(name),
          settings_.ephemeral ? "ephemeral" : "persistent"},
         [weak = weak_from_this(), answer = std::move(done)](Result<Enrollment> result) mutable {
           const auto self = weak.lock();
           if (!self) {
             return;
           }
           if (!result) {
             answer(std::move(result).error());
             return;
           }
           answer(self->adopt(std::move(result).value()));
         });
}

Status Daemon::adopt(Enrollment enrollment) {
  enrollment.credential.of_server = settings_.local;
  if (auto saved = file_.save(enrollment.credential); !saved) {
    return saved;
  }
  if (settings_.join) {
    announce(enrollment);
  }
  log_->info("enrolled at {} as \"{}\" ({})", server_->text(), enrollment.host_name,
             enrollment.credential.host_id);
  credential_ = std::move(enrollment.credential);
  knowOwner();
  if (settings_.join && settings_.enroll_only) {
    actions_.shutdown("enrolled");
  }
  return {};
}

void Daemon::announce(const Enrollment& enrollment) const {
  actions_.print(
      fmt::format("enrolled as \"{}\" ({})", enrollment.host_name, enrollment.credential.host_id));
  if (credential_ && (credential_->server_url != enrollment.credential.server_url ||
                      credential_->host_id != enrollment.credential.host_id)) {
    actions_.print(fmt::format("This machine no longer belongs to {} (it was {} there).",
                               credential_->server_url, credential_->host_id));
  }
  if (enrollment.pinned_unseen) {
    actions_.print(fmt::format(
        "The server's certificate is self-signed; from now on it is the only one accepted:\n"
        "  {}\n"
        "Compare that with what \"openssl x509 -noout -fingerprint -sha256 -in <certificate>\" "
        "prints on the server.\nIf it differs, remove this machine there, and enroll it again "
        "with --fingerprint.",
        shownFingerprint(enrollment.credential.server_certificate)));
  }
}

void Daemon::warnOfAddress() const {
  if (server_->isLoopback()) {
    actions_.print(fmt::format(
        "Note: {} is an address of this machine. A server that runs here has a daemon of its own "
        "(\"svc machine list\"): this one makes a second entry for the machine. The way to a "
        "server "
        "elsewhere, such as a tunnel, is as it should be.",
        server_->text()));
  } else if (!server_->tls) {
    actions_.print(fmt::format(
        "Warning: {} is not encrypted. Who listens on the way there gets the key of this machine; "
        "outside of a VPN use an https address.",
        server_->text()));
  }
}

void Daemon::connect() {
  if (!credential_ || (settings_.join && settings_.enroll_only)) {
    return;
  }
  SessionIdentity identity{.endpoint = endpoint(),
                           .host_id = credential_->host_id,
                           .host_key = credential_->host_key,
                           .host_type = credential_->host_type,
                           .host_name = settings_.name.empty() ? usualHostName() : settings_.name,
                           .instance_id = instance_id_,
                           .platform = common::platformName(),
                           .data_directory = settings_.data_directory.string(),
                           .protocol_version = settings_.protocol_version,
                           .auto_update = settings_.auto_update};
  opened_ = link_.onSession([weak = weak_from_this()](const auto& /*current*/) {
    if (const auto self = weak.lock()) {
      self->keepOwner();
    }
  });
  link_.connect(
      std::move(identity),
      [weak = weak_from_this()](SessionEnd end, const std::string& why) {
        if (const auto self = weak.lock()) {
          self->onEnded(end, why);
        }
      },
      [weak = weak_from_this()](std::int64_t server_protocol) {
        if (const auto self = weak.lock(); self && self->settings_.auto_update) {
          self->actions_.update({.endpoint = self->endpoint(),
                                 .host_key = self->credential_->host_key,
                                 .server_protocol = server_protocol});
        }
      });
}

void Daemon::onEnded(SessionEnd end, const std::string& why) {
  switch (end) {
    case SessionEnd::kReplaced:
      actions_.shutdown(why);
      return;
    case SessionEnd::kRemoved:
      if (!settings_.enroll_key.empty() && !key_used_) {
        break;  // the server has started it, and wants it
      }
      if (auto removed = file_.remove(); !removed) {
        log_->error("{}", removed.error().message);
      }
      actions_.shutdown(why);
      return;
    case SessionEnd::kUnauthorized:
      break;
  }
  if (settings_.enroll_key.empty() || key_used_) {
    actions_.fail(fmt::format("{}. To enroll this machine again, {}", why, kHowToEnroll));
    return;
  }
  log_->info("{}; enrolling again", why);
  enrollWith(settings_.enroll_key, [weak = weak_from_this()](const Status& status) {
    const auto self = weak.lock();
    if (!self) {
      return;
    }
    if (status) {
      self->connect();
    } else {
      self->actions_.fail(status.error().message);
    }
  });
}

}  // namespace svc::serverlink
