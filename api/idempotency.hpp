#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/route.hpp"
#include "api/services.hpp"

namespace waybill::api {

/// The 2xx answer an earlier request with the same key got.
struct KeptAnswer {
  int status = 200;
  std::string body;
  std::string location;
};

/// One request under an Idempotency-Key. Its row says "running" from `begin` until `finish` or `abandon`; a
/// crash between leaves it so, and the key is then free again 60 s later: what the request did before the
/// crash may be done once more. Answers are kept for 24 h, sealed, as they may hold a secret that is shown
/// once.
class IdempotentRequest {
 public:
  /// `request` is what must be the same when the key is used again: method, path and body.
  /// Throws Failure: CONFLICT when the key belongs to another request or to one that still runs;
  /// VALIDATION_ERROR for a key that is not 1 to 255 printable ASCII characters.
  static asio::awaitable<IdempotentRequest> begin(Services& services, const Principal& principal,
                                                  std::string_view key, std::string_view request);

  /// Set when the answer is known and nothing is to be done.
  const std::optional<KeptAnswer>& kept() const { return kept_; }

  asio::awaitable<void> finish(Services& services, const KeptAnswer& answer) const;
  asio::awaitable<void> abandon(Services& services) const;

 private:
  IdempotentRequest(const Principal& principal, std::string_view key);
  storage::Params identity() const;
  std::string purpose() const;

  std::string business_id_;
  std::string token_id_;
  std::string key_;
  std::string stamp_;  // of this begin: a later request that took the key over is not touched
  std::optional<KeptAnswer> kept_;
};

}  // namespace waybill::api
