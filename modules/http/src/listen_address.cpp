#include "listen_address.h"

namespace svc::http {

using Tcp = boost::asio::ip::tcp;

Tcp::endpoint listenEndpoint(boost::asio::io_context& context, std::string host, std::uint16_t port,
                             boost::system::error_code& failure) {
  Tcp::resolver resolver(context);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  const auto found = resolver.resolve(
      host, std::to_string(port), Tcp::resolver::passive | Tcp::resolver::numeric_service, failure);
  if (!failure && found.empty()) {
    failure = boost::asio::error::host_not_found;
  }
  return failure ? Tcp::endpoint() : found.begin()->endpoint();
}

}  // namespace svc::http
