#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "connectors/connector.hpp"

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
/// keys counts). Throws OversizedAnswer, and StoreError wrong_store for another body, such as the HTML page
/// of a firewall or of another site.
json::value json_of(const net::HttpResponse& response);

/// The error for a refusal: credentials for 401 and 403, wrong_store for 404, otherwise refused. `message` is
/// the store's, or empty.
StoreError refusal(const net::HttpResponse& response, std::string_view message);

/// Reads Retry-After as seconds, also with decimals (Shopify), or as an HTTP date (RFC 9110, section 10.2.3);
/// nullopt if absent or malformed.
std::optional<Duration> retry_after(const net::HttpResponse& response, Time now);

/// A text of a store in the form that we store: valid UTF-8 without control characters except line breaks and
/// tabs, trimmed, at most `limit` bytes; nullopt if nothing is left.
std::optional<std::string> clean_text(std::string_view text, std::size_t limit = 1000);
/// The clean text of a JSON string, or a number as decimal text; nullopt for anything else.
std::optional<std::string> clean_text(const json::value* value, std::size_t limit = 1000);

/// The scheme, host, port and path of a store's address in normal form. Throws std::invalid_argument with a
/// sentence: not http or https, user info, a query or fragment, no host.
std::string normal_store_url(std::string_view store_url);

/// True if `signature` is the base64 of the HMAC-SHA256 of `body`; compares in constant time.
bool signature_matches(std::string_view secret, std::string_view body, std::string_view signature);

}  // namespace waybill::connectors
