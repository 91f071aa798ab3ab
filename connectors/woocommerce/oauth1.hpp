#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

/// One-legged OAuth 1.0a (RFC 5849) with HMAC-SHA256 in the query. Pure.
namespace waybill::connectors::oauth1 {

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Consumer {
  std::string key;
  std::string secret;
};

/// Section 3.4.1: method, URI and parameters as the one text that is signed. `uri` is without query, with
/// scheme and host in lower case and without a default port.
std::string base_string(std::string_view method, std::string_view uri, const Parameters& parameters);

/// Section 3.4.2, with SHA-256 in place of SHA-1, without a token.
std::string signature(std::string_view base_string, std::string_view consumer_secret);

/// The parameters as a query, together with the five of the protocol. A nonce is for one request only.
std::string signed_query(std::string_view method, std::string_view uri, Parameters parameters,
                         const Consumer& consumer, Time now, std::string_view nonce);

/// `a=1&b=%20`
std::string query(const Parameters& parameters);

}  // namespace waybill::connectors::oauth1
