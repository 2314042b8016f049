#include "daemon.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "fake_transport.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"
#include "log_lines.h"
#include "owners.h"

namespace svc::serverlink {
namespace {

using common::Json;
using svc::test::FakeClock;
using svc::test::FakeMainExecutor;
using svc::test::InlineWorkers;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto kEnrolled = R"({"ok":true,"hostId":"host_1","hostKey":"svch_new"})";
const std::string kPrint(64, 'a');

class DaemonTest : public ::testing::Test {
 protected:
  DaemonTest() { std::filesystem::create_directories(root_); }
  ~DaemonTest() override { std::filesystem::remove_all(root_); }

  static DaemonSettings joining(const std::string& server) {
    DaemonSettings settings;
    settings.join = true;
    settings.server = server;
    settings.code = "svce_code";
    settings.name = "lab";
    return settings;
  }
  static DaemonSettings local() {
    DaemonSettings settings;
    settings.local = true;
    settings.server = "http://127.0.0.1:4701";
    settings.enroll_key = "svce_local";
    return settings;
  }

  void make(DaemonSettings settings) {
    settings.data_directory = root_;
    daemon_ = std::make_shared<Daemon>(
        std::move(settings), transport_, link_,
        DaemonActions{[this](const std::string& text) { printed_.push_back(text); },
                      [this](const std::string& why) { shutdowns_.push_back(why); },
                      [this](const std::string& why) { failures_.push_back(why); },
                      [this](UpdateOffer offer) { offers_.push_back(std::move(offer)); }},
        log_.logger);
  }
  /// As the module starts it; the outcome of the enrollment is in enrolled_.
  void run(DaemonSettings settings) {
    make(std::move(settings));
    const auto prepared = daemon_->prepare();
    ASSERT_TRUE(prepared.ok()) << prepared.error().message;
    daemon_->enrollIfNeeded([this](Status status) { enrolled_ = std::move(status); });
  }
  Status prepared(DaemonSettings settings) {
    make(std::move(settings));
    return daemon_->prepare();
  }
  void store(const Credential& credential) const {
    ASSERT_TRUE(CredentialFile(root_, log_.logger).save(credential).ok());
  }
  std::optional<Credential> stored() const {
    return CredentialFile(root_, log_.logger).load().value();
  }
  void endSession(const std::string& reason) {
    transport_.answer(201, R"({"sessionId":"s","heartbeatIntervalMs":5000,"leaseTimeoutMs":30000,
                               "pluginHostGenerations":[]})");
    transport_.sockets.back()->opened();
    transport_.sockets.back()->message(R"({"type":"session-close","reason":")" + reason + "\"}");
  }

  std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("daemon" + std::to_string(::getpid()));
  LogLines log_;
  // What the transport still owes is dropped when it goes, which ends an enrollment.
  std::optional<Status> enrolled_;
  FakeTransport transport_;
  FakeMainExecutor main_;
  FakeClock clock_;
  InlineWorkers workers_;
  ServerLink link_{transport_,        main_, clock_, workers_, base::PathBounds("/"), log_.logger,
                   [] { return 0.5; }};
  std::vector<std::string> printed_;
  std::vector<std::string> shutdowns_;
  std::vector<std::string> failures_;
  std::vector<UpdateOffer> offers_;
  std::shared_ptr<Daemon> daemon_;
  const Credential credential_{"http://10.0.0.1:4700", "host_1", "svch_old", "persistent"};
};

TEST_F(DaemonTest, WithoutCredentialItSaysWhatToRun) {
  const auto status = prepared({});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr("not enrolled"), HasSubstr("svc machine enroll")));
}

TEST_F(DaemonTest, IncompleteCommandLinesAreRefused) {
  DaemonSettings join;
  join.join = true;
  EXPECT_THAT(prepared(join).error().message, HasSubstr("join needs --server and --code"));
  DaemonSettings code;
  code.code = "svce_x";
  EXPECT_THAT(prepared(code).error().message, HasSubstr("svc-hostd join"));
  DaemonSettings lone;
  lone.local = true;
  EXPECT_THAT(prepared(lone).error().message, HasSubstr("--local needs --server"));
  EXPECT_THAT(prepared(joining("example.com")).error().message, HasSubstr("http://"));
  auto print = joining("https://example.com");
  print.fingerprint = "sha256:12";
  EXPECT_THAT(prepared(print).error().message, HasSubstr("fingerprint"));
}

