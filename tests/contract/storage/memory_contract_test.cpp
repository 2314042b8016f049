#include "contract/storage/key_value_store_contract.h"
#include "contract/storage/plugin_store_contract.h"
#include "memory_store.h"

namespace svc::storage {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, KeyValueStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, PluginStoreContract, storage_memory::MemoryStore);

}  // namespace
}  // namespace svc::storage
