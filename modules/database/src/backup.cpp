#include "backup.h"

#include <memory>
#include <utility>

#include "class_builder.h"
#include "connection.h"
#include "databases.h"
#include "text.h"
#include "vfs.h"

namespace svc::database {

v8::Local<v8::FunctionTemplate> Backup::makeClass(v8::Isolate* isolate) {
  return ClassBuilder<Backup>(isolate, "Backup",
                              [](const Arguments& arguments) {
                                throwTypeError(arguments.GetIsolate(), "Illegal constructor");
                              })
      .method<&Backup::step>("step")
      .method<&Backup::finishMethod>("finish")
      .result();
}

void Backup::begin(Connection& source, const Arguments& arguments) {
  auto* isolate = arguments.GetIsolate();
  const auto schema = utf8Of(isolate, arguments[0].As<v8::String>());
  const auto path = utf8Of(isolate, arguments[1].As<v8::String>());
  if (!source.databases().requireRoom() || !source.requireOpen()) {
    return;
  }
  sqlite3* target = nullptr;
  const int status = sqlite3_open_v2(
      path.c_str(), &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
      pluginVfs());
  sqlite3_backup* handle = nullptr;
  if (status == SQLITE_OK) {
    sqlite3_extended_result_codes(target, 1);
    handle = sqlite3_backup_init(target, "main", source.handle(), schema.c_str());
  }
  v8::Local<v8::Object> object;
  if (handle == nullptr) {
    source.databases().throwFailure(target);
  } else if (source.databases()
                 .backupClass()
                 ->InstanceTemplate()
                 ->NewInstance(isolate->GetCurrentContext())
                 .ToLocal(&object)) {
    source.databases().keep(std::make_unique<Backup>(source, object, target, handle));
    arguments.GetReturnValue().Set(object);
    return;
  }
  sqlite3_backup_finish(handle);
  sqlite3_close(target);
}

Backup::Backup(Connection& source, v8::Local<v8::Object> object, sqlite3* target,
               sqlite3_backup* handle)
    : Wrapped(source.databases(), object), source_(&source), target_(target), handle_(handle) {
  source.add(*this);
  databases().track(*target);
}

Backup::~Backup() { finish(); }

void Backup::finish() {
  if (auto* source = std::exchange(source_, nullptr)) {
    source->remove(*this);
    sqlite3_backup_finish(std::exchange(handle_, nullptr));
    databases().untrack(*target_);
    sqlite3_close(std::exchange(target_, nullptr));
  }
}

/// (pages): [pages in all, pages left, done, locked]. A target or source in use makes no progress.
void Backup::step(const Arguments& arguments) {
  if (source_ == nullptr) {
    throwTypeError(isolate(), "The database connection is not open");
    return;
  }
  if (!source_->requireNotExecuting()) {
    return;
  }
  const int status = sqlite3_backup_step(handle_, arguments[0].As<v8::Int32>()->Value());
  const int kind = status & 0xFF;
  const bool is_locked = kind == SQLITE_BUSY || kind == SQLITE_LOCKED;
  if (kind != SQLITE_OK && kind != SQLITE_DONE && !is_locked) {
    sqlite3_backup_finish(std::exchange(handle_, nullptr));  // moves the error to the target
    databases().throwFailure(target_);
    finish();
    return;
  }
  v8::Local<v8::Value> counts[] = {v8::Number::New(isolate(), sqlite3_backup_pagecount(handle_)),
                                   v8::Number::New(isolate(), sqlite3_backup_remaining(handle_)),
                                   v8::Boolean::New(isolate(), kind == SQLITE_DONE),
                                   v8::Boolean::New(isolate(), is_locked)};
  if (kind == SQLITE_DONE) {
    finish();
  }
  arguments.GetReturnValue().Set(v8::Array::New(isolate(), counts, std::size(counts)));
}

void Backup::finishMethod(const Arguments& /*arguments*/) { finish(); }

}  // namespace svc::database
