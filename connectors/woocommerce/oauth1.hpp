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

/// The signed text of method, URI and parameters (section 3.4.1). `uri` has no query and no default port, and
/// its scheme and host are in lower case.
std::string base_string(std::string_view method, std::string_view uri, const Parameters& parameters);

/// The signature (section 3.4.2), with SHA-256 instead of SHA-1 and without a token.
std::string signature(std::string_view base_string, std::string_view consumer_secret);

/// The parameters and the five of the protocol as a query. Each request needs a new nonce.
std::string signed_query(std::string_view method, std::string_view uri, Parameters parameters,
                         const Consumer& consumer, Time now, std::string_view nonce);

/// The parameters as a query, such as `a=1&b=%20`.
std::string query(const Parameters& parameters);

}  // namespace waybill::connectors::oauth1