TEST_F(DaemonTest, JoinsWithACode) {
  run(joining("https://svc.example.com/base"));
  ASSERT_THAT(transport_.posts, SizeIs(1));
  const auto& post = transport_.posts[0];
  EXPECT_EQ(post.request.path, "/internal/hosts/enroll");
  EXPECT_EQ(post.request.bearer, "svce_code");
  EXPECT_EQ(Json::parse(post.body).value(),
            Json::parse(R"({"hostId":null,"hostName":"lab","hostType":"persistent"})").value());
  transport_.answer(201, kEnrolled);
  EXPECT_TRUE(enrolled_->ok());
  EXPECT_THAT(printed_, ElementsAre("enrolled as \"lab\" (host_1)"));
  EXPECT_EQ(stored(), (Credential{.server_url = "https://svc.example.com/base",
                                  .host_id = "host_1",
                                  .host_key = "svch_new",
                                  .of_server = false}));
  daemon_->connect();
  ASSERT_THAT(transport_.posts, SizeIs(1));
  EXPECT_EQ(transport_.posts[0].request.path, "/internal/session/open");
  EXPECT_EQ(transport_.posts[0].request.bearer, "svch_new");
  EXPECT_EQ(transport_.posts[0].request.endpoint.server.text(), "https://svc.example.com/base");
  EXPECT_THAT(shutdowns_, IsEmpty());
}

TEST_F(DaemonTest, EnrollsOnly) {
  auto settings = joining("http://127.0.0.1:4700");
  settings.enroll_only = true;
  settings.ephemeral = true;
  run(settings);
  transport_.answer(201, kEnrolled);
  daemon_->connect();
  EXPECT_THAT(transport_.posts, IsEmpty());
  EXPECT_THAT(shutdowns_, ElementsAre("enrolled"));
  EXPECT_EQ(stored()->host_type, "ephemeral");
}

TEST_F(DaemonTest, TheServersNameOfTheMachineWins) {
  run(joining("https://svc.example.com"));
  transport_.answer(201, R"({"hostId":"host_1","hostKey":"svch_n","hostName":"lab-2"})");
  EXPECT_THAT(printed_, ElementsAre("enrolled as \"lab-2\" (host_1)"));
}

TEST_F(DaemonTest, ARefusedCodeChangesNothing) {
  store(credential_);
  run(joining("http://127.0.0.1:4700"));
  transport_.answer(401,
                    R"({"ok":false,"error":{"code":"unauthorized","message":"the code is used"}})");
  ASSERT_FALSE(enrolled_->ok());
  EXPECT_EQ(enrolled_->error().code, errc::kUnauthorized);
  EXPECT_EQ(enrolled_->error().message,
            "http://127.0.0.1:4700 does not accept the code: the code is used");
  EXPECT_EQ(stored(), credential_);
}

TEST_F(DaemonTest, WhatIsNoServerChangesNothing) {
  store(credential_);
  for (const auto* body : {"", "<html>", "{}", R"({"hostId":"h","hostKey":"other_key"})"}) {
    run(joining("http://127.0.0.1:4700"));
    transport_.answer(201, body);
    ASSERT_FALSE(enrolled_->ok()) << body;
    EXPECT_THAT(enrolled_->error().message, HasSubstr("is not a server for hosts"));
  }
  EXPECT_EQ(stored(), credential_);
}

TEST_F(DaemonTest, JoiningAnotherServerSaysWhatIsLeft) {
  store(credential_);
  run(joining("https://other.example.com"));
  transport_.answer(201, R"({"hostId":"host_9","hostKey":"svch_9"})");
  EXPECT_THAT(printed_, ElementsAre("enrolled as \"lab\" (host_9)",
                                    "This machine no longer belongs to http://10.0.0.1:4700 (it "
                                    "was host_1 there)."));
  EXPECT_EQ(stored()->host_id, "host_9");
}

TEST_F(DaemonTest, ADamagedCredentialIsReplacedByJoining) {
  std::ofstream(root_ / "auth.json") << "{";
  EXPECT_FALSE(prepared({}).ok());
  run(joining("http://127.0.0.1:4700"));
  transport_.answer(201, kEnrolled);
  EXPECT_TRUE(enrolled_->ok());
  EXPECT_EQ(stored()->host_key, "svch_new");
}

