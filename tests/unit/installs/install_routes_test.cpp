#include "install_routes.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "install_routes_fixture.h"
#include "repository.h"

namespace svc::installs {
namespace {

using ::testing::HasSubstr;

TEST_F(InstallRoutesTest, AnswersWithThePluginWhenTheJobHasEnded) {
  installsTodo();
  const auto exchange =
      send("POST /api/v1/plugins/install", R"({"source":"/srv/todo","selection":{"kind":"root"}})");
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->json()["plugin"]["status"].asString(), "error");
}

TEST_F(InstallRoutesTest, AnswersWithTheJobWhenTheClientPrefersThat) {
  installsTodo();
  http::Request request;
  request.headers = {{"Prefer", "respond-async"}};
  const auto exchange = send("POST /api/v1/plugins/install", R"({"source":"/srv/todo"})", request);
  EXPECT_EQ(exchange->status(), 202U);
  EXPECT_EQ(exchange->answers, 1);
  const auto job = exchange->json()["job"];
  EXPECT_EQ(job["state"].asString(), "queued");
  EXPECT_TRUE(job["error"].isNull());
  EXPECT_TRUE(job["finishedAt"].isNull());
  const auto later =
      send("GET /api/v1/plugins/install-jobs/:job", "", withParameter("job", job["id"].asString()));
  EXPECT_EQ(later->json()["job"]["state"].asString(), "succeeded");
  EXPECT_EQ(later->json()["job"]["pluginId"].asString(), "todo");
  EXPECT_EQ(send("GET /api/v1/plugins/install-jobs")->json()["jobs"].items().size(), 1U);
}

TEST_F(InstallRoutesTest, RefusesAnInstallBodyWithEveryIssue) {
  const auto exchange =
      send("POST /api/v1/plugins/install", R"({"sauce":"x","tagPrefix":1,"selection":{}})");
  EXPECT_EQ(exchange->status(), 400U);
  EXPECT_EQ(exchange->errorCode(), "invalid_input");
  EXPECT_EQ(
      exchange->json()["error"]["issues"].dump(),
      R"([{"message":"Unknown field","path":["sauce"]},)"
      R"({"message":"Required: a string is missing","path":["source"]},)"
      R"({"message":"Expected \"root\", \"subdirectory\" or \"entry\"","path":["selection","kind"]},)"
      R"({"message":"Expected a string","path":["tagPrefix"]}])");
}

TEST_F(InstallRoutesTest, RefusesAnInstallBodyThatIsNotJson) {
  for (const auto* body :
       {"{", "", "[]", R"({"source":""})", R"({"source":"x","selection":{"kind":"entry"}})",
        R"({"source":"x","selection":{"kind":"root","path":"y"}})",
        R"({"source":"x","selection":{"kind":"root"},"subdirectory":"y"})",
        R"({"source":"x","selection":{"kind":"entry","name":"y"},"plugin":"y"})"}) {
    EXPECT_EQ(send("POST /api/v1/plugins/install", body)->status(), 400U) << body;
  }
}

TEST_F(InstallRoutesTest, APreviewListsWhatARepositoryHolds) {
  Repository repository;
  repository.files.write("plugins/notes/package.json", manifest("notes", "2.0.0"));
  repository.files.write(".svc/plugins.json",
                         R"({"plugins":[{"name":"notes","source":"./plugins/notes"}]})");
  repository.commit();
  const auto source = R"({"source":"git:)" + repository.url() + "\"";
  const auto choice = send("POST /api/v1/plugins/install/preview", source + "}")->json()["preview"];
  EXPECT_TRUE(choice["id"].isNull());
  EXPECT_TRUE(choice["incompatible"].isNull());
  EXPECT_EQ(choice["entries"].dump(), R"([{"name":"notes","source":"./plugins/notes"}])");
  const auto chosen = send("POST /api/v1/plugins/install/preview",
                           source + R"(,"selection":{"kind":"entry","name":"notes"}})")
                          ->json()["preview"];
  EXPECT_EQ(chosen["id"].asString(), "notes");
  EXPECT_EQ(chosen.find("entries"), nullptr);
  for (const auto* older : {R"(,"plugin":"notes"})", R"(,"subdirectory":"plugins/notes"})"}) {
    EXPECT_EQ(send("POST /api/v1/plugins/install/preview", source + older)
                  ->json()["preview"]["id"]
                  .asString(),
              "notes");
  }
  EXPECT_EQ(send("POST /api/v1/plugins/install/preview",
                 source + R"(,"plugin":"notes","subdirectory":"plugins/notes"})")
                ->errorCode(),
            "invalid_input");
  const auto refused = send("POST /api/v1/plugins/install", source + "}");
  EXPECT_EQ(refused->errorCode(), "install_refused");
  EXPECT_THAT(refused->json()["error"]["message"].asString(), HasSubstr("notes; choose one"));
}

