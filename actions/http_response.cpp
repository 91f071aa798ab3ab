#include "actions/http_response.hpp"

#include "base/utf8.hpp"

namespace waybill::actions {

std::string_view failure_code(net::HttpFailure failure) {
  switch (failure) {
    case net::HttpFailure::refused_destination:
      return "DESTINATION_REFUSED";
    case net::HttpFailure::dns:
      return "DNS";
    case net::HttpFailure::connect:
      return "CONNECT";
    case net::HttpFailure::tls:
      return "TLS";
    case net::HttpFailure::timeout:
      return "TIMEOUT";
    case net::HttpFailure::cancelled:
      return "CANCELLED";
    case net::HttpFailure::protocol:
    case net::HttpFailure::none:
      break;
  }
  return "PROTOCOL";
}

bool is_destination_failure(const net::HttpResponse& response) {
  switch (response.failure) {
    case net::HttpFailure::none:
      return response.status >= 500 || response.status == 429;
    case net::HttpFailure::refused_destination:
    case net::HttpFailure::cancelled:
      return false;
    default:
      return true;
  }
}

std::string limited_text(std::string_view bytes, std::size_t max_bytes) {
  std::string text = to_text(bytes);
  // Each replaced byte becomes three.
  if (text.size() > max_bytes) text.resize(valid_utf8_prefix(std::string_view(text).substr(0, max_bytes)));
  return text;
}

}  // namespace waybill::actions
