#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "connectors/store_call.hpp"
#include "connectors/woocommerce/oauth1.hpp"

namespace waybill::connectors {

/// Calls the REST API of one WooCommerce site; remembers the kinds of authentication and address that work.
/// One coroutine at a time.
class WooClient {
 public:
  using Parameters = oauth1::Parameters;

  WooClient(StoreCredentials credentials, Send send, const Clock& clock);

  /// An answer in JSON; for an error, `code` and `message` are those of WordPress.
  struct Answer {
    net::HttpResponse response;
    json::value body;
    std::string code;
    std::string message;

    bool is_success() const;
    bool lacks_endpoint() const;  // the site does not have the endpoint
  };

  /// `route` has no leading slash ("wc/v3/orders"). Throws StoreError as `ask` does, and for a redirect and
  /// an answer without JSON.
  asio::awaitable<Answer> call(std::string method, std::string route, Parameters parameters = {},
                               json::value body = nullptr);

  /// Like `call`; also throws StoreError for an answer that is not a success.
  asio::awaitable<Answer> expect(std::string method, std::string route, Parameters parameters = {},
                                 json::value body = nullptr);

  const Clock& clock() const { return clock_; }

 private:
  /// The authentication of a call. Over https all are tried in this order until one works: a web server may
  /// not pass the Authorization header to PHP, and a site behind a proxy that terminates TLS may assume http.
  enum class Signing { basic, in_query, oauth };

  struct Call {
    std::string method, route;
    Parameters parameters;
    json::value body;
  };

  net::HttpRequest request(const Call& call, Signing signing) const;
  asio::awaitable<net::HttpResponse> authenticated(const Call& call);

  const StoreCredentials credentials_;
  const Send send_;
  const Clock& clock_;
  const bool https_;
  Signing signing_;
  bool signing_known_ = false;     // an answer has confirmed signing_
  bool plain_permalinks_ = false;  // the API is at ?rest_route=
  bool route_known_ = false;       // an answer has confirmed plain_permalinks_
};

/// The sentence about an answer that redirects a call to `location`. Names the shop's address only if the
/// location is in its API, without the query.
std::string woo_redirect_text(std::string_view store_url, std::string_view location);

/// The error for an answer that is not a success.
StoreError woo_refusal(const WooClient::Answer& answer, std::string_view method);

}  // namespace waybill::connectors