TEST_F(DaemonTest, PlainTextToAnotherMachineIsWarnedOf) {
  run(joining("http://10.0.0.1:4700"));
  EXPECT_THAT(printed_, ElementsAre(AllOf(HasSubstr("not encrypted"), HasSubstr("https"))));
  printed_.clear();
  run(joining("https://svc.example.com"));
  EXPECT_THAT(printed_, IsEmpty());
}

TEST_F(DaemonTest, TheMachineOfTheServerHasADaemonAlready) {
  run(joining("http://127.0.0.1:4700"));
  EXPECT_THAT(printed_, ElementsAre(AllOf(HasSubstr("a daemon of its own"),
                                          HasSubstr("http://127.0.0.1:4700"))));
}

Error selfSigned() {
  return Error{kUntrustedCertificate, "not accepted: self-signed",
               R"({"fingerprint":")" + kPrint + R"(","selfSigned":true})"};
}

TEST_F(DaemonTest, ASelfSignedCertificateIsPinned) {
  run(joining("https://10.0.0.1:4700"));
  EXPECT_EQ(transport_.posts[0].request.endpoint.certificate, "");
  transport_.fail(selfSigned());
  ASSERT_THAT(transport_.posts, SizeIs(1));
  EXPECT_EQ(transport_.posts[0].request.endpoint.certificate, kPrint);
  transport_.answer(201, kEnrolled);
  EXPECT_TRUE(enrolled_->ok());
  EXPECT_EQ(stored()->server_certificate, kPrint);
  EXPECT_THAT(printed_.back(), AllOf(HasSubstr("sha256:AA:AA:"), HasSubstr("openssl x509")));
  daemon_->connect();
  EXPECT_EQ(transport_.posts[0].request.endpoint.certificate, kPrint);
}

TEST_F(DaemonTest, OnlyTheGivenFingerprintIsAccepted) {
  auto settings = joining("https://10.0.0.1:4700");
  settings.fingerprint = "SHA256:" + std::string(64, 'B');
  run(settings);
  EXPECT_EQ(transport_.posts[0].request.endpoint.certificate, std::string(64, 'b'));
  transport_.fail(selfSigned());
  ASSERT_FALSE(enrolled_->ok());
  EXPECT_THAT(enrolled_->error().message, HasSubstr("expected sha256:BB:BB:"));
  EXPECT_THAT(transport_.posts, IsEmpty());
  EXPECT_EQ(stored(), std::nullopt);
}

TEST_F(DaemonTest, AGivenFingerprintNeedsNoComparison) {
  auto settings = joining("https://10.0.0.1:4700");
  settings.fingerprint = kPrint;
  run(settings);
  transport_.answer(201, kEnrolled);
  EXPECT_EQ(stored()->server_certificate, kPrint);
  EXPECT_THAT(printed_, ElementsAre("enrolled as \"lab\" (host_1)"));
}

TEST_F(DaemonTest, AnExpiredCertificateIsNotPinned) {
  run(joining("https://10.0.0.1:4700"));
  transport_.fail({kUntrustedCertificate, "not accepted: certificate has expired",
                   R"({"fingerprint":")" + kPrint + R"(","selfSigned":false})"});
  ASSERT_FALSE(enrolled_->ok());
  EXPECT_THAT(enrolled_->error().message, HasSubstr("--fingerprint"));
  EXPECT_THAT(transport_.posts, IsEmpty());
}

TEST_F(DaemonTest, AnEnrolledMachineConnects) {
  store({"https://10.0.0.1:4700", "host_1", "svch_old", "ephemeral", kPrint});
  run({});
  EXPECT_TRUE(enrolled_->ok());
  EXPECT_THAT(transport_.posts, IsEmpty());
  daemon_->connect();
  const auto& request = transport_.posts.at(0).request;
  EXPECT_EQ(request.bearer, "svch_old");
  EXPECT_EQ(request.endpoint.server.text(), "https://10.0.0.1:4700");
  EXPECT_EQ(request.endpoint.certificate, kPrint);
  EXPECT_EQ(Json::parse(transport_.posts[0].body).value()["hostType"].asString(), "ephemeral");
}