TEST_F(InstallRoutesTest, WhatAPackageSaysIsThereBeforeItIsInstalled) {
  Repository repository;
  repository.files.write("plugins/notes/package.json", manifest("notes", "2.0.0"));
  repository.files.write("plugins/notes/README.md", "# Notes\n![](shot.png)");
  repository.files.write("plugins/notes/shot.png", "bytes");
  repository.files.write(".svc/plugins.json",
                         R"({"plugins":[{"name":"notes","source":"./plugins/notes"}]})");
  repository.commit();
  const auto source = R"({"source":"git:)" + repository.url() + "\"";
  const auto about = send("POST /api/v1/plugins/install/about",
                          source + R"(,"selection":{"kind":"entry","name":"notes"}})")
                         ->json()["about"];
  EXPECT_EQ(about["id"].asString(), "notes");
  EXPECT_EQ(about["version"].asString(), "2.0.0");
  EXPECT_THAT(about["readme"].asString(), HasSubstr("# Notes"));
  EXPECT_EQ(about["pictures"].items().size(), 1U);
  EXPECT_TRUE(plugins_.rows.empty());
  EXPECT_TRUE(jobs_->list().empty());

  const auto several = send("POST /api/v1/plugins/install/about", source + "}");
  EXPECT_EQ(several->status(), 422U);
  EXPECT_EQ(several->json()["error"]["details"]["reason"].asString(), "no_manifest");
  const auto directory = (repository.files.path() / "plugins/notes").string();
  EXPECT_EQ(send("POST /api/v1/plugins/install/about", R"({"source":")" + directory + "\"}")
                ->json()["about"]["id"]
                .asString(),
            "notes");
  EXPECT_EQ(send("POST /api/v1/plugins/install/about", R"({"source":"nobody@nowhere"})")->status(),
            422U);
  EXPECT_EQ(send("POST /api/v1/plugins/install/about", R"({"sauce":"x"})")->status(), 400U);
}

TEST_F(InstallRoutesTest, SourcesThatCannotBeReadAreRefused) {
  const auto exchange = send("POST /api/v1/plugins/install", R"({"source":"npm:../x"})");
  EXPECT_EQ(exchange->status(), 422U);
  EXPECT_EQ(exchange->json()["error"]["details"]["reason"].asString(), "not_found");
}

TEST_F(InstallRoutesTest, UnknownJobsAreNotFound) {
  EXPECT_EQ(send("GET /api/v1/plugins/install-jobs/:job", "", withParameter("job", "x"))->status(),
            404U);
  EXPECT_EQ(send("POST /api/v1/plugins/install-jobs/:job/cancel", "", withParameter("job", "x"))
                ->status(),
            404U);
}

TEST_F(InstallRoutesTest, PrunesWhatIsNotUsed) {
  data_.write("cache/npm/todo/1.0.0/package.json", "{}");
  auto exchange = send("POST /api/v1/plugins/prune", R"({"dryRun":true})");
  EXPECT_EQ(exchange->json()["removed"].dump(), R"([{"path":"npm/todo/1.0.0","bytes":2}])");
  EXPECT_TRUE(exchange->json()["dryRun"].asBool());
  EXPECT_TRUE(std::filesystem::exists(data_.path() / "cache/npm/todo/1.0.0"));
  exchange = send("POST /api/v1/plugins/prune");
  EXPECT_EQ(exchange->json()["bytes"].asInteger(), 2);
  EXPECT_FALSE(std::filesystem::exists(data_.path() / "cache/npm"));
  EXPECT_EQ(send("POST /api/v1/plugins/prune", R"({"dryRun":1})")->status(), 400U);
}

}  // namespace
}  // namespace svc::installs
