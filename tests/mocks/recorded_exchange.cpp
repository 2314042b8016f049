#include "mocks/recorded_exchange.h"

namespace svc::test {

RecordedExchange::RecordedExchange(http::Request sent) : request_(std::move(sent)) {
  using ::testing::ReturnRef;
  ON_CALL(*this, request).WillByDefault(ReturnRef(request_));
  ON_CALL(*this, disconnected).WillByDefault([this] { return client_.get_token(); });
  ON_CALL(*this, respond).WillByDefault([this](http::Response response) {
    ++answers;
    if (!answer) {
      answer = std::move(response);
    }
  });
  ON_CALL(*this, begin).WillByDefault([this](http::Response response) {
    head = std::move(response);
  });
  ON_CALL(*this, write(::testing::_)).WillByDefault([this](std::string piece) {
    written += piece;
  });
  ON_CALL(*this, write(::testing::_, ::testing::_))
      .WillByDefault([this](std::string piece, Completion<void> taken) {
        written += piece;
        taken({});
      });
  ON_CALL(*this, finish).WillByDefault([this] { ended = true; });
  ON_CALL(*this, abort).WillByDefault([this] { aborted = true; });
}
RecordedExchange::~RecordedExchange() = default;

RecordedRoutes::RecordedRoutes() {
  ON_CALL(*this, route)
      .WillByDefault([this](http::Route route, http::Handler handler) -> Result<Handle> {
        const auto key = route.method + " " + route.pattern;
        (*handlers_)[key] = {std::move(route), std::move(handler)};
        return Handle([handlers = handlers_, key] { handlers->erase(key); });
      });
}
RecordedRoutes::~RecordedRoutes() = default;

}  // namespace svc::test
