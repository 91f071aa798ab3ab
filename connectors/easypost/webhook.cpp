#include "connectors/easypost/webhook.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <uninorm.h>

#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "base/owned.hpp"
#include "base/utf8.hpp"
#include "connectors/easypost/fields.hpp"
#include "connectors/store_call.hpp"

namespace waybill::connectors::easypost {
namespace {

// EasyPost signs with the NFKD form of the secret (docs.easypost.com, "Webhooks Guide"). Text that is not
// UTF-8 has no such form and stays.
std::string normal_secret(std::string_view secret) {
  if (!is_utf8(secret)) return std::string(secret);
  std::size_t length = 0;
  const Owned<std::uint8_t, std::free> form(u8_normalize(
      UNINORM_NFKD, reinterpret_cast<const std::uint8_t*>(secret.data()), secret.size(), nullptr, &length));
  if (form == nullptr) return std::string(secret);
  return {reinterpret_cast<const char*>(form.get()), length};
}

bool is_signed(std::string_view secret, const InboundCall& call) {
  const auto given = call.header("x-hmac-signature");
  if (secret.empty() || !given) return false;
  const std::string key = normal_secret(secret);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(key.data());
  const std::string expected = "hmac-sha256-hex=" + hex(hmac_sha256({bytes, key.size()}, call.body));
  return equal_constant_time(expected, ascii_lower(trimmed(*given)));
}

}  // namespace

GatewayHint read_event(std::string_view secret, const InboundCall& call) {
  GatewayHint hint;
  if (!is_signed(secret, call)) return hint;
  hint.kind = GatewayHint::Kind::ping;
  const auto body = json_in(call.body);
  const auto* const event = body ? body->if_object() : nullptr;
  if (event == nullptr) return hint;
  if (auto id = code_at(*event, "id"); !id.empty()) hint.delivery_id = std::move(id);
  if (!code_at(*event, "description").starts_with("tracker.")) return hint;
  hint.tracking_number = number_at(*event, "result.tracking_code");
  if (!hint.tracking_number.empty()) hint.kind = GatewayHint::Kind::hint;
  return hint;
}

}  // namespace waybill::connectors::easypost
