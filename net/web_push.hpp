#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "net/p256.hpp"
#include "net/vapid.hpp"

namespace waybill::net {

/// The longest message that every push service must take: 4 096 bytes (RFC 8030 section 7.2) without the
/// header, the delimiter and the tag of its encryption (RFC 8291 section 4).
inline constexpr std::size_t max_push_message = 3993;

/// The keys of a subscription: whom a message is encrypted for (RFC 8291 section 2).
struct PushReceiver {
  P256Key key;                            // p256dh
  std::array<std::uint8_t, 16> secret{};  // auth

  /// Both in base64url. nullopt when malformed or not on the curve.
  static std::optional<PushReceiver> parse(std::string_view p256dh, std::string_view auth);
};

/// What is random in a message: the sender's pair and the salt, both new for each.
struct PushEphemeral {
  P256Key sender;
  std::array<std::uint8_t, 16> salt{};

  static PushEphemeral random();
};

/// The body of a push request in the content coding aes128gcm, one record (RFC 8291 section 4, RFC 8188).
/// Throws std::length_error for a message longer than max_push_message.
std::string encrypt_push(std::string_view message, const PushReceiver& receiver,
                         const PushEphemeral& ephemeral = PushEphemeral::random());

/// Signs for a sender of push messages (RFC 8292). Any thread may use it.
class VapidSigner {
 public:
  /// `contact` is a mailto: or https: URL, where a push service reaches the operator; empty: not said. Throws
  /// std::invalid_argument when the keys are malformed.
  VapidSigner(const VapidKeys& keys, std::string contact);

  const std::string& public_key() const { return public_key_; }

  /// The `Authorization` of a request to `endpoint`, which must be an http or https URL. Its token holds for
  /// 12 hours and for the endpoint's origin, and is used again there until half of that is over.
  std::string authorization(std::string_view endpoint, Time now);

 private:
  struct Token {
    std::string header;
    Time made_at;
  };
  std::string make_header(std::string_view origin, Time now) const;

  const std::string public_key_;
  const std::string contact_;
  const P256Key key_;
  std::mutex mutex_;
  std::unordered_map<std::string, Token> tokens_;  // by origin
};

}  // namespace waybill::net
