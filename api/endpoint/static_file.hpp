#pragma once

#include <string>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "base/embedded_file.hpp"

namespace waybill::api {

inline constexpr std::string_view html_type = "text/html; charset=utf-8";
inline constexpr std::string_view script_type = "text/javascript; charset=utf-8";  // RFC 9239 section 6
inline constexpr std::string_view style_type = "text/css; charset=utf-8";

inline constexpr HeaderField no_sniffing{"X-Content-Type-Options", "nosniff"};
/// The same for a page and its files, so that both are of one version.
inline constexpr HeaderField cache_control{"Cache-Control", "public, max-age=3600"};
inline constexpr HeaderField static_file_headers[] = {cache_control, no_sniffing};

/// Returns an embedded file, which is written from where it lies:
/// send_embedded<WAYBILL_EMBEDDED_BOUNDS(name)>.
template <const char* begin, const char* end>
asio::awaitable<Answer> send_embedded(Call&, Services&) {
  co_return Answer::of_embedded({begin, end});
}

/// Returns the endpoint of a file that a page loads.
constexpr Endpoint static_file(std::string_view path, Handler handler, std::string_view media_type,
                               std::string_view summary) {
  return {.method = Method::get,
          .path = path,
          .permission = Permission::everyone,
          .handler = handler,
          .summary = summary,
          .tag = {},
          .media_type = media_type,
          .headers = static_file_headers};
}

}  // namespace waybill::api
