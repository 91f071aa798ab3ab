#include "net/web_push/vapid.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>

#include "base/crypto.hpp"
#include "base/owned.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t point_size = 65;
constexpr std::size_t scalar_size = 32;
constexpr std::size_t secret_size = 16;
constexpr std::uint8_t uncompressed = 4;

}  // namespace

VapidKeys make_vapid_keys() {
  const Owned<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
  std::array<std::uint8_t, point_size> point{};
  std::array<std::uint8_t, scalar_size> scalar{};
  std::size_t written = 0;
  BIGNUM* secret = nullptr;
  const bool made = key != nullptr &&
                    EVP_PKEY_get_octet_string_param(key.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                                    point.size(), &written) == 1 &&
                    written == point.size() &&
                    EVP_PKEY_get_bn_param(key.get(), OSSL_PKEY_PARAM_PRIV_KEY, &secret) == 1;
  const Owned<BIGNUM, BN_clear_free> owned(secret);
  if (!made || BN_bn2binpad(secret, scalar.data(), scalar.size()) != static_cast<int>(scalar.size())) {
    throw std::runtime_error("OpenSSL cannot make a P-256 key");
  }
  return {base64url(point), base64url(scalar)};
}

bool is_push_key(std::string_view text) {
  const auto bytes = base64url_decode(text);
  if (!bytes || bytes->size() != point_size || bytes->front() != uncompressed) return false;
  const Owned<EC_GROUP, EC_GROUP_free> group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  const Owned<EC_POINT, EC_POINT_free> point(group ? EC_POINT_new(group.get()) : nullptr);
  // EC_POINT_oct2point refuses points that are not on the curve.
  return point && EC_POINT_oct2point(group.get(), point.get(), bytes->data(), bytes->size(), nullptr) == 1;
}

bool is_push_secret(std::string_view text) {
  const auto bytes = base64url_decode(text);
  return bytes && bytes->size() == secret_size;
}

}  // namespace waybill::net
