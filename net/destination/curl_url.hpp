#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <curl/curl.h>

namespace waybill::net {

struct FreeCurlUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using CurlUrl = std::unique_ptr<CURLU, FreeCurlUrl>;

/// Parses a URL with libcurl's parser, so that a checked URL is the one that libcurl connects to. Returns
/// null if it is malformed.
CurlUrl parse_curl_url(std::string_view text);

/// Returns a part of a URL; nullopt if the URL has none. `flags` are those of curl_url_get.
std::optional<std::string> url_part(const CurlUrl& url, CURLUPart part, unsigned flags = 0);

}  // namespace waybill::net
