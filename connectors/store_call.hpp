#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {

/// More than an answer may have (store_memory.hpp): fewer records may do.
class OversizedAnswer : public StoreError {
 public:
  explicit OversizedAnswer(std::string message) : StoreError(StoreProblem::refused, std::move(message)) {}
};

/// Sends a request with the limits that stores get (30 s; StoreMemory::answer_limit) and gives the answer,
/// whatever its status, but for those that say "later": a failure on the way, 429 and 5xx are thrown as
/// StoreError. Throws OversizedAnswer.
asio::awaitable<net::HttpResponse> ask(const Send& send, net::HttpRequest request);

/// The answer's JSON, in memory of StoreMemory; more lenient than our own API's parser (the last of two equal
/// keys counts). Throws OversizedAnswer, and StoreError wrong_store when it is none, such as the HTML page of
/// a firewall or of another site.
json::value json_of(const net::HttpResponse& response);

/// An answer that refuses, as the error it stands for: 401 and 403 credentials, 404 wrong_store, the rest
/// refused. `words` are the store's own, or empty.
StoreError refusal(const net::HttpResponse& response, std::string_view words);

/// Retry-After in seconds, with decimals (Shopify) or as an HTTP date (RFC 9110, section 10.2.3); nullopt
/// when absent or malformed.
std::optional<Duration> retry_after(const net::HttpResponse& response, Time now);

/// A text of a store as we keep it: valid UTF-8 without control characters but line breaks and tabs, trimmed,
/// at most `limit` bytes; nullopt when nothing is left.
std::optional<std::string> clean_text(std::string_view text, std::size_t limit = 1000);
/// Of a JSON value: a string as above, a number as decimal text; nullopt for anything else.
std::optional<std::string> clean_text(const json::value* value, std::size_t limit = 1000);

/// The scheme, host, port and path of a store's address in the one form by which it is known again. Throws
/// std::invalid_argument with a sentence: not http or https, user info, a query or fragment, no host.
std::string normal_store_url(std::string_view store_url);

/// Base64 of HMAC-SHA256 of `body`, compared in constant time with `signature`.
bool signature_matches(std::string_view secret, std::string_view body, std::string_view signature);

}  // namespace waybill::connectors
