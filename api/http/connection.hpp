#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "api/http/message.hpp"
#include "api/http/request_input.hpp"
#include "api/http/server.hpp"

namespace waybill::api {

using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;

/// An IPv4 address that the socket maps to IPv6 is written as IPv4.
std::string address_text(const asio::ip::address& address);

/// One client's connection: reads requests, has them answered one after another, and writes the answers to
/// pipelined requests together. Used on one io thread only. It has no timer: the io thread calls
/// close_if_late regularly.
class Connection {
 public:
  using Steady = std::chrono::steady_clock;

  /// The io thread, as its connections see it.
  class Host {
   public:
    virtual ~Host() = default;
    virtual Responder& responder() = 0;
    virtual std::string_view date() = 0;
    virtual bool stopping() const = 0;
    /// The connection begins to wait for a request, or to work.
    virtual void begins_to_wait(Connection& connection) = 0;
    /// It begins to wait for its client during a request.
    virtual void begins_to_stall(Connection& connection) = 0;
    virtual void begins_to_work(Connection& connection) = 0;
  };
  /// The position in the ConnectionLists of the io thread.
  struct Place {
    std::list<Connection*>* list = nullptr;
    std::list<Connection*>::iterator at;
    Steady::time_point since;
  };

  Connection(Socket socket, Host& host, const HttpLimits& limits);

  /// Serves requests until either side closes. A client cannot make it throw.
  asio::awaitable<void> serve();
  /// Answers with `failure` without reading a request, and closes.
  asio::awaitable<void> refuse(Failure failure);

  /// Closes the connection if its deadline has passed.
  void close_if_late(Steady::time_point now);
  /// Closes the connection, after its request in flight if there is one. A new connection has 250 ms more to
  /// send its first request.
  void finish();
  void close();

  Place place;  // set by ConnectionLists

 private:
  class Body;
  enum class Next { request, closed };

  asio::awaitable<Next> read_head();
  void set_awaits_request(bool awaits);
  asio::awaitable<bool> handle();
  asio::awaitable<std::string> read_body(std::size_t limit, const RequestBody::Sized& sized);
  asio::awaitable<bool> feed_body(const std::function<void(std::size_t framing)>& received);
  bool rest_of_body_is_short() const;
  void end_request();
  asio::awaitable<bool> read_more(boost::beast::flat_buffer& buffer, std::size_t size,
                                  Steady::time_point ends_at);
  asio::awaitable<bool> flush(Response* large = nullptr);
  asio::awaitable<bool> write_rest(Response* large, std::size_t written);
  asio::awaitable<void> linger();

  Socket socket_;
  Host& host_;
  const HttpLimits& limits_;
  std::string peer_;
  Steady::time_point deadline_ = Steady::time_point::max();
  bool awaits_request_ = false;  // no byte of the next request has arrived
  RequestInput input_;
  bool body_failed_ = false;   // reading it began and did not succeed
  bool body_awaited_ = false;  // a part of it was waited for
  std::string out_;
  Client client_;
  bool first_request_ = true;
};

}  // namespace waybill::api
