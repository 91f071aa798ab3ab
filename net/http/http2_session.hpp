#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nghttp2/nghttp2.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http/received_response.hpp"
#include "net/http/started_request.hpp"

namespace waybill::net {

/// The client's side of an HTTP/2 connection (RFC 9113): requests and answers in, bytes out, and the reverse.
/// libnghttp2 reads and writes the frames. The server cannot push. Pure. One thread.
class Http2Session {
 public:
  /// A request on its stream, and its answer. It must exist until it is in `take_ended` or `cancel` was
  /// called.
  struct Exchange : StartedRequest {
    ReceivedResponse received;
    int status = 0;          // of the answer's last head; interim ones are below 200
    bool has_begun = false;  // a frame of the answer has arrived
    std::int32_t stream = 0;
    std::size_t sent = 0;  // bytes of the body
  };

  enum class End {
    answered,
    cut,        // the body exceeds its limit; the answer is valid
    too_large,  // the headers exceed their limit
    refused,    // the server has not processed the request
    reset,      // the server ended the stream; `code` says why
  };
  struct Ended {
    Exchange* exchange = nullptr;
    End end = End::answered;
    std::uint32_t code = 0;  // of RST_STREAM
  };

  /// Throws std::bad_alloc.
  explicit Http2Session(std::string user_agent);
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  /// True once the server has said how many requests it takes at a time. Before, one is sent.
  bool has_settings() const { return has_settings_; }
  /// True if the server accepts another request now.
  bool has_free_stream() const;
  /// False if the server accepts no more requests on this connection, ever.
  bool is_open() const;
  /// The number of exchanges that have not ended.
  std::size_t open_exchanges() const { return open_; }

  enum class Begun { yes, unsendable, connection_over };
  /// Begins a request. Not after the end of another one of the same exchange without a new `received`.
  Begun send(Exchange& exchange);

  /// Ends an exchange without its answer. It is not in `take_ended`.
  void cancel(Exchange& exchange);

  /// Takes bytes of the server. Returns false if they break the protocol, or if the server has sent too many
  /// frames that bring nothing (`is_flooded`); the connection must then be closed after `write`.
  bool take(std::string_view bytes);
  bool is_flooded() const { return free_frames_ < 0; }

  /// Appends the next frames to `out`, until it has `enough` bytes or none are left.
  void write(std::string& out, std::size_t enough);

  bool has_ended() const { return !ended_.empty(); }
  /// The exchanges that ended since the last call, in `take` or in `write`.
  std::vector<Ended> take_ended() { return std::exchange(ended_, {}); }

 private:
  /// The frames that bring nothing while no request is sent: settings, pings, windows.
  static constexpr std::int64_t most_free_frames = 1'000;

  struct Free {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  static Http2Session& self(void* user_data) { return *static_cast<Http2Session*>(user_data); }
  static nghttp2_session_callbacks* callbacks();
  static int on_header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t flags, void* user_data);
  static int on_data(nghttp2_session*, std::uint8_t flags, std::int32_t stream, const std::uint8_t* data,
                     std::size_t size, void* user_data);
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user_data);
  static int on_closed(nghttp2_session*, std::int32_t stream, std::uint32_t code, void* user_data);
  static ssize_t read_body(nghttp2_session*, std::int32_t stream, std::uint8_t* buffer, std::size_t size,
                           std::uint32_t* flags, nghttp2_data_source* source, void* user_data);

  /// Counts the frames that a server begins, also those that libnghttp2 ignores.
  class FrameCount {
   public:
    /// Returns the number of frames whose headers end in the next bytes.
    std::int64_t take(std::string_view bytes);

   private:
    static constexpr std::size_t header_size = 9;  // RFC 9113 section 4.1

    std::size_t header_bytes_ = 0;  // of the header that is being read
    std::array<unsigned char, 3> length_{};
    std::size_t payload_ = 0;  // bytes that are left
  };

  Exchange* exchange_of(std::int32_t stream) const;
  void add_header(std::string_view name, std::string_view value);
  void add(std::string_view name, std::string_view value, std::uint8_t flags);
  void finish(Exchange& exchange, End end, std::uint32_t code = 0);
  void abort(Exchange& exchange, End end);
  void reset(std::int32_t stream, std::uint32_t code);

  const std::string user_agent_;
  std::unique_ptr<nghttp2_session, Free> session_;
  std::size_t open_ = 0;
  bool has_settings_ = false;
  FrameCount frames_;
  std::int64_t free_frames_ = most_free_frames;  // that the server may send although they bring nothing
  std::int64_t cancelled_frames_ = 0;            // more of them, because answers were cancelled
  std::vector<Ended> ended_;
  std::string names_;  // of the headers of one request, in lower case
  std::vector<nghttp2_nv> fields_;
};

}  // namespace waybill::net
