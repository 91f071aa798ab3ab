#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace waybill::api {

/// The cookie that holds the token of a session (RFC 6265). Scripts cannot read it, and browsers send it only
/// with requests of the same site.
struct SessionCookie {
  std::string name;
  bool is_secure = false;  // browsers send it only over TLS

  /// The cookie by the service's URL for its users. `__Host-waybill` for https: browsers accept that name
  /// only from the host itself over TLS. `waybill_PORT` for a loopback host (localhost, NAME.localhost,
  /// 127.0.0.0/8,
  /// ::1), whose services share their cookies whatever their port. nullopt for any other URL: the token would
  /// cross a network without TLS.
  static std::optional<SessionCookie> of(std::string_view public_url);

  /// The header field, a line with its CRLF, that makes a browser keep the token for 24 hours.
  std::string set(std::string_view token) const;
  /// The header field, a line with its CRLF, that makes a browser forget the token.
  std::string clear() const;
};

/// The value of a cookie in a request's head, from all its Cookie fields. nullopt if there is none or an
/// empty one, and if there are several: another service of the host, or a page of it, may have set the
/// others. Names are compared with their case, and values are returned as sent.
std::optional<std::string_view> find_cookie(std::string_view head, std::string_view name);

/// True if a script of a page of this service has sent the request: it has `X-Waybill-Console: 1`, which
/// pages of other origins cannot add without the permission of CORS, and `Sec-Fetch-Site: same-origin`, which
/// browsers set and scripts cannot change. Each must be given once.
bool is_from_console(std::string_view head);

}  // namespace waybill::api
