#include "databases.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "backup.h"
#include "connection.h"
#include "result_codes.h"
#include "statement.h"
#include "text.h"
#include "vfs.h"

namespace svc::database {

namespace {

/// Kinds of rows that are remembered; a plugin that makes up statements all the time starts afresh.
constexpr std::size_t kMostRowFactories = 500;
constexpr int kPrimaryCode = 0xFF;

std::string sizeText(std::size_t bytes) {
  constexpr double kKiB = 1024;
  const auto kibibytes = static_cast<double>(bytes) / kKiB;
  return kibibytes < kKiB ? fmt::format("{:.1f} KiB", kibibytes)
                          : fmt::format("{:.1f} MiB", kibibytes / kKiB);
}

Databases& self(const Arguments& arguments) {
  return *static_cast<Databases*>(arguments.Data().As<v8::External>()->Value());
}

}  // namespace

Databases::Databases(DatabaseBudget budget)
    : budget_(std::move(budget)),
      memory_(MemoryAccount::open(budget_.bytes)),
      collect_above_(budget_.bytes / 2) {}
Databases::~Databases() = default;

void Databases::install(v8::Isolate* isolate, v8::Local<v8::Context> context,
                        v8::Local<v8::Object> exports) {
  isolate_ = isolate;
  setSleepCancelled(&stopping_);
  MemoryAccount::enter(memory_.get());
  connection_class_.Reset(isolate, Connection::makeClass(isolate));
  statement_class_.Reset(isolate, Statement::makeClass(isolate));
  iterator_class_.Reset(isolate, StatementIterator::makeClass(isolate));
  backup_class_.Reset(isolate, Backup::makeClass(isolate));
  const auto add = [&](const char* name, v8::FunctionCallback callback) {
    const auto function = v8::Function::New(context, callback, v8::External::New(isolate, this), 0,
                                            v8::ConstructorBehavior::kThrow)
                              .ToLocalChecked();
    exports->Set(context, literal(isolate, name), function).Check();
  };
  add("setErrorClass", setErrorClass);
  add("open", open);
  add("closeAll", closeAll);
}

void Databases::interrupt() {
  stopping_.store(true);
  {
    const std::lock_guard lock(mutex_);
    for (auto* handle : open_) {
      sqlite3_interrupt(handle);
    }
  }
  // A script thread that ends its own environment may have met a fatal error of V8, and gets no further than this.
  if (MemoryAccount::ofThisThread() == memory_.get()) {
    closeIdle();
  }
}

void Databases::closeIdle() {
  for (auto* object : objects_) {
    auto* connection = object->asConnection();
    if (connection != nullptr && !connection->isExecuting()) {
      connection->shut();
    }
  }
}

void Databases::report(script::ScriptStats& stats) const {
  stats.database_bytes += memory_->used();
  stats.database_connections += openConnections();
  stats.descriptors += memory_->openFiles();
}

void Databases::close() {
  doomed_.clear();
  while (!objects_.empty()) {
    const std::unique_ptr<Wrapped> object(*objects_.begin());
    objects_.erase(objects_.begin());
  }
  setSleepCancelled(nullptr);
  MemoryAccount::enter(nullptr);
  row_factories_.clear();
  for (auto* function : {&error_class_, &run_result_, &iterator_result_}) {
    function->Reset();
  }
  for (auto* made : {&connection_class_, &statement_class_, &iterator_class_, &backup_class_}) {
    made->Reset();
  }
}

void Databases::keep(std::unique_ptr<Wrapped> object) { objects_.insert(object.release()); }

void Databases::deleteDoomed() {
  for (auto* object : std::exchange(doomed_, {})) {
    objects_.erase(object);
    delete object;
  }
}

void Databases::collect() {
  isolate_->LowMemoryNotification();
  sweep();
}

bool Databases::requireRoom() {
  sweep();
  // V8 does not know what SQLite holds for an object, so it sees no reason to collect.
  if (budget_.bytes > 0 && memory_->used() > collect_above_) {
    collect();
    collect_above_ = std::max(budget_.bytes / 2, memory_->used() + budget_.bytes / 8);
  }
  if (budget_.connections == 0 || openConnections() < budget_.connections) {
    return true;
  }
  collect();
  if (openConnections() < budget_.connections) {
    return true;
  }
  v8::Local<v8::Value> error;
  if (sqliteError(fmt::format("the plugin {} has {} database connections open, the limit is {}: "
                              "close those that it does not need any more",
                              budget_.plugin_id, openConnections(), budget_.connections),
                  "SQLITE_CANTOPEN")
          .ToLocal(&error)) {
    isolate_->ThrowException(error);
  }
  return false;
}

std::size_t Databases::openConnections() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

void Databases::track(sqlite3& handle) {
  const std::lock_guard lock(mutex_);
  open_.insert(&handle);
}

void Databases::untrack(sqlite3& handle) {
  const std::lock_guard lock(mutex_);
  open_.erase(&handle);
}

v8::Local<v8::FunctionTemplate> Databases::connectionClass() const {
  return connection_class_.Get(isolate_);
}
v8::Local<v8::FunctionTemplate> Databases::statementClass() const {
  return statement_class_.Get(isolate_);
}
v8::Local<v8::FunctionTemplate> Databases::iteratorClass() const {
  return iterator_class_.Get(isolate_);
}
v8::Local<v8::FunctionTemplate> Databases::backupClass() const {
  return backup_class_.Get(isolate_);
}

v8::MaybeLocal<v8::Function> Databases::rowFactory(int columns, const std::string& body) {
  if (const auto known = row_factories_.find(body); known != row_factories_.end()) {
    return known->second.Get(isolate_);
  }
  std::vector<v8::Local<v8::String>> parameters;
  parameters.reserve(static_cast<std::size_t>(columns));
  for (int column = 0; column < columns; ++column) {
    parameters.push_back(literal(isolate_, "c" + std::to_string(column)));
  }
  v8::Local<v8::String> text;
  v8::Local<v8::Function> function;
  if (!newText(isolate_, "return " + body).ToLocal(&text)) {
    return {};
  }
  v8::ScriptCompiler::Source source(text);
  if (!v8::ScriptCompiler::CompileFunction(isolate_->GetCurrentContext(), &source,
                                           parameters.size(), parameters.data())
           .ToLocal(&function)) {
    return {};
  }
  if (row_factories_.size() >= kMostRowFactories) {
    row_factories_.clear();
  }
  row_factories_.emplace(body, v8::Global<v8::Function>(isolate_, function));
  return function;
}

v8::Local<v8::Value> Databases::makePair(v8::Global<v8::Function>& factory, const char* body,
                                         v8::Local<v8::Value> first, v8::Local<v8::Value> second) {
  v8::Local<v8::Function> make;
  if (!factory.IsEmpty()) {
    make = factory.Get(isolate_);
  } else if (rowFactory(2, body).ToLocal(&make)) {
    factory.Reset(isolate_, make);
  }
  v8::Local<v8::Value> made;
  v8::Local<v8::Value> members[] = {first, second};
  const bool ok =
      !make.IsEmpty() &&
      make->Call(isolate_->GetCurrentContext(), v8::Undefined(isolate_), 2, members).ToLocal(&made);
  // Without an object V8 is ending, and nobody looks at the answer.
  return ok ? made : v8::Undefined(isolate_).As<v8::Value>();
}

v8::Local<v8::Value> Databases::runResult(v8::Local<v8::Value> changes,
                                          v8::Local<v8::Value> row_id) {
  return makePair(run_result_, "{changes:c0,lastInsertRowid:c1}", changes, row_id);
}

v8::Local<v8::Value> Databases::iteratorResult(v8::Local<v8::Value> value,
                                               v8::Local<v8::Value> done) {
  return makePair(iterator_result_, "{value:c0,done:c1}", value, done);
}

v8::MaybeLocal<v8::Value> Databases::sqliteError(std::string_view message,
                                                 std::string_view code) const {
  v8::Local<v8::String> text;
  if (!newText(isolate_, message).ToLocal(&text)) {
    return {};
  }
  v8::Local<v8::Value> arguments[] = {text, literal(isolate_, code)};
  v8::Local<v8::Object> error;
  if (!error_class_.Get(isolate_)
           ->NewInstance(isolate_->GetCurrentContext(), 2, arguments)
           .ToLocal(&error)) {
    return {};
  }
  return error;
}

void Databases::throwFailure(sqlite3* handle) {
  const int code = handle == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(handle);
  if ((code & kPrimaryCode) == SQLITE_NOMEM) {
    throwMemoryError();
    return;
  }
  v8::Local<v8::Value> error;
  if (sqliteError(sqlite3_errmsg(handle), resultName(code)).ToLocal(&error)) {
    isolate_->ThrowException(error);
  }
}

v8::MaybeLocal<v8::Value> Databases::memoryError() {
  const auto [used, wanted] = memory_->takeRefusal();
  const auto text =
      wanted == 0 ? std::string("out of memory")
                  : fmt::format(
                        "the databases of the plugin {} use {} and need {} more, the limit is {}: "
                        "close databases{}",
                        budget_.plugin_id, sizeText(used), sizeText(wanted),
                        budget_.setting.empty()
                            ? sizeText(budget_.bytes)
                            : fmt::format("{} = {}", budget_.setting, budget_.bytes >> 20U),
                        budget_.setting.empty()
                            ? " or keep less in memory"
                            : ", keep less in memory, or raise it in plugins.overrides");
  return sqliteError(text, resultName(SQLITE_NOMEM));
}

void Databases::throwMemoryError() {
  v8::Local<v8::Value> error;
  if (memoryError().ToLocal(&error)) {
    isolate_->ThrowException(error);
  }
}

// ---- what the part calls -----------------------------------------------------------------------------------------

/// (class)
void Databases::setErrorClass(const Arguments& arguments) {
  self(arguments).error_class_.Reset(arguments.GetIsolate(), arguments[0].As<v8::Function>());
}

/// (path, readonly, mustExist, private, timeout, verbose?, bytes?, bytesReadonly?): a Connection
void Databases::open(const Arguments& arguments) {
  auto& databases = self(arguments);
  auto* isolate = arguments.GetIsolate();
  if (!databases.requireRoom()) {
    return;
  }
  OpenOptions options;
  options.path = utf8Of(isolate, arguments[0].As<v8::String>());
  options.readonly = arguments[1]->IsTrue();
  options.must_exist = arguments[2]->IsTrue();
  options.is_private = arguments[3]->IsTrue();
  options.busy_timeout_ms = arguments[4].As<v8::Int32>()->Value();
  auto* connection = Connection::open(databases, options);
  if (connection == nullptr) {
    return;
  }
  if (arguments[6]->IsArrayBufferView() &&
      !connection->load(arguments[6].As<v8::ArrayBufferView>(), arguments[7]->IsTrue())) {
    connection->shut();
    return;
  }
  if (arguments[5]->IsFunction()) {
    connection->setVerbose(arguments[5].As<v8::Function>());
  }
  arguments.GetReturnValue().Set(connection->object());
}

void Databases::closeAll(const Arguments& arguments) {
  auto& databases = self(arguments);
  databases.sweep();
  databases.closeIdle();
}

}  // namespace svc::database