TEST_F(DaemonTest, ALocalDaemonUsesItsCredentialAtTheAddressOfNow) {
  store(credential_);
  run(local());
  EXPECT_TRUE(enrolled_->ok());
  daemon_->connect();
  EXPECT_EQ(transport_.posts[0].request.endpoint.server.text(), "http://127.0.0.1:4701");
  EXPECT_EQ(transport_.posts[0].request.bearer, "svch_old");
}

TEST_F(DaemonTest, ALocalDaemonEnrollsWithItsKey) {
  run(local());
  EXPECT_EQ(transport_.posts[0].request.bearer, "svce_local");
  transport_.answer(201, kEnrolled);
  EXPECT_TRUE(enrolled_->ok());
  EXPECT_THAT(printed_, IsEmpty());
  EXPECT_EQ(stored()->host_key, "svch_new");
}

constexpr auto kWasRemoved =
    R"({"ok":false,"error":{"code":"unauthorized","message":"no","details":{"reason":"removed"}}})";

TEST_F(DaemonTest, ALocalDaemonWhoseKeyIsRefusedEnrollsAgainOnce) {
  store(credential_);
  run(local());
  daemon_->connect();
  transport_.answer(401, "");
  ASSERT_THAT(transport_.posts, SizeIs(1));
  EXPECT_EQ(transport_.posts[0].request.path, "/internal/hosts/enroll");
  EXPECT_EQ(transport_.posts[0].request.bearer, "svce_local");
  transport_.answer(201, kEnrolled);
  ASSERT_THAT(transport_.posts, SizeIs(1));
  EXPECT_EQ(transport_.posts[0].request.bearer, "svch_new");
  transport_.answer(401, "");
  EXPECT_THAT(failures_, SizeIs(1));
  EXPECT_THAT(transport_.posts, IsEmpty());
}

TEST_F(DaemonTest, ALocalDaemonThatWasRemovedOnceEnrollsAgain) {
  store(credential_);
  run(local());
  daemon_->connect();
  transport_.answer(401, kWasRemoved);
  ASSERT_THAT(transport_.posts, SizeIs(1));
  EXPECT_EQ(transport_.posts[0].request.path, "/internal/hosts/enroll");
  EXPECT_THAT(shutdowns_, IsEmpty());
}

TEST_F(DaemonTest, AMachineThatWasRemovedWhileItWasAwayForgetsItsCredential) {
  store(credential_);
  run({});
  daemon_->connect();
  transport_.answer(401, kWasRemoved);
  EXPECT_EQ(stored(), std::nullopt);
  EXPECT_THAT(shutdowns_, ElementsAre(HasSubstr("has removed this machine")));
  EXPECT_THAT(failures_, IsEmpty());
}

TEST_F(DaemonTest, ALocalDaemonThatCannotEnrollAgainFails) {
  store(credential_);
  run(local());
  daemon_->connect();
  transport_.answer(401, "");
  transport_.answer(401,
                    R"({"ok":false,"error":{"code":"unauthorized","message":"the code is used"}})");
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("does not accept the code")));
}

TEST_F(DaemonTest, AProxyThatAsksForAPasswordHasNotLookedAtTheCode) {
  run(joining("https://svc.example.com"));
  transport_.answer(401, "<html>Authorization Required</html>");
  ASSERT_FALSE(enrolled_->ok());
  EXPECT_THAT(enrolled_->error().message,
              AllOf(HasSubstr("did not look at the code"), HasSubstr("let /internal/ through")));
}

TEST_F(DaemonTest, ARefusedKeyIsAFailureThatSaysWhatToDo) {
  store(credential_);
  run({});
  daemon_->connect();
  transport_.answer(403, "");
  EXPECT_THAT(failures_, ElementsAre(AllOf(HasSubstr("does not accept the key"),
                                           HasSubstr("svc machine enroll"))));
  EXPECT_EQ(stored(), credential_);
}

TEST_F(DaemonTest, ARemovedMachineForgetsItsCredential) {
  store(credential_);
  run({});
  daemon_->connect();
  endSession("removed");
  EXPECT_EQ(stored(), std::nullopt);
  EXPECT_THAT(shutdowns_, ElementsAre(HasSubstr("has removed this machine")));
  EXPECT_THAT(failures_, IsEmpty());
}

