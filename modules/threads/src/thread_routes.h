#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/projects/projects.h"
#include "svc/realtime/realtime.h"

#include "event_log.h"
#include "interaction_desk.h"
#include "kept_timelines.h"
#include "message_queue.h"
#include "read_lane.h"
#include "thread_extras.h"
#include "thread_folders.h"
#include "thread_records.h"
#include "turn_runner.h"

namespace svc::threads {

/// What is around threads.
struct Surroundings {
  ThreadFolders& folders;
  realtime::IRealtimeHub* hub = nullptr;  ///< nullptr: no window is told
  /// The machine of the server; empty where none is known.
  std::function<std::string()> server_host = [] { return std::string(); };
  /// `unknown_plugin` for an id that no installed plugin has.
  std::function<Status(const std::string& plugin_id)> check_plugin = [](const std::string&) {
    return Status();
  };
};

/// What the routes answer from.
struct Desk {
  ThreadBook& book;
  ThreadRecords& records;
  ThreadExtras& extras;
  MessageQueue& queue;
  InteractionDesk& interactions;
  EventLog& log;
  TurnRunner& runner;
  LiveTexts& live;
  KeptTimelines& timelines;
  Surroundings around;
};

/// /api/v1/threads and /api/v1/thread-sections. Requests arrive on the io thread; what blocks is done on a worker. The collaborators
/// outlive the routes and their jobs.
class ThreadRoutes {
 public:
  ThreadRoutes(IWorkerPool& workers, Desk desk, const projects::IProjects& projects)
      : workers_(workers), reads_(workers), desk_(desk), projects_(projects) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);
  /// The server goes down: reads that may take long are answered with `unavailable`, also those that run.
  void close() { reads_.close(); }

 private:
  using Work = void (ThreadRoutes::*)(const http::ExchangePtr& exchange);
  struct Entry {
    const char* method;
    const char* pattern;
    Work work;
  };
  /// What may take long gives up when a stop is requested.
  using Read = void (ThreadRoutes::*)(const http::ExchangePtr& exchange,
                                      const std::stop_token& stop);
  struct ReadEntry {
    const char* pattern;
    Read read;
  };
  [[nodiscard]] static std::vector<ReadEntry> readEntries();
  [[nodiscard]] Status attachReads();
  void onReadLane(const http::ExchangePtr& exchange, Read read);
  [[nodiscard]] static std::vector<Entry> recordEntries();
  [[nodiscard]] static std::vector<Entry> spawnEntries();
  [[nodiscard]] static std::vector<Entry> turnEntries();
  [[nodiscard]] static std::vector<Entry> sideEntries();
  [[nodiscard]] static std::vector<Entry> neighbourEntries();

  void purge();
  /// The plugin that the path names, when it is installed; the exchange is answered otherwise.
  [[nodiscard]] std::optional<std::string> pluginIn(const http::ExchangePtr& exchange);
  [[nodiscard]] Result<std::string> folderOf(const http::ExchangePtr& exchange);
  void listStorage(const http::ExchangePtr& exchange, const char* route, bool paths);

  void list(const http::ExchangePtr& exchange);
  void show(const http::ExchangePtr& exchange);
  void open(const http::ExchangePtr& exchange);
  void storageFiles(const http::ExchangePtr& exchange);
  void storagePaths(const http::ExchangePtr& exchange);
  void storageLocation(const http::ExchangePtr& exchange);
  void projectHistory(const http::ExchangePtr& exchange);
  void archiveAllOf(const http::ExchangePtr& exchange);
  /// With all that are below them, after a stop of those that work.
  void archiveEach(const http::ExchangePtr& exchange, std::vector<std::string> thread_ids);
  void update(const http::ExchangePtr& exchange);
  void remove(const http::ExchangePtr& exchange);
  void archive(const http::ExchangePtr& exchange);
  void unarchive(const http::ExchangePtr& exchange);
  void pin(const http::ExchangePtr& exchange);
  void unpin(const http::ExchangePtr& exchange);
  void markRead(const http::ExchangePtr& exchange);
  void markUnread(const http::ExchangePtr& exchange);
  void reorderPinned(const http::ExchangePtr& exchange);
  void search(const http::ExchangePtr& exchange);
  void mentions(const http::ExchangePtr& exchange);
  [[nodiscard]] Status knowsSender(const SendRequest& wanted) const;
  void childSummary(const http::ExchangePtr& exchange);

  void make(const http::ExchangePtr& exchange, SpawnRequest wanted);
  void spawn(const http::ExchangePtr& exchange);
  void send(const http::ExchangePtr& exchange);
  void retry(const http::ExchangePtr& exchange);
  void stop(const http::ExchangePtr& exchange);
  void fork(const http::ExchangePtr& exchange);
  void compact(const http::ExchangePtr& exchange);
  void editMessage(const http::ExchangePtr& exchange);
  void output(const http::ExchangePtr& exchange);
  void timeline(const http::ExchangePtr& exchange, const std::stop_token& stop);
  void turnRows(const http::ExchangePtr& exchange, const std::stop_token& stop);
  void outline(const http::ExchangePtr& exchange, const std::stop_token& stop);
  void promptHistory(const http::ExchangePtr& exchange);
  void executionOptions(const http::ExchangePtr& exchange);
  void events(const http::ExchangePtr& exchange);
  void waitForEvent(const http::ExchangePtr& exchange);

  void interactions(const http::ExchangePtr& exchange);
  void interaction(const http::ExchangePtr& exchange);
  void resolve(const http::ExchangePtr& exchange);
  void respondTo(const http::ExchangePtr& exchange);
  void cancel(const http::ExchangePtr& exchange);
  void queued(const http::ExchangePtr& exchange);
  void createQueued(const http::ExchangePtr& exchange);
  void updateQueued(const http::ExchangePtr& exchange);
  void removeQueued(const http::ExchangePtr& exchange);
  void sendQueued(const http::ExchangePtr& exchange);
  void reorderQueued(const http::ExchangePtr& exchange);
  void groupQueued(const http::ExchangePtr& exchange);
  void tabs(const http::ExchangePtr& exchange);
  void setTabs(const http::ExchangePtr& exchange);
  void metadata(const http::ExchangePtr& exchange);
  void setMetadata(const http::ExchangePtr& exchange);
  void sections(const http::ExchangePtr& exchange);
  void createSection(const http::ExchangePtr& exchange);
  void renameSection(const http::ExchangePtr& exchange);
  void removeSection(const http::ExchangePtr& exchange);

  IWorkerPool& workers_;
  ReadLane reads_;
  const Desk desk_;
  const projects::IProjects& projects_;
  http::IHttpServer* server_ = nullptr;  ///< whose other routes are asked
  std::vector<Handle> routes_;
};

}  // namespace svc::threads
