#include "connectors/woocommerce/oauth1.hpp"

#include <algorithm>

#include "base/crypto.hpp"
#include "base/percent_encoding.hpp"

namespace waybill::connectors::oauth1 {

std::string query(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    if (!text.empty()) text += '&';
    text += percent_encode(name) + '=' + percent_encode(value);
  }
  return text;
}

std::string base_string(std::string_view method, std::string_view uri, const Parameters& parameters) {
  // Sorted by the encoded names, then by the encoded values (section 3.4.1.3.2).
  Parameters encoded;
  for (const auto& [name, value] : parameters) {
    encoded.emplace_back(percent_encode(name), percent_encode(value));
  }
  std::ranges::sort(encoded);
  std::string normal;
  for (const auto& [name, value] : encoded) {
    if (!normal.empty()) normal += '&';
    normal.append(name).append(1, '=').append(value);
  }
  return std::string(method) + '&' + percent_encode(uri) + '&' + percent_encode(normal);
}

std::string signature(std::string_view base_string, std::string_view consumer_secret) {
  const std::string key = percent_encode(consumer_secret) + '&';
  return base64(hmac_sha256({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()}, base_string));
}

std::string signed_query(std::string_view method, std::string_view uri, Parameters parameters,
                         const Consumer& consumer, Time now, std::string_view nonce) {
  parameters.emplace_back("oauth_consumer_key", consumer.key);
  parameters.emplace_back("oauth_nonce", nonce);
  parameters.emplace_back("oauth_signature_method", "HMAC-SHA256");
  parameters.emplace_back("oauth_timestamp", std::to_string(to_unix_seconds(now)));
  const std::string signed_with = signature(base_string(method, uri, parameters), consumer.secret);
  parameters.emplace_back("oauth_signature", signed_with);
  return query(parameters);
}

}  // namespace waybill::connectors::oauth1
