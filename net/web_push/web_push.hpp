#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/thread/mutex.hpp"
#include "net/web_push/p256.hpp"
#include "net/web_push/vapid.hpp"

namespace waybill::net {

/// The longest message that every push service must accept: 4 096 bytes (RFC 8030 section 7.2) minus the
/// header, the delimiter and the tag of the encryption (RFC 8291 section 4).
inline constexpr std::size_t max_push_message = 3993;

/// The keys of a subscription, for which a message is encrypted (RFC 8291 section 2).
struct PushReceiver {
  P256Key key;                            // p256dh
  std::array<std::uint8_t, 16> secret{};  // auth

  /// Reads both from base64url. nullopt if malformed or not on the curve.
  static std::optional<PushReceiver> parse(std::string_view p256dh, std::string_view auth);
};

/// The random parts of a message: the sender's key pair and the salt, both new for each message.
struct PushEphemeral {
  P256Key sender;
  std::array<std::uint8_t, 16> salt{};

  static PushEphemeral random();
};

/// The body of a push request in the content coding aes128gcm, one record (RFC 8291 section 4, RFC 8188).
/// Throws std::length_error if the message is longer than max_push_message.
std::string encrypt_push(std::string_view message, const PushReceiver& receiver,
                         const PushEphemeral& ephemeral = PushEphemeral::random());

/// Signs requests to push services (RFC 8292). Any thread.
class VapidSigner {
 public:
  /// `contact` is the operator's mailto: or https: URL for push services; left out if empty. Throws
  /// std::invalid_argument if the keys are malformed.
  VapidSigner(const VapidKeys& keys, std::string contact);

  const std::string& public_key() const { return public_key_; }

  /// The `Authorization` of a request to `endpoint`, which must be an http or https URL. Its token is valid
  /// for the endpoint's origin for 12 hours and is reused there for the first 6.
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
  Mutex mutex_;
  std::unordered_map<std::string, Token> tokens_ GUARDED_BY(mutex_);  // by origin
};

}  // namespace waybill::net
