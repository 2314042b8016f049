#include "contract/storage/key_value_store_contract.h"
#include "contract/storage/plugin_store_contract.h"
#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, KeyValueStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, PluginStoreContract, StoreFixture);

}  // namespace
}  // namespace svc::storage
