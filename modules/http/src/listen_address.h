#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace svc::http {

/// Where `listen.host` and a port lead; an IPv6 address may have brackets. Looks names up, which blocks.
[[nodiscard]] boost::asio::ip::tcp::endpoint listenEndpoint(boost::asio::io_context& context,
                                                            std::string host, std::uint16_t port,
                                                            boost::system::error_code& failure);

}  // namespace svc::http
