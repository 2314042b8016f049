#include "artifact_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <iterator>

#include "svc/common/limits/builds.h"
#include "svc/common/limits/hosts.h"

#include "fake_link.h"
#include "fakes/fake_clock.h"
#include "fakes/inline_workers.h"
#include "fixture.h"
#include "temp_directory.h"

namespace svc::hostworkers {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// sha256 of "good" and of "more".
constexpr const char* kGood = "770e607624d689265ca6c44884d0807d9b054d23c473c106c72be9de08b7376c";
constexpr const char* kMore = "187897ce0afcf20b50ba2b37dca84a951b7046f29ed5ab94f010619f69d6e189";

class ArtifactCacheTest : public ::testing::Test {
 protected:
  struct Got {
    std::optional<Result<std::filesystem::path>> result;
    [[nodiscard]] Errc code() const { return result->error().code; }
  };
  std::shared_ptr<Got> acquire(const std::string& digest = kGood, std::uint64_t bytes = 4,
                               const std::string& plugin = "todo") {
    auto got = std::make_shared<Got>();
    cache_->acquire({plugin, digest, bytes}, [got](Result<std::filesystem::path> result) {
      got->result = std::move(result);
    });
    main_.runAll();
    return got;
  }
  void deliver(const std::string& bytes, const std::string& digest) {
    link_.deliver(bytes, digest);
    main_.runAll();
  }
  void refuse(Error error) {
    link_.refuse(std::move(error));
    main_.runAll();
  }
  [[nodiscard]] std::filesystem::path file(const std::string& digest = kGood,
                                           const std::string& plugin = "todo") const {
    return directory_.path() / "cache" / plugin / digest / "host.mjs";
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t entries(const std::string& digest = kGood) const {
    const auto directory = file(digest).parent_path();
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory),
                                                  std::filesystem::directory_iterator()));
  }
  void seed() {
    const auto got = acquire();
    deliver("good", kGood);
    ASSERT_TRUE(got->result->ok());
  }

  test::TempDirectory directory_;
  test::FakeExecutor main_;
  test::FakeClock clock_;
  test::InlineWorkers pool_;
  FakeLink link_;
  std::ostringstream log_text_;
  std::shared_ptr<spdlog::logger> log_ = std::make_shared<spdlog::logger>(
      "workers", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_));
  std::shared_ptr<ArtifactCache> cache_ = std::make_shared<ArtifactCache>(
      directory_.path() / "cache", ArtifactCache::Context{link_, main_, pool_, clock_, log_});
};

TEST_F(ArtifactCacheTest, DownloadsOnceAndChecksEveryUse) {
  const auto got = acquire();
  ASSERT_EQ(link_.downloads.size(), 1U);
  const auto& asked = link_.downloads.front();
  EXPECT_EQ(asked.path, std::string("/internal/plugins/todo/host/") + kGood);
  EXPECT_EQ(asked.limit, 4U);
  EXPECT_EQ(asked.file.parent_path(), file().parent_path());
  EXPECT_THAT(asked.file.filename().string(), ::testing::MatchesRegex("\\.staged-.*\\.tmp"));
  deliver("good", kGood);
  ASSERT_TRUE(got->result->ok());
  EXPECT_EQ(got->result->value(), file());
  EXPECT_EQ(read(file()), "good");
  EXPECT_EQ(entries(), 1U);
  EXPECT_TRUE(acquire()->result->ok());
  EXPECT_TRUE(link_.downloads.empty());
}

TEST_F(ArtifactCacheTest, WaitersShareOneDownload) {
  const auto first = acquire();
  const auto second = acquire();
  EXPECT_EQ(link_.downloads.size(), 1U);
  deliver("good", kGood);
  EXPECT_TRUE(first->result->ok());
  EXPECT_TRUE(second->result->ok());
}

TEST_F(ArtifactCacheTest, ADamagedFileIsFetchedAgain) {
  seed();
  for (const auto* damaged : {"goad", "goodness", ""}) {
    std::ofstream(file(), std::ios::binary) << damaged;
    const auto got = acquire();
    EXPECT_FALSE(got->result) << damaged;
    EXPECT_FALSE(std::filesystem::exists(file()));
    deliver("good", kGood);
    EXPECT_TRUE(got->result->ok());
    EXPECT_EQ(read(file()), "good");
  }
  EXPECT_THAT(log_text_.str(), HasSubstr("damaged"));
}