TEST_F(DaemonTest, AReplacedDaemonKeepsItsCredential) {
  store(credential_);
  run({});
  daemon_->connect();
  endSession("replaced");
  EXPECT_EQ(stored(), credential_);
  EXPECT_THAT(shutdowns_, ElementsAre(HasSubstr("another daemon")));
}

constexpr auto kNewerServer =
    R"({"ok":false,"error":{"code":"protocol_version_mismatch","message":"no",)"
    R"("details":{"serverProtocolVersion":4,"retryUpdate":true}}})";

TEST_F(DaemonTest, AnOfferOfTheServerIsTakenOnlyWithAutoUpdate) {
  store(credential_);
  for (const bool auto_update : {false, true}) {
    DaemonSettings settings;
    settings.auto_update = auto_update;
    settings.protocol_version = 3;
    run(settings);
    daemon_->connect();
    transport_.answer(400, kNewerServer);
    EXPECT_THAT(offers_, SizeIs(auto_update ? 1 : 0));
  }
  EXPECT_EQ(offers_[0].server_protocol, 4);
  EXPECT_EQ(offers_[0].host_key, "svch_old");
  EXPECT_EQ(offers_[0].endpoint.server.text(), "http://10.0.0.1:4700");
}

TEST_F(DaemonTest, AProcessThatGoesOnDoesNotJoinAgain) {
  store(credential_);
  auto settings = joining("http://10.0.0.1:4700");
  settings.resumed = true;
  run(settings);
  EXPECT_TRUE(enrolled_->ok());
  daemon_->connect();
  ASSERT_THAT(transport_.posts, SizeIs(1));
  EXPECT_EQ(transport_.posts[0].request.path, "/internal/session/open");
  EXPECT_EQ(transport_.posts[0].request.bearer, "svch_old");
}

TEST_F(DaemonTest, AnEnrollmentThatOutlivesItIsDropped) {
  run(joining("http://127.0.0.1:4700"));
  daemon_.reset();
  transport_.answer(201, kEnrolled);
  EXPECT_EQ(stored(), std::nullopt);
  EXPECT_EQ(enrolled_->error().code, errc::kAborted);
}

TEST(UsualHostNameTest, IsWhatServersAccept) {
  const auto name = usualHostName();
  EXPECT_THAT(name, Not(IsEmpty()));
  EXPECT_LE(name.size(), 100U);
}

/// Whether the connection of this request may be of that user; as the network asks.
bool letsIn(const FakeTransport::Post& post, const ServerOwner::Owner& found) {
  return post.request.endpoint.owner->admit(found, "server").ok();
}

TEST_F(DaemonTest, JoiningRemembersWhoseTheServerIs) {
  run(joining("http://127.0.0.1:4700"));
  EXPECT_TRUE(letsIn(transport_.posts[0], kCarol));
  transport_.answer(201, kEnrolled);
  EXPECT_EQ(stored()->server_user, kCarol);
  daemon_->connect();
  EXPECT_TRUE(letsIn(transport_.posts[0], kCarol));
  EXPECT_FALSE(letsIn(transport_.posts[0], kBob));
}

TEST_F(DaemonTest, JoiningAgainForgetsWhoseTheServerWas) {
  auto known = credential_;
  known.server_user = kCarol;
  store(known);
  run(joining("http://127.0.0.1:4700"));
  EXPECT_TRUE(letsIn(transport_.posts[0], kBob));
  transport_.answer(201, kEnrolled);
  EXPECT_EQ(stored()->server_user, kBob);
}

TEST_F(DaemonTest, AServerElsewhereBelongsToNobodyHere) {
  run(joining("https://svc.example.com"));
  transport_.answer(201, kEnrolled);
  EXPECT_EQ(stored()->server_user, std::nullopt);
}

TEST_F(DaemonTest, TheRecordSaysWhoseTheServerIs) {
  auto known = credential_;
  known.server_user = kCarol;
  store(known);
  run({});
  daemon_->connect();
  EXPECT_FALSE(letsIn(transport_.posts[0], kBob));
}

