#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/crypto.hpp"

namespace waybill::net {

/// A Standard Webhooks symmetric secret (standardwebhooks.com, specification section "Signature scheme"):
/// `whsec_` and the base64 of 24 to 64 bytes.
class WebhookSecret {
 public:
  static WebhookSecret random();
  /// nullopt if malformed.
  static std::optional<WebhookSecret> parse(std::string_view text);
  std::string text() const;
  std::span<const std::uint8_t> key() const { return key_; }

 private:
  explicit WebhookSecret(Bytes key) : key_(std::move(key)) {}
  Bytes key_;
};

/// `v1,BASE64` of the HMAC-SHA256 of `id.timestamp.body` for each secret, separated by spaces.
std::string webhook_signature(std::span<const WebhookSecret> secrets, std::string_view id,
                              std::int64_t unix_seconds, std::string_view body);

enum class SignatureCheck { valid, wrong, stale, malformed };

/// Checks as a receiver does: one of the signatures must match, and the timestamp must be within `tolerance`
/// of `now`.
SignatureCheck verify_webhook(const WebhookSecret& secret, std::string_view id, std::string_view timestamp,
                              std::string_view signature, std::string_view body, Time now,
                              Duration tolerance = std::chrono::minutes(5));

}  // namespace waybill::net
