#include "net/web_push/web_push.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>

#include <openssl/evp.h>

#include "base/crypto.hpp"
#include "base/json.hpp"
#include "net/destination/destination.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t record_size = 4096;
constexpr std::size_t tag_size = 16;
constexpr char last_record = 2;  // delimiter, RFC 8188 section 2
constexpr auto token_life = std::chrono::hours(12);
constexpr std::size_t max_tokens = 256;

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <std::size_t size>
std::optional<std::array<std::uint8_t, size>> decoded(std::string_view base64url_text) {
  const auto bytes = base64url_decode(base64url_text);
  if (!bytes || bytes->size() != size) return std::nullopt;
  std::array<std::uint8_t, size> result{};
  std::ranges::copy(*bytes, result.begin());
  return result;
}

// HKDF with SHA-256 (RFC 5869) for an output of at most one block.
std::array<std::uint8_t, 32> hkdf(std::span<const std::uint8_t> salt, std::span<const std::uint8_t> secret,
                                  std::string info) {
  const auto extracted = hmac_sha256(salt, text_of(secret));
  info += '\x01';
  return hmac_sha256(extracted, info);
}

std::string aes_128_gcm(std::span<const std::uint8_t, 16> key, std::span<const std::uint8_t, 12> nonce,
                        std::string_view plain) {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                &EVP_CIPHER_CTX_free);
  std::string sealed(plain.size() + tag_size, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(sealed.data());
  int written = 0;
  int rest = 0;
  const bool done =
      context &&
      EVP_EncryptInit_ex2(context.get(), EVP_aes_128_gcm(), key.data(), nonce.data(), nullptr) == 1 &&
      EVP_EncryptUpdate(context.get(), out, &written, bytes_of(plain).data(),
                        static_cast<int>(plain.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), out + written, &rest) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, tag_size, out + written + rest) == 1;
  if (!done) throw std::runtime_error("OpenSSL cannot encrypt with AES-128-GCM");
  return sealed;
}

// The origin of a URL (RFC 6454 section 6.2).
std::string origin_of(std::string_view url) {
  const auto destination = parse_destination(url);
  if (!destination) throw std::invalid_argument("this is not the URL of a push service");
  const bool is_ipv6 = destination->host.find(':') != std::string::npos;
  std::string origin = destination->scheme + "://";
  origin += is_ipv6 ? "[" + destination->host + "]" : destination->host;
  const int usual_port = destination->scheme == "https" ? 443 : 80;
  if (destination->port != usual_port) origin += ":" + std::to_string(destination->port);
  return origin;
}

P256Key key_of(const VapidKeys& keys) {
  const auto point = decoded<65>(keys.public_key);
  const auto scalar = decoded<32>(keys.private_key);
  if (!point || !scalar) throw std::invalid_argument("malformed VAPID keys");
  return {*point, *scalar};
}

}  // namespace

std::optional<PushReceiver> PushReceiver::parse(std::string_view p256dh, std::string_view auth) {
  const auto point = decoded<65>(p256dh);
  const auto secret = decoded<16>(auth);
  if (!point || !secret) return std::nullopt;
  try {
    return PushReceiver{P256Key(*point), *secret};
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

PushEphemeral PushEphemeral::random() {
  PushEphemeral made{P256Key::generate(), {}};
  fill_random(made.salt);
  return made;
}

std::string encrypt_push(std::string_view message, const PushReceiver& receiver,
                         const PushEphemeral& ephemeral) {
  if (message.size() > max_push_message) {
    throw std::length_error("a push message holds at most " + std::to_string(max_push_message) + " bytes");
  }
  // RFC 8291 section 3.4
  std::string key_info("WebPush: info\0", 14);
  key_info.append(text_of(receiver.key.point())).append(text_of(ephemeral.sender.point()));
  const auto secret = hkdf(receiver.secret, ephemeral.sender.agree(receiver.key), std::move(key_info));
  // RFC 8188 sections 2.2 and 2.3
  const auto key = hkdf(ephemeral.salt, secret, std::string("Content-Encoding: aes128gcm\0", 28));
  const auto nonce = hkdf(ephemeral.salt, secret, std::string("Content-Encoding: nonce\0", 24));

  std::string body(text_of(ephemeral.salt));
  for (const int shift : {24, 16, 8, 0}) body += static_cast<char>((record_size >> shift) & 0xff);
  body += static_cast<char>(ephemeral.sender.point().size());
  body += text_of(ephemeral.sender.point());
  body += aes_128_gcm(std::span(key).first<16>(), std::span(nonce).first<12>(),
                      std::string(message) + last_record);
  return body;
}

VapidSigner::VapidSigner(const VapidKeys& keys, std::string contact)
    : public_key_(keys.public_key), contact_(std::move(contact)), key_(key_of(keys)) {}

std::string VapidSigner::authorization(std::string_view endpoint, Time now) {
  std::string origin = origin_of(endpoint);
  const Lock lock(mutex_);
  if (const auto found = tokens_.find(origin); found != tokens_.end()) {
    const Duration age = now - found->second.made_at;
    if (age >= Duration::zero() && age < token_life / 2) return found->second.header;
  }
  // Real push services are few, but subscriptions may name any endpoint.
  if (tokens_.size() >= max_tokens) tokens_.clear();
  std::string header = make_header(origin, now);
  tokens_.insert_or_assign(std::move(origin), Token{header, now});
  return header;
}

std::string VapidSigner::make_header(std::string_view origin, Time now) const {
  json::object claims{{"aud", origin}, {"exp", to_unix_seconds(now + token_life)}};
  if (!contact_.empty()) claims["sub"] = contact_;
  std::string token = base64url(bytes_of(R"({"typ":"JWT","alg":"ES256"})"));
  token += '.';
  token += base64url(bytes_of(to_json(claims)));
  token += '.' + base64url(key_.sign(bytes_of(token)));
  return "vapid t=" + token + ", k=" + public_key_;
}

}  // namespace waybill::net
