#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/skillfiles/skill_stages.h"

namespace svc::agentd {

/// A skill of the server.
struct WantedSkill {
  std::string name{};
  std::string description{};
  std::string tree{};  ///< digest
};

/// Skills of the server as folders of this machine, for sessions: what is here of other sessions is not fetched again, and a folder goes
/// with the last one that uses it. On the io thread.
class SkillFolders : public std::enable_shared_from_this<SkillFolders> {
 public:
  /// Gets a tree as it travels (`skillfiles::packTree`) into a new file of at most `limit` bytes. Any thread; fires on any.
  using Fetch = std::function<void(const std::string& tree, const std::filesystem::path& file,
                                   std::uint64_t limit, Completion<void> done)>;
  struct With {
    std::shared_ptr<boost::asio::io_context> io;
    IBulkWorkers& workers;
    Fetch fetch;
  };
  /// Removes what a killed daemon was fetching.
  SkillFolders(std::filesystem::path root, With with);

  /// All of them or none.
  void stage(std::vector<WantedSkill> wanted, Completion<skillfiles::Stage> done);
  /// Folders that nobody uses go.
  void sweep();

 private:
  struct Course;
  using CoursePtr = std::shared_ptr<Course>;

  /// Runs `job` on a worker, then `then` on io. It holds no folders: what io runs no more would keep them, and they keep io.
  template <class T, class Job, class Then>
  void onWorker(Job job, Then then);
  void fetchNext(const CoursePtr& course);
  void fetched(const CoursePtr& course, const std::filesystem::path& file, const Status& status);
  void finish(const CoursePtr& course);

  const std::shared_ptr<skillfiles::SkillStages> stages_;
  const std::filesystem::path fetching_;
  const With with_;
};

}  // namespace svc::agentd
