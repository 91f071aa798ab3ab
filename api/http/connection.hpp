#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/optional.hpp>

#include "api/http/message.hpp"
#include "api/http/request_parser.hpp"
#include "api/http/server.hpp"

namespace waybill::api {

using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;

/// A client of IPv4 has one name, whatever the socket listens on.
std::string address_text(const asio::ip::address& address);

/// One client's connection: reads requests, has them answered one after another, and writes the answers of
/// those that came in one piece in one piece. Lives on one io thread. It has no timer of its own: the io
/// thread asks it from time to time whether it is late.
class Connection {
 public:
  using Steady = std::chrono::steady_clock;

  /// What the io thread offers to its connections.
  class Host {
   public:
    virtual ~Host() = default;
    virtual Responder& responder() = 0;
    virtual std::string_view date() = 0;
    virtual bool stopping() const = 0;
    /// The connection begins or ends to wait for a request.
    virtual void waits(Connection& connection) = 0;
    virtual void works(Connection& connection) = 0;
  };
  /// Where its io thread has it.
  struct Place {
    std::list<Connection*>* list = nullptr;
    std::list<Connection*>::iterator at;
    Steady::time_point since;
  };

  Connection(Socket socket, Host& host, const HttpLimits& limits);

  /// Until either side closes. Throws nothing a client can cause.
  asio::awaitable<void> serve();
  /// Answers whatever is sent with `failure`, and closes.
  asio::awaitable<void> refuse(Failure failure);

  /// Closes the connection when its time is up.
  void close_if_late(Steady::time_point now);
  /// Lets the request in flight finish, and closes.
  void finish();
  void close();

  Place place;  // the io thread's

 private:
  class Body;
  enum class Next { request, closed };

  asio::awaitable<Next> read_head();
  void await_request(bool awaits);
  bool parse_head();
  asio::awaitable<bool> handle();
  asio::awaitable<std::string> read_body(std::size_t limit);
  asio::awaitable<bool> feed_body();
  bool rest_of_body_is_short() const;
  bool body_is_complete() const { return parser_->is_done(); }
  void end_request();
  asio::awaitable<bool> read_more(boost::beast::flat_buffer& buffer, std::size_t size,
                                  Steady::time_point ends_at);
  asio::awaitable<bool> flush();
  asio::awaitable<void> linger();

  Socket socket_;
  Host& host_;
  const HttpLimits& limits_;
  std::string peer_;
  Steady::time_point deadline_ = Steady::time_point::max();
  bool awaits_request_ = false;  // nothing of the next one has come

  // The head stays where it is while its request is answered, as views point into it; what belongs to a body
  // that did not come with it goes through a buffer of its own.
  boost::beast::flat_buffer in_;
  boost::beast::flat_buffer body_in_;
  std::size_t scanned_ = 0;
  std::size_t head_size_ = 0;
  std::size_t body_used_ = 0;              // bytes of the body taken out of in_, behind the head
  bool body_failed_ = false;               // reading it was begun and went wrong
  boost::optional<RequestParser> parser_;  // made anew for each request
  std::string out_;
  bool first_request_ = true;
};

}  // namespace waybill::api
