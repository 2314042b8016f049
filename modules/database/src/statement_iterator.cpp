#include "class_builder.h"
#include "connection.h"
#include "databases.h"
#include "statement.h"
#include "text.h"

namespace svc::database {

v8::Local<v8::FunctionTemplate> StatementIterator::makeClass(v8::Isolate* isolate) {
  return ClassBuilder<StatementIterator>(isolate, "StatementIterator",
                                         [](const Arguments& arguments) {
                                           throwTypeError(arguments.GetIsolate(),
                                                          "Illegal constructor");
                                         })
      .property<&StatementIterator::statementProperty>("statement")
      .method<&StatementIterator::next>("next")
      .method<&StatementIterator::finish>("return")
      .method<&StatementIterator::itself>(v8::Symbol::GetIterator(isolate))
      .result();
}

StatementIterator::StatementIterator(Statement& statement, v8::Local<v8::Object> object)
    : Wrapped(statement.databases(), object), statement_(&statement) {}

StatementIterator::~StatementIterator() {
  if (statement_ != nullptr) {
    statement_->endIteration();
  }
}

void StatementIterator::answer(const Arguments& arguments, v8::Local<v8::Value> value,
                               bool done) const {
  arguments.GetReturnValue().Set(
      databases().iteratorResult(value, v8::Boolean::New(isolate(), done)));
}

void StatementIterator::next(const Arguments& arguments) {
  if (statement_ == nullptr) {
    answer(arguments, v8::Undefined(isolate()), true);
    return;
  }
  if (!statement_->connection().requireNotExecuting()) {
    return;
  }
  v8::Local<v8::Value> row;
  if (!statement_->nextRow(row)) {
    return;  // what is thrown would be lost with the next call of a script
  }
  const bool done = row.IsEmpty();
  answer(arguments, done ? v8::Undefined(isolate()).As<v8::Value>() : row, done);
}

void StatementIterator::finish(const Arguments& arguments) {
  if (statement_ != nullptr) {
    if (!statement_->connection().requireNotExecuting()) {
      return;
    }
    statement_->endIteration();
  }
  answer(arguments, v8::Undefined(isolate()), true);
}

void StatementIterator::itself(const Arguments& arguments) {
  arguments.GetReturnValue().Set(arguments.This());
}

v8::Local<v8::Value> StatementIterator::statementProperty() const {
  return object()->GetInternalField(kOwner).As<v8::Value>();
}

}  // namespace svc::database