TEST_F(ArtifactCacheTest, AFileThatIsALinkIsNotUsed) {
  seed();
  const auto elsewhere = directory_.write("elsewhere", "good");
  std::filesystem::remove(file());
  std::filesystem::create_symlink(elsewhere, file());
  const auto got = acquire();
  EXPECT_FALSE(got->result);
  deliver("good", kGood);
  EXPECT_FALSE(std::filesystem::is_symlink(file()));
  EXPECT_TRUE(std::filesystem::exists(elsewhere));
}

TEST_F(ArtifactCacheTest, WrongContentIsTriedTwiceAndThenRefused) {
  const auto got = acquire();
  deliver("evil", std::string(64, 'e'));
  EXPECT_FALSE(got->result);
  deliver("go", std::string(64, 'e'));
  ASSERT_TRUE(got->result);
  EXPECT_EQ(got->code(), errc::kArtifactMismatch);
  EXPECT_THAT(got->result->error().message, HasSubstr("2 bytes came instead of 4"));
  EXPECT_EQ(entries(), 0U);
  // A later call tries again.
  const auto later = acquire();
  deliver("good", kGood);
  EXPECT_TRUE(later->result->ok());
}

TEST_F(ArtifactCacheTest, ALongerDownloadIsAMismatch) {
  const auto got = acquire();
  refuse({errc::kTooLarge, "too large"});
  refuse({errc::kTooLarge, "too large"});
  EXPECT_EQ(got->code(), errc::kArtifactMismatch);
}

TEST_F(ArtifactCacheTest, AnUnknownArtifactIsNotAskedForTwice) {
  const auto got = acquire();
  refuse({errc::kNotFound, "plugin_host_artifact_not_found"});
  EXPECT_EQ(got->code(), errc::kArtifactUnavailable);
  EXPECT_TRUE(link_.downloads.empty());
}

TEST_F(ArtifactCacheTest, UnusedArtifactsGoAfterAWhile) {
  seed();
  clock_.advance(limits::kArtifactKeep + 1ms);
  const auto got = acquire(kMore);
  deliver("more", kMore);
  EXPECT_TRUE(got->result->ok());
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_TRUE(std::filesystem::exists(file(kMore)));
}

TEST_F(ArtifactCacheTest, AUseKeepsAnArtifact) {
  seed();
  clock_.advance(limits::kArtifactKeep - 1ms);
  EXPECT_TRUE(acquire()->result->ok());
  clock_.advance(limits::kArtifactKeep - 1ms);
  (void)acquire(kMore);
  deliver("more", kMore);
  EXPECT_TRUE(std::filesystem::exists(file()));
}

TEST_F(ArtifactCacheTest, TheLongestUnusedMakesRoom) {
  seed();
  // A file without content that takes the size of the whole cache.
  clock_.advance(1s);
  const auto big = directory_.path() / "cache/else" / std::string(64, 'a') / "host.mjs";
  std::filesystem::create_directories(big.parent_path());
  std::ofstream(big).close();
  std::filesystem::resize_file(big, limits::kArtifact);
  const auto now = clock_.nowMs();
  const timespec time{.tv_sec = now / 1000, .tv_nsec = 0};
  const std::array<timespec, 2> times{time, time};
  ::utimensat(AT_FDCWD, big.c_str(), times.data(), 0);
  clock_.advance(1s);
  (void)acquire(kMore);
  deliver("more", kMore);
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_FALSE(std::filesystem::exists(big));
  EXPECT_TRUE(std::filesystem::exists(file(kMore)));
}

TEST_F(ArtifactCacheTest, PluginsThatAreGoneTakeTheirFilesWithThem) {
  seed();
  (void)acquire(kMore, 4, "other");
  deliver("more", kMore);
  cache_->keepOnly({"other"});
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "cache/todo"));
  EXPECT_TRUE(std::filesystem::exists(file(kMore, "other")));
  cache_->remove("other");
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "cache/other"));
}

TEST_F(ArtifactCacheTest, ABusyPoolIsAnError) {
  pool_.full = true;
  EXPECT_EQ(acquire()->code(), errc::kArtifactUnavailable);
}

}  // namespace
}  // namespace svc::hostworkers
