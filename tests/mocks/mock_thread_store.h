#pragma once

#include <gmock/gmock.h>

#include "svc/storage/thread_store.h"

namespace svc::storage {

class MockThreadStore : public IThreadStore {
 public:
  MockThreadStore();
  ~MockThreadStore() override;

  MOCK_METHOD(Result<std::vector<ThreadRow>>, threads, (), (override));
  MOCK_METHOD(Result<std::vector<TurnRow>>, turns, (const std::string& thread_id), (override));
  MOCK_METHOD(Result<std::vector<TurnRow>>, openTurns, (), (override));
  MOCK_METHOD(Result<std::vector<QueuedMessageRow>>, queuedMessages, (), (override));
  MOCK_METHOD(Result<std::vector<InteractionRow>>, openInteractions, (), (override));
  MOCK_METHOD(Result<std::optional<InteractionRow>>, interaction,
              (const std::string& interaction_id), (override));
  MOCK_METHOD(Result<std::vector<ThreadSectionRow>>, sections, (), (override));
  MOCK_METHOD(Result<ThreadTabsRow>, tabs, (const std::string& thread_id), (override));
  MOCK_METHOD(Result<std::string>, metadata,
              (const std::string& thread_id, const std::string& plugin_id), (override));
  MOCK_METHOD(Result<std::vector<ThreadMetadataRow>>, allMetadata, (const std::string& thread_id),
              (override));
  MOCK_METHOD(Result<std::size_t>, threadsWithMetadata, (const std::string& plugin_id), (override));
  MOCK_METHOD(Result<std::vector<ThreadEventRow>>, events, (const ThreadEventQuery& query),
              (override));
  MOCK_METHOD(Result<std::vector<ThreadEventRow>>, findEvents,
              (const std::string& text, const std::vector<std::string>& types, std::size_t limit),
              (override));
  MOCK_METHOD(Result<bool>, apply, (const ThreadChange& change), (override));
};

}  // namespace svc::storage
