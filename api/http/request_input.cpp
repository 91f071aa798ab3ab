#include "api/http/request_input.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

namespace waybill::api {

RequestInput::RequestInput(std::size_t most_head_bytes)
    : most_head_bytes_(most_head_bytes), in_(most_head_bytes + head_read_size + body_read_size) {}

std::string_view RequestInput::received() const {
  const auto data = in_.cdata();
  return {static_cast<const char*>(data.data()), data.size()};
}

RequestInput::Head RequestInput::find_head() {
  while (received().starts_with("\r\n")) in_.consume(2);
  const auto scan = scan_head(received(), scanned_);
  if (scan.state == HeadScan::State::malformed) return Head::refused;
  if (scan.state == HeadScan::State::incomplete)
    return in_.size() < most_head_bytes_ ? Head::incomplete : Head::refused;
  if (scan.size > most_head_bytes_) return Head::refused;
  head_size_ = scan.size;
  return Head::complete;
}

bool RequestInput::parse_head() {
  parser_.emplace();
  RequestParser::ErrorCode error;
  const auto used = parser_->put(asio::buffer(received().data(), head_size_), error);
  return !error && used == head_size_ && parser_->is_header_done();
}

bool RequestInput::needs_more(const RequestParser::ErrorCode& error) const {
  return !body_is_complete() && (!error || error == boost::beast::http::error::need_more);
}

bool RequestInput::parse_received_body() {
  RequestParser::ErrorCode error;
  const auto rest = [this] { return received().substr(head_size_ + body_used_); };
  while (!rest().empty() && !body_is_complete() && !error) {
    body_used_ += parser_->put(asio::buffer(rest().data(), rest().size()), error);
  }
  if (!needs_more(error)) return false;
  const auto moved =
      asio::buffer_copy(body_in_.prepare(rest().size()), asio::buffer(rest().data(), rest().size()));
  body_in_.commit(moved);
  body_used_ += moved;
  return body_in_.size() < body_read_size;
}

bool RequestInput::parse_more_body() {
  RequestParser::ErrorCode error;
  while (body_in_.size() > 0 && !body_is_complete() && !error) {
    body_in_.consume(parser_->put(body_in_.cdata(), error));
  }
  return needs_more(error) && body_in_.size() < body_read_size;  // more is an endless line between chunks
}

void RequestInput::go_on() {
  in_.consume(head_size_ + body_used_);
  if (body_in_.size() > 0) {
    in_.commit(asio::buffer_copy(in_.prepare(body_in_.size()), body_in_.cdata()));
    body_in_.consume(body_in_.size());
  }
  if (body_in_.capacity() > 0) body_in_.shrink_to_fit();
  if (in_.size() == 0 && in_.capacity() > kept_capacity) in_.shrink_to_fit();
  scanned_ = head_size_ = body_used_ = 0;
}

void RequestInput::drop() {
  in_.clear();
  scanned_ = head_size_ = body_used_ = 0;
}

}  // namespace waybill::api
