#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "connectors/connector.hpp"
#include "connectors/store_text.hpp"

namespace waybill::connectors {

/// The answer exceeds the limit (store_memory.hpp); a request for fewer records may succeed.
class OversizedAnswer : public StoreError {
 public:
  explicit OversizedAnswer(std::string message) : StoreError(StoreProblem::refused, std::move(message)) {}
};

/// Sends a request with the limits for stores (30 s; StoreMemory::answer_limit) and returns the answer.
/// Throws StoreError for a network failure, 429 and 5xx, and OversizedAnswer.
asio::awaitable<net::HttpResponse> ask(const Send& send, net::HttpRequest request);

/// The answer's JSON, in memory of StoreMemory; parsed more leniently than in our API (the last of two equal
/// keys counts). A byte order mark and white space around it are ignored (RFC 8259, section 8.1), and so are
/// messages of PHP before it and a comment of a cache after it. Throws OversizedAnswer, and StoreError:
/// busy for JSON that ends early, wrong_store for another body, such as the HTML page of a firewall or of
/// another site.
json::value json_of(const net::HttpResponse& response);
/// The JSON of a webhook's body, read in the same way; nullopt if it has none.
std::optional<json::value> json_in(std::string_view body);

/// True if a request for fewer records may succeed: not for refused credentials, for a store that cannot be
/// reached, and if the store limits the rate. A 5xx counts even if it asks for a wait: servers that run out
/// of memory or time for a long list send Retry-After, too.
bool may_depend_on_size(const StoreError& error);

/// The error for a refusal: credentials for 401 and 403, wrong_store for 404, otherwise refused. `message` is
/// the store's, or empty.
StoreError refusal(const net::HttpResponse& response, std::string_view message);

/// Reads Retry-After as seconds, also with decimals (Shopify), or as an HTTP date (RFC 9110, section 10.2.3);
/// nullopt if absent or malformed.
std::optional<Duration> retry_after(const net::HttpResponse& response, Time now);

/// The scheme, host, port and path of a store's address in normal form, with a host beyond ASCII as xn--.
/// Throws std::invalid_argument with a sentence: not http or https, user info, a query or fragment, no host.
std::string normal_store_url(std::string_view store_url);

/// True if `signature` is the base64 of the HMAC-SHA256 of `body`; compares in constant time.
bool signature_matches(std::string_view secret, std::string_view body, std::string_view signature);

}  // namespace waybill::connectors
