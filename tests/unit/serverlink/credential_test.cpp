#include "credential.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>

#include "log_lines.h"

namespace svc::serverlink {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CredentialFileTest : public testing::Test {
 protected:
  CredentialFileTest() { std::filesystem::create_directories(root_); }
  ~CredentialFileTest() override { std::filesystem::remove_all(root_); }

  mode_t mode() const {
    struct stat facts {};
    ::stat((root_ / "auth.json").c_str(), &facts);
    return facts.st_mode & 0777;
  }
  void write(const std::string& text) const { std::ofstream(root_ / "auth.json") << text; }

  std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) / ("credential" + std::to_string(::getpid()));
  LogLines log_;
  CredentialFile file_{root_, log_.logger};
  Credential credential_{"https://svc.example.com", "host_1", "svch_key", "ephemeral", "ab12"};
};

TEST_F(CredentialFileTest, KeepsWhatItIsGiven) {
  EXPECT_EQ(file_.load().value(), std::nullopt);
  ASSERT_TRUE(file_.save(credential_).ok());
  EXPECT_EQ(file_.load().value(), credential_);
  credential_.server_certificate.clear();
  ASSERT_TRUE(file_.save(credential_).ok());
  EXPECT_EQ(file_.load().value(), credential_);
}

TEST_F(CredentialFileTest, KeepsWhomTheServerBelongsTo) {
  using Owner = base::SocketOwner;
  for (const auto& owner :
       {Owner{Owner::Kind::kUser, 1001}, Owner{Owner::Kind::kUser, 0}, Owner{}}) {
    credential_.server_user = owner;
    ASSERT_TRUE(file_.save(credential_).ok());
    EXPECT_EQ(file_.load().value(), credential_);
  }
}

TEST_F(CredentialFileTest, AUserThatCannotBeReadIsNoneThatThereIs) {
  for (const auto* user : {"-1", "4294967296", "1.5", "\"carol\"", "{}", "true"}) {
    write(std::string(R"({"serverUrl":"http://127.0.0.1:1","hostId":"h","hostKey":"k",)") +
          R"("hostType":"persistent","serverUser":)" + user + "}");
    const auto loaded = file_.load();
    ASSERT_TRUE(loaded.ok() && loaded.value()) << user;
    EXPECT_EQ(loaded.value()->server_user,
              (base::SocketOwner{base::SocketOwner::Kind::kUser, static_cast<uid_t>(-1)}))
        << user;
  }
}

TEST_F(CredentialFileTest, IsPrivateAndLeavesNothingBeside) {
  ASSERT_TRUE(file_.save(credential_).ok());
  EXPECT_EQ(mode(), 0600U);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root_)) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, ElementsAre("auth.json"));
}

TEST_F(CredentialFileTest, AFileThatOthersCouldReadIsMadePrivateWithAWarning) {
  ASSERT_TRUE(file_.save(credential_).ok());
  ::chmod(file_.path().c_str(), 0644);
  EXPECT_EQ(file_.load().value(), credential_);
  EXPECT_EQ(mode(), 0600U);
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("could be read by other users")));
  EXPECT_TRUE(file_.load().ok());
  EXPECT_EQ(log_.lines().size(), 1U);
}

TEST_F(CredentialFileTest, DamageIsAClearError) {
  for (const auto* text :
       {"", "x", "[]", "{}", R"({"serverUrl":"http://x","hostId":"h"})",
        R"({"serverUrl":"http://x","hostId":"h","hostKey":"k","hostType":"odd"})"}) {
    write(text);
    const auto loaded = file_.load();
    ASSERT_FALSE(loaded.ok()) << text;
    EXPECT_THAT(loaded.error().message, HasSubstr("damaged")) << text;
    EXPECT_THAT(loaded.error().message, HasSubstr("svc machine enroll")) << text;
  }
}

TEST_F(CredentialFileTest, AFifoIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((root_ / "auth.json").c_str(), 0600), 0);
  const auto loaded = file_.load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, HasSubstr("auth.json: it is not a file"));
}

TEST_F(CredentialFileTest, ADirectoryThatCannotBeWrittenIsAClearError) {
  const CredentialFile nowhere(root_ / "missing", log_.logger);
  const auto saved = nowhere.save(credential_);
  ASSERT_FALSE(saved.ok());
  EXPECT_THAT(saved.error().message, HasSubstr("No such file or directory"));
}

TEST_F(CredentialFileTest, IsForgottenOnRequest) {
  ASSERT_TRUE(file_.save(credential_).ok());
  EXPECT_TRUE(file_.remove().ok());
  EXPECT_EQ(file_.load().value(), std::nullopt);
  EXPECT_TRUE(file_.remove().ok());
}

}  // namespace
}  // namespace svc::serverlink
