#include "skill_folders.h"

#include <map>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/random.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/skills.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/skillfiles/tree_transfer.h"

namespace svc::agentd {
namespace {

namespace fs = std::filesystem;
using skillfiles::SkillFile;
using skillfiles::StagedSkill;

/// Base64, names and braces.
constexpr std::uint64_t kPackedTree = 2 * limits::kSkillTreeBytes;

/// One that is staged already has the digest alone, which is enough to find it.
StagedSkill skillOf(const WantedSkill& wanted) {
  skillfiles::SkillTree tree;
  tree.digest = wanted.tree;
  return {.name = wanted.name,
          .description = wanted.description,
          .tree = std::move(tree),
          .read = nullptr};
}

bool takeFromHere(StagedSkill& skill, const fs::path& directory) {
  auto read = skillfiles::readTree(directory);
  if (!read || !read.value().problems.empty() || read.value().tree.digest != skill.tree.digest) {
    return false;
  }
  skill.tree = std::move(read.value().tree);
  skill.read = [directory](const SkillFile& file) {
    return skillfiles::readTreeFile(directory, file.path);
  };
  return true;
}

Status takeFetched(StagedSkill& skill, const fs::path& file) {
  const auto text = base::readFile(file, kPackedTree);
  if (!text) {
    return text.error();
  }
  const auto packed = common::Json::parse(text.value());
  auto tree = packed ? skillfiles::unpackTree(packed.value()) : packed.error();
  if (!tree) {
    return std::move(tree).error();
  }
  if (tree.value().tree.digest != skill.tree.digest) {
    return Error{errc::kConflict, "what has come is not the tree that was asked for"};
  }
  const auto unpacked = std::make_shared<skillfiles::UnpackedTree>(std::move(tree).value());
  skill.tree = unpacked->tree;
  skill.read = [unpacked](const SkillFile& wanted) -> Result<std::string> {
    return unpacked->contents.find(wanted.path)->second;
  };
  return {};
}

}  // namespace

struct SkillFolders::Course {
  std::vector<StagedSkill> skills;
  std::vector<std::size_t> missing;  ///< indices, the next one last
  std::uint64_t bytes = 0;           ///< that were fetched
  Completion<skillfiles::Stage> done;
};

template <class T, class Job, class Then>
void SkillFolders::onWorker(Job job, Then then) {
  // Shared, because a lane that refuses the job lets go of it.
  const auto next = std::make_shared<Then>(std::move(then));
  const bool taken = with_.workers.submit([io = with_.io, job, next](const auto& /*stop*/) {
    auto result = std::make_shared<Result<T>>(guarded(job));
    boost::asio::post(*io, [next, result] { (*next)(std::move(*result)); });
  });
  if (!taken) {
    boost::asio::post(*with_.io, [next] {
      (*next)(Error{errc::kOverloaded, "this machine is too busy"});
    });
  }
}

SkillFolders::SkillFolders(fs::path root, With with)
    : stages_(std::make_shared<skillfiles::SkillStages>(std::move(root))),
      fetching_(stages_->root() / "fetching"),
      with_(std::move(with)) {
  std::error_code ignored;
  fs::remove_all(fetching_, ignored);
}

void SkillFolders::stage(std::vector<WantedSkill> wanted, Completion<skillfiles::Stage> done) {
  if (wanted.size() > limits::kAgentSkills) {
    return done(Error{errc::kTooLarge, fmt::format("{} skills (limit agentSkills: {})",
                                                   wanted.size(), limits::kAgentSkills)});
  }
  auto course = std::make_shared<Course>();
  course->done = std::move(done);
  onWorker<bool>(
      [stages = stages_, fetching = fetching_, course,
       wanted = std::move(wanted)]() -> Result<bool> {
        std::vector<std::pair<std::string, std::string>> trees;
        for (const auto& each : wanted) {
          trees.emplace_back(each.name, each.tree);
          course->skills.push_back(skillOf(each));
        }
        std::error_code failure;
        if (fs::is_directory(stages->root() / skillfiles::catalogueHash(trees), failure)) {
          return true;
        }
        const auto here = skillfiles::stagedTrees(stages->root());
        for (std::size_t at = wanted.size(); at-- > 0;) {
          auto& skill = course->skills[at];
          const auto found = here.find(skill.tree.digest);
          if (found == here.end() || !takeFromHere(skill, found->second)) {
            course->missing.push_back(at);
          }
        }
        const auto made = base::makePrivateDirectory(fetching);
        return made ? Result<bool>(true) : made.error();
      },
      [weak = weak_from_this(), course](const Result<bool>& looked) {
        if (const auto self = weak.lock()) {
          looked ? self->fetchNext(course) : course->done(looked.error());
        }
      });
}

void SkillFolders::fetchNext(const CoursePtr& course) {
  if (!course->done.pending()) {
    return;
  }
  if (course->missing.empty()) {
    return finish(course);
  }
  constexpr std::size_t kRandom = 6;
  const auto file = fetching_ / base::randomHex(kRandom);
  with_.fetch(course->skills[course->missing.back()].tree.digest, file, kPackedTree,
              [io = with_.io, weak = weak_from_this(), course, file](const Status& status) {
                boost::asio::post(*io, [weak, course, file, status] {
                  if (const auto self = weak.lock()) {
                    self->fetched(course, file, status);
                  }
                });
              });
}

void SkillFolders::fetched(const CoursePtr& course, const fs::path& file, const Status& status) {
  const auto fail = [course](const Error& error) {
    const auto& name = course->skills[course->missing.back()].name;
    course->done(Error{error.code, fmt::format("skill {}: {}", name, error.message)});
  };
  if (!status) {
    return fail(status.error());
  }
  onWorker<bool>(
      [course, file]() -> Result<bool> {
        auto& skill = course->skills[course->missing.back()];
        const auto taken = takeFetched(skill, file);
        std::error_code ignored;
        fs::remove(file, ignored);
        course->bytes += skill.tree.bytes;
        if (taken && course->bytes > limits::kAgentSkillBytes) {
          return Error{errc::kTooLarge,
                       fmt::format("all skills together have more than {} bytes (limit "
                                   "agentSkillBytes)",
                                   limits::kAgentSkillBytes)};
        }
        return taken ? Result<bool>(true) : taken.error();
      },
      [weak = weak_from_this(), course, fail](const Result<bool>& taken) {
        const auto self = weak.lock();
        if (!taken || !self) {
          return fail(taken ? Error{errc::kAborted, "the daemon is stopping"} : taken.error());
        }
        course->missing.pop_back();
        self->fetchNext(course);
      });
}

void SkillFolders::finish(const CoursePtr& course) {
  onWorker<skillfiles::Stage>(
      [stages = stages_, course] { return stages->stage(course->skills); },
      [course](Result<skillfiles::Stage> staged) { course->done(std::move(staged)); });
}

void SkillFolders::sweep() {
  // A lane without room only means that the next one does it.
  (void)with_.workers.submit([stages = stages_](const auto& /*stop*/) { stages->removeUnused(); });
}

}  // namespace svc::agentd
