#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "connectors/store_call.hpp"
#include "connectors/woocommerce/oauth1.hpp"

namespace waybill::connectors {

/// Calls of one WooCommerce site's REST API: authentication and addresses, of which it remembers what worked.
/// One coroutine at a time.
class WooClient {
 public:
  using Parameters = oauth1::Parameters;

  WooClient(StoreCredentials credentials, Send send, const Clock& clock);

  /// An answer in JSON; of an error, `code` is WordPress' name for it and `words` are its message.
  struct Answer {
    net::HttpResponse response;
    json::value body;
    std::string code;
    std::string words;

    bool fine() const;
    bool no_route() const;  // the site has no such endpoint
  };

  /// `route` is without a slash at its start ("wc/v3/orders"). Throws StoreError for what `ask` throws, for a
  /// redirect, and for an answer without JSON.
  asio::awaitable<Answer> call(std::string method, std::string route, Parameters parameters = {},
                               json::value body = nullptr);

  /// As `call`, and throws what is not fine.
  asio::awaitable<Answer> expect(std::string method, std::string route, Parameters parameters = {},
                                 json::value body = nullptr);

  const Clock& clock() const { return clock_; }

 private:
  /// How a call says who makes it. Over https in this order, until one is understood: a web server may keep
  /// the Authorization header from PHP, and a site behind a proxy that ends TLS may know of http alone.
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
  bool signing_known_ = false;     // signing_ was proved by an answer
  bool plain_permalinks_ = false;  // the API is at ?rest_route=
  bool route_known_ = false;       // plain_permalinks_ likewise
};

/// What an answer that is not fine says of the store.
StoreError woo_refusal(const WooClient::Answer& answer, std::string_view method);

}  // namespace waybill::connectors
