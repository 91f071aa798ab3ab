#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/crypto.hpp"
#include "base/percent_encoding.hpp"
#include "tests/simulators/woocommerce/woocommerce_state.hpp"

// The authentication of class-wc-rest-authentication.php, step by step.

namespace waybill::tests {
namespace {

constexpr std::int64_t window_seconds = 15LL * 60;

Reply authentication_error(std::string_view message, Headers headers = {}) {
  return json_reply(
      401,
      {{"code", "woocommerce_rest_authentication_error"}, {"message", message}, {"data", {{"status", 401}}}},
      std::move(headers));
}

std::string hmac(const EVP_MD* digest, const std::string& secret, const std::string& text) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> mac{};
  unsigned int size = 0;
  HMAC(digest, secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &size);
  return base64(std::span<const std::uint8_t>(mac.data(), size));
}

// The parameters of `Authorization: OAuth a="b", …` and those of the query.
void add_header_parameters(std::string_view header, Parameters& parameters) {
  if (!header.starts_with("OAuth ")) return;
  std::string_view rest = header.substr(6);
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    const auto equals = pair.find('=');
    if (!pair.starts_with("oauth_") || equals == std::string_view::npos) continue;
    std::string_view value = pair.substr(equals + 1);
    if (value.size() > 1 && value.starts_with('"')) value = value.substr(1, value.size() - 2);
    parameters.insert_or_assign(std::string(pair.substr(0, equals)), percent_decode(value));
  }
}

}  // namespace

bool WooCommerceState::is_allowed(std::string_view method) const {
  const bool reads = method == "GET" || method == "HEAD";
  return method == "OPTIONS" || rights == Rights::read_write || (rights == Rights::read) == reads;
}

std::optional<Reply> WooCommerceState::authenticate(const ParsedRequest& parsed, bool& known) {
  if (options.https && !options.unaware_of_tls) {
    if (auto error = basic(parsed, known)) return error;
  }
  if (!known) {
    if (auto error = oauth(parsed, known)) return error;
  }
  if (known && !is_allowed(parsed.method)) {
    const bool reads = parsed.method == "GET" || parsed.method == "HEAD";
    return authentication_error(reads ? "The API key provided does not have read permissions."
                                      : "The API key provided does not have write permissions.");
  }
  return std::nullopt;
}

std::optional<Reply> WooCommerceState::basic(const ParsedRequest& parsed, bool& known) {
  std::string user = parameter(parsed.parameters, "consumer_key");
  std::string password = parameter(parsed.parameters, "consumer_secret");
  const std::string header = options.drops_authorization ? "" : parsed.request->header("authorization");
  if ((user.empty() || password.empty()) && header.starts_with("Basic ")) {
    const auto bytes = base64_decode(std::string_view(header).substr(6));
    const std::string pair = bytes ? std::string(bytes->begin(), bytes->end()) : "";
    const auto colon = std::min(pair.find(':'), pair.size());
    user = pair.substr(0, colon);
    password = pair.substr(std::min(colon + 1, pair.size()));
  }
  if (user.empty() || password.empty() || !key_known || user != key) return std::nullopt;
  if (password != secret) {
    return authentication_error("Consumer secret is invalid.",
                                {{"WWW-Authenticate", R"(Basic realm="WooCommerce API")"}});
  }
  known = true;
  return std::nullopt;
}

std::optional<Reply> WooCommerceState::oauth(const ParsedRequest& parsed, bool& known) {
  Parameters parameters = parsed.parameters;
  add_header_parameters(parsed.request->header("authorization"), parameters);
  std::string missing;
  bool has_parameter = false;
  int count = 0;
  for (const char* const name : {"oauth_consumer_key", "oauth_timestamp", "oauth_nonce", "oauth_signature",
                                 "oauth_signature_method"}) {
    if (!parameter(parameters, name).empty()) {
      has_parameter = true;
      continue;
    }
    missing += (count++ == 0 ? "" : ", ") + std::string(name);
  }
  if (!has_parameter) return std::nullopt;
  if (count > 0) {
    return woo_error(401, "woocommerce_rest_authentication_missing_parameter",
                     (count == 1 ? "Missing OAuth parameter " : "Missing OAuth parameters ") + missing);
  }
  if (!key_known || parameters.at("oauth_consumer_key") != key) {
    return authentication_error("Consumer key is invalid.");
  }
  const std::string& method = parameters.at("oauth_signature_method");
  if (method != "HMAC-SHA1" && method != "HMAC-SHA256") {
    return authentication_error("Invalid signature - signature method is invalid.");
  }
  if (!signature_matches(parsed, parameters)) {
    return authentication_error("Invalid signature - provided signature does not match.");
  }
  if (auto error = nonce_used(parameters)) return error;
  known = true;
  return std::nullopt;
}

bool WooCommerceState::signature_matches(const ParsedRequest& parsed, Parameters signed_parameters) const {
  std::string given_signature = signed_parameters.at("oauth_signature");
  std::ranges::replace(given_signature, ' ', '+');
  signed_parameters.erase("oauth_signature");
  const std::string_view target = parsed.request->target;
  std::string_view path = target.substr(0, target.find('?'));
  const std::string base_path = options.path + "/";
  if (path.starts_with(base_path)) path.remove_prefix(base_path.size());
  // get_home_url() has no trailing slash without a path.
  std::string uri = path.empty() ? home : home + "/" + std::string(path);
  if (options.unaware_of_tls) uri.replace(0, uri.find(':'), "http");
  std::string query;
  for (const auto& [name, value] : signed_parameters) {
    if (!query.empty()) query += '&';
    query += percent_encode(name) + '=' + percent_encode(value);
  }
  const std::string text = parsed.method + '&' + percent_encode(uri) + '&' + percent_encode(query);
  const bool sha1 = signed_parameters.at("oauth_signature_method") == "HMAC-SHA1";
  return hmac(sha1 ? EVP_sha1() : EVP_sha256(), secret + "&", text) == given_signature;
}

std::optional<Reply> WooCommerceState::nonce_used(const Parameters& parameters) {
  const std::int64_t present = to_unix_seconds(system_clock().now() + clock_skew);
  const std::int64_t timestamp = std::strtoll(parameters.at("oauth_timestamp").c_str(), nullptr, 10);
  if (timestamp < present - window_seconds || timestamp > present + window_seconds) {
    return authentication_error("Invalid timestamp.");
  }
  std::erase_if(nonces, [&](const auto& used) { return used.second < present - window_seconds; });
  if (!nonces.emplace(parameters.at("oauth_nonce"), timestamp).second) {
    return authentication_error("Invalid nonce - nonce has already been used.");
  }
  return std::nullopt;
}

}  // namespace waybill::tests
