#include "net/http/webhook_signature.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/number.hpp"

namespace waybill::net {
namespace {

constexpr std::string_view secret_prefix = "whsec_";
constexpr std::size_t min_key_bytes = 24;
constexpr std::size_t max_key_bytes = 64;
constexpr std::size_t max_kept_bytes = 64UL * 1024;  // memory kept between signatures

std::string sign(const WebhookSecret& secret, std::string_view id, std::string_view timestamp,
                 std::string_view body) {
  // Every request needs a signature, so the memory for its text is reused.
  thread_local std::string text;
  text.clear();
  text.append(id).append(1, '.').append(timestamp).append(1, '.').append(body);
  std::string result = "v1," + base64(hmac_sha256(secret.key(), text));
  if (text.capacity() > max_kept_bytes) std::string().swap(text);
  return result;
}

}  // namespace

WebhookSecret WebhookSecret::random() { return WebhookSecret(random_bytes(32)); }

std::optional<WebhookSecret> WebhookSecret::parse(std::string_view text) {
  if (!text.starts_with(secret_prefix)) return std::nullopt;
  auto key = base64_decode(text.substr(secret_prefix.size()));
  if (!key || key->size() < min_key_bytes || key->size() > max_key_bytes) return std::nullopt;
  return WebhookSecret(std::move(*key));
}

std::string WebhookSecret::text() const { return std::string(secret_prefix) + base64(key_); }

std::string webhook_signature(std::span<const WebhookSecret> secrets, std::string_view id,
                              std::int64_t unix_seconds, std::string_view body) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), unix_seconds).ptr;
  const std::string_view timestamp(digits.data(), end);
  std::string result;
  for (const WebhookSecret& secret : secrets) {
    if (!result.empty()) result += ' ';
    result += sign(secret, id, timestamp, body);
  }
  return result;
}

SignatureCheck verify_webhook(const WebhookSecret& secret, std::string_view id, std::string_view timestamp,
                              std::string_view signature, std::string_view body, Time now,
                              Duration tolerance) {
  const auto parsed = parse_number<std::int64_t>(timestamp);
  if (id.empty() || !parsed) return SignatureCheck::malformed;
  const std::int64_t seconds = *parsed;
  constexpr std::int64_t max_seconds = 253'402'300'799;  // the year 9999
  if (seconds < 0 || seconds > max_seconds) return SignatureCheck::malformed;

  const std::string expected = sign(secret, id, timestamp, body);
  bool any = false;
  bool matches = false;
  while (!signature.empty()) {
    const std::size_t space = std::min(signature.find(' '), signature.size());
    const std::string_view candidate = signature.substr(0, space);
    signature.remove_prefix(std::min(space + 1, signature.size()));
    any = any || candidate.find(',') != std::string_view::npos;
    matches = matches || equal_constant_time(candidate, expected);
  }
  if (!any) return SignatureCheck::malformed;
  if (!matches) return SignatureCheck::wrong;
  const Time sent{std::chrono::seconds(seconds)};
  return sent < now - tolerance || sent > now + tolerance ? SignatureCheck::stale : SignatureCheck::valid;
}

}  // namespace waybill::net
