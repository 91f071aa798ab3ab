#include "net/http/http2_session.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>

#include "base/ascii.hpp"
#include "net/http/curl_headers.hpp"

namespace waybill::net {
namespace {

constexpr std::uint32_t stream_window = 4U << 20;
constexpr std::int32_t connection_window = 16 << 20;
constexpr std::uint32_t max_header_list = 64U * 1024;
/// The number of streams that are used at most, whatever the server allows.
constexpr std::uint32_t max_streams = 256;

/// Headers that belong to a connection of HTTP/1.1 (RFC 9113 section 8.2.2), and those that are set
/// elsewhere.
constexpr std::array<std::string_view, 8> dropped{
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    "te",         "host",       "content-length"};

/// The most frames that bring nothing, while requests are sent.
constexpr std::int64_t most_free_frames_in_use = 50'000;
/// The smallest frames in which all that the window of a cancelled answer holds may be under way.
constexpr std::int64_t least_frame = 512;
constexpr std::int64_t frames_of_cancelled = stream_window / least_frame;
constexpr std::int64_t most_cancelled_frames = connection_window / least_frame;

/// The frames that bring nothing which a server may send for a request. It may open its windows with two for
/// each piece of the body.
std::int64_t frames_for(std::size_t body_size) {
  constexpr std::int64_t for_each = 100;
  constexpr std::size_t least_piece = 1024;
  return for_each + 2 * static_cast<std::int64_t>(body_size / least_piece);
}

void check(int result) {
  if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
}

std::string_view text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

std::uint8_t* bytes(std::string_view text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

}  // namespace

nghttp2_session_callbacks* Http2Session::callbacks() {
  static nghttp2_session_callbacks* const shared = [] {
    nghttp2_session_callbacks* made = nullptr;
    check(nghttp2_session_callbacks_new(&made));
    nghttp2_session_callbacks_set_on_header_callback(made, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, on_closed);
    return made;
  }();
  return shared;
}

Http2Session::Http2Session(std::string user_agent) : user_agent_(std::move(user_agent)) {
  nghttp2_session* made = nullptr;
  check(nghttp2_session_client_new(&made, callbacks(), this));
  session_.reset(made);
  const std::array settings{
      nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, max_header_list},
  };
  check(nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
  check(nghttp2_session_set_local_window_size(made, NGHTTP2_FLAG_NONE, 0, connection_window));
}

bool Http2Session::is_open() const { return nghttp2_session_check_request_allowed(session_.get()) != 0; }

bool Http2Session::has_free_stream() const {
  const std::uint32_t allowed =
      nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return open_ < (has_settings_ ? std::min(allowed, max_streams) : 1) && is_open();
}

void Http2Session::add(std::string_view name, std::string_view value, std::uint8_t flags) {
  fields_.push_back({.name = bytes(name),
                     .value = bytes(value),
                     .namelen = name.size(),
                     .valuelen = value.size(),
                     .flags = flags});
}

Http2Session::Begun Http2Session::send(Exchange& exchange) {
  const HttpRequest& request = exchange.request;
  const Http1Target& target = *exchange.target;
  std::size_t name_bytes = 0;
  for (const auto& [name, value] : request.headers) {
    const std::string_view sent = trimmed(value);
    if (name.empty() || is_broken_header(name, value) ||
        nghttp2_check_header_value(bytes(sent), sent.size()) == 0)
      return Begun::unsendable;
    name_bytes += name.size();
  }
  names_.clear();
  names_.reserve(name_bytes);
  fields_.clear();
  bool has_agent = false;
  bool has_accept = false;
  std::string_view authority = target.host;
  for (const auto& [name, value] : request.headers) {
    const std::size_t begin = names_.size();
    for (const char c : name) names_.push_back(ascii_lower(c));
    const std::string_view lower = std::string_view(names_).substr(begin);
    if (lower == "host") authority = trimmed(value);
    has_agent = has_agent || lower == "user-agent";
    has_accept = has_accept || lower == "accept";
  }
  add(":method", request.method, NGHTTP2_NV_FLAG_NONE);
  add(":scheme", "https", NGHTTP2_NV_FLAG_NONE);
  add(":authority", authority, NGHTTP2_NV_FLAG_NONE);
  add(":path", target.target, NGHTTP2_NV_FLAG_NONE);
  if (!has_agent) add("user-agent", user_agent_, NGHTTP2_NV_FLAG_NONE);
  if (!has_accept) add("accept", "*/*", NGHTTP2_NV_FLAG_NONE);
  std::size_t at = 0;
  for (const auto& [name, value] : request.headers) {
    const std::string_view lower = std::string_view(names_).substr(at, name.size());
    at += name.size();
    if (std::ranges::find(dropped, lower) != dropped.end()) continue;
    // Other values are secrets, or differ from request to request: neither belongs in the table of values.
    const bool is_repeated = lower == "content-type" || lower == "user-agent" || lower == "accept";
    add(lower, trimmed(value), is_repeated ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX);
  }
  std::array<char, 24> digits{};
  const bool has_body = !request.body.empty();
  if (has_body || request.method == "POST" || request.method == "PUT" || request.method == "PATCH") {
    const char* const end = std::to_chars(digits.begin(), digits.end(), request.body.size()).ptr;
    add("content-length", std::string_view(digits.data(), end), NGHTTP2_NV_FLAG_NO_INDEX);
  }
  exchange.status = 0;
  exchange.has_begun = false;
  exchange.sent = 0;
  exchange.received.begin(request.read_limit, request.keep_limit);
  const nghttp2_data_provider body{.source = {.ptr = &exchange}, .read_callback = read_body};
  exchange.stream = nghttp2_submit_request(session_.get(), nullptr, fields_.data(), fields_.size(),
                                           has_body ? &body : nullptr, &exchange);
  check(exchange.stream);
  if (exchange.stream == NGHTTP2_ERR_INVALID_ARGUMENT) return Begun::unsendable;
  if (exchange.stream < 0) return Begun::connection_over;
  ++open_;
  free_frames_ = std::min(free_frames_ + frames_for(request.body.size()), most_free_frames_in_use);
  return Begun::yes;
}

ssize_t Http2Session::read_body(nghttp2_session* /*session*/, std::int32_t stream, std::uint8_t* buffer,
                                std::size_t size, std::uint32_t* flags, nghttp2_data_source* /*source*/,
                                void* user_data) {
  Exchange* const exchange = self(user_data).exchange_of(stream);
  // A stream whose exchange has ended is about to be reset.
  if (exchange == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::string& body = exchange->request.body;
  const std::size_t count = std::min(size, body.size() - exchange->sent);
  std::copy_n(body.data() + exchange->sent, count, buffer);
  exchange->sent += count;
  if (exchange->sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(count);
}

Http2Session::Exchange* Http2Session::exchange_of(std::int32_t stream) const {
  return static_cast<Exchange*>(nghttp2_session_get_stream_user_data(session_.get(), stream));
}

void Http2Session::finish(Exchange& exchange, End end, std::uint32_t code) {
  nghttp2_session_set_stream_user_data(session_.get(), exchange.stream, nullptr);
  --open_;
  ended_.push_back({&exchange, end, code});
}

void Http2Session::reset(std::int32_t stream, std::uint32_t code) {
  cancelled_frames_ = std::min(cancelled_frames_ + frames_of_cancelled, most_cancelled_frames);
  check(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream, code));
}

void Http2Session::abort(Exchange& exchange, End end) {
  finish(exchange, end);
  reset(exchange.stream, NGHTTP2_CANCEL);
}

void Http2Session::cancel(Exchange& exchange) {
  nghttp2_session_set_stream_user_data(session_.get(), exchange.stream, nullptr);
  --open_;
  reset(exchange.stream, NGHTTP2_CANCEL);
}

int Http2Session::on_header(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                            const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                            std::size_t value_size, std::uint8_t /*flags*/, void* user_data) {
  Http2Session& session = self(user_data);
  Exchange* const exchange = session.exchange_of(frame->hd.stream_id);
  if (exchange == nullptr) return 0;
  exchange->has_begun = true;
  ++session.free_frames_;
  const std::string_view field = text(name, name_size);
  const std::string_view content = text(value, value_size);
  if (field == ":status") {
    // libnghttp2 accepts three digits only.
    std::from_chars(content.data(), content.data() + content.size(), exchange->status);
    if (!exchange->received.begin_head()) session.abort(*exchange, End::too_large);
  } else if (!exchange->received.add_header(field, content)) {
    session.abort(*exchange, End::too_large);
  }
  return 0;
}

int Http2Session::on_data(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t stream,
                          const std::uint8_t* data, std::size_t size, void* user_data) {
  Http2Session& session = self(user_data);
  Exchange* const exchange = session.exchange_of(stream);
  if (exchange == nullptr || size == 0) return 0;
  ++session.free_frames_;
  if (!exchange->received.add_body(text(data, size))) session.abort(*exchange, End::cut);
  return 0;
}

int Http2Session::on_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user_data) {
  Http2Session& session = self(user_data);
  if (frame->hd.type == NGHTTP2_SETTINGS) session.has_settings_ = true;
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  Exchange* const exchange = session.exchange_of(frame->hd.stream_id);
  if (exchange == nullptr) return 0;
  if (exchange->status >= 200) exchange->received.end_head();
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
  const bool is_sent = exchange->sent == exchange->request.body.size();
  session.finish(*exchange, End::answered);
  // The server needs no more of a request that it has answered.
  if (!is_sent) session.reset(frame->hd.stream_id, NGHTTP2_CANCEL);
  return 0;
}

int Http2Session::on_closed(nghttp2_session* /*session*/, std::int32_t stream, std::uint32_t code,
                            void* user_data) {
  Http2Session& session = self(user_data);
  if (Exchange* const exchange = session.exchange_of(stream))
    session.finish(*exchange, code == NGHTTP2_REFUSED_STREAM ? End::refused : End::reset, code);
  return 0;
}

std::int64_t Http2Session::FrameCount::take(std::string_view bytes) {
  std::int64_t frames = 0;
  while (!bytes.empty()) {
    if (payload_ > 0) {
      const std::size_t skipped = std::min(payload_, bytes.size());
      payload_ -= skipped;
      bytes.remove_prefix(skipped);
      continue;
    }
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (header_bytes_ < length_.size()) length_[header_bytes_] = byte;
    if (++header_bytes_ < header_size) continue;
    header_bytes_ = 0;
    payload_ = (std::size_t{length_[0]} << 16U) | (std::size_t{length_[1]} << 8U) | length_[2];
    ++frames;
  }
  return frames;
}

bool Http2Session::take(std::string_view bytes) {
  const ssize_t taken = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  check(static_cast<int>(std::min<ssize_t>(taken, 0)));
  free_frames_ -= frames_.take(bytes);
  const std::int64_t lacking = std::clamp<std::int64_t>(-free_frames_, 0, cancelled_frames_);
  free_frames_ += lacking;
  cancelled_frames_ -= lacking;
  if (is_flooded()) check(nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM));
  if (open_ == 0) free_frames_ = std::min(free_frames_, most_free_frames);
  return taken >= 0 && !is_flooded() && nghttp2_session_want_read(session_.get()) != 0;
}

void Http2Session::write(std::string& out, std::size_t enough) {
  while (out.size() < enough) {
    const std::uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
    check(static_cast<int>(std::min<ssize_t>(size, 0)));
    if (size <= 0) return;
    out.append(text(data, static_cast<std::size_t>(size)));
  }
}

}  // namespace waybill::net
