#include "net/destination/curl_url.hpp"

namespace waybill::net {

CurlUrl parse_curl_url(std::string_view text) {
  CurlUrl url(curl_url());
  if (url == nullptr || text.find('\0') != std::string_view::npos ||
      curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(), 0) != CURLUE_OK) {
    return nullptr;
  }
  return url;
}

std::optional<std::string> url_part(const CurlUrl& url, CURLUPart part, unsigned flags) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return std::nullopt;
  std::string result(text);
  curl_free(text);
  return result;
}

}  // namespace waybill::net
