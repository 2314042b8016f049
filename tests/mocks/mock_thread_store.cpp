#include "mocks/mock_thread_store.h"

namespace svc::storage {

// What is asked for without an expectation is not there.
MockThreadStore::MockThreadStore() {
  ON_CALL(*this, threadsWithMetadata).WillByDefault(::testing::Return(std::size_t{0}));
  ON_CALL(*this, apply).WillByDefault(::testing::Return(true));
}
MockThreadStore::~MockThreadStore() = default;

}  // namespace svc::storage