TEST_F(DaemonTest, WithoutARecordTheServerIsOfWhoOpensTheFirstSession) {
  store(credential_);
  run({});
  daemon_->connect();
  const auto owner = transport_.posts[0].request.endpoint.owner;
  EXPECT_TRUE(owner->admit(kBob, "server").ok());
  transport_.answer(503, "");
  EXPECT_EQ(stored()->server_user, std::nullopt);
  main_.advance(std::chrono::minutes(1));
  EXPECT_TRUE(owner->admit(kCarol, "server").ok());
  transport_.answer(201, R"({"sessionId":"s","heartbeatIntervalMs":5000,"leaseTimeoutMs":30000,
                             "pluginHostGenerations":[]})");
  transport_.sockets.back()->opened();
  EXPECT_EQ(stored()->server_user, kCarol);
  EXPECT_FALSE(owner->admit(kBob, "server").ok());
}

TEST_F(DaemonTest, ALocalDaemonKnowsItsServersUser) {
  store(credential_);
  run(local());
  daemon_->connect();
  EXPECT_TRUE(letsIn(transport_.posts[0], {ServerOwner::Owner::Kind::kUser, ::geteuid()}));
  EXPECT_TRUE(letsIn(transport_.posts[0], kUntoldOwner));
  EXPECT_FALSE(letsIn(transport_.posts[0], kBob));
}

TEST_F(DaemonTest, TheRecordSaysWhichDaemonItIsOf) {
  run(local());
  transport_.answer(201, kEnrolled);
  EXPECT_EQ(stored()->of_server, true);
  ASSERT_TRUE(CredentialFile(root_, log_.logger).remove().ok());
  run(joining("https://svc.example.com"));
  transport_.answer(201, kEnrolled);
  EXPECT_EQ(stored()->of_server, false);
}

TEST_F(DaemonTest, ALocalDaemonMarksTheRecordOfOneBefore) {
  store(credential_);
  run(local());
  EXPECT_EQ(stored()->of_server, true);
}

TEST_F(DaemonTest, ALocalDaemonTakesNoJoinedOnesDirectory) {
  auto joined = credential_;
  joined.of_server = false;
  store(joined);
  EXPECT_THAT(prepared(local()).error().message,
              AllOf(HasSubstr(root_.string()), HasSubstr("has joined http://10.0.0.1:4700")));
  EXPECT_EQ(stored(), joined);
}

TEST_F(DaemonTest, NobodyJoinsWithTheDirectoryOfTheServersDaemon) {
  auto own = credential_;
  own.of_server = true;
  store(own);
  auto wanted = joining("https://svc.example.com");
  wanted.name = "it's";
  wanted.enroll_only = true;
  const auto other = root_.string() + "-joined";
  EXPECT_THAT(prepared(wanted).error().message,
              AllOf(HasSubstr(root_.string() + " belongs to the daemon of a server"),
                    HasSubstr("svc-hostd join --server https://svc.example.com --code svce_code "
                              "--name 'it'\\''s' --enroll-only --data-dir " +
                              other + "\n"),
                    HasSubstr("svc-hostd --data-dir " + other)));
  EXPECT_THAT(prepared({}).error().message, HasSubstr("svc-hostd --data-dir " + other));
  EXPECT_EQ(stored(), own);
  EXPECT_THAT(transport_.posts, IsEmpty());
}

TEST_F(DaemonTest, ARecordWithoutTheMarkIsTheServersOwnBesideItsDataWhenItIsJoined) {
  const auto directory = root_ / "hostd";
  std::filesystem::create_directories(directory);
  const CredentialFile file(directory, log_.logger);
  ASSERT_TRUE(file.save({"http://127.0.0.1:4700", "host_1", "svch_old", "persistent"}).ok());
  const auto outcome = [&](DaemonSettings settings) {
    settings.data_directory = directory;
    return std::make_shared<Daemon>(std::move(settings), transport_, link_, DaemonActions{},
                                    log_.logger)
        ->prepare();
  };
  EXPECT_TRUE(outcome(joining("https://svc.example.com")).ok());
  std::ofstream(root_ / "svc.db") << "";
  EXPECT_THAT(outcome(joining("https://svc.example.com")).error().message,
              HasSubstr("--data-dir " + root_.string() + "-hostd"));
  EXPECT_TRUE(outcome({}).ok()) << "one that has run goes on";
}

}  // namespace
}  // namespace svc::serverlink
