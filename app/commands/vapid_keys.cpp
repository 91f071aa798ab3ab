#include <array>
#include <iostream>
#include <memory>
#include <stdexcept>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>

#include "app/commands/command.hpp"
#include "base/crypto.hpp"

namespace waybill::app {
namespace {

constexpr std::size_t point_size = 65;  // uncompressed, SEC 1 section 2.3.3
constexpr std::size_t scalar_size = 32;

/// A new key pair on P-256 (RFC 8292 section 2), both parts in base64url.
void print_vapid_keys() {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  std::array<std::uint8_t, point_size> point{};
  std::array<std::uint8_t, scalar_size> scalar{};
  std::size_t written = 0;
  BIGNUM* secret = nullptr;
  const bool made = key != nullptr &&
                    EVP_PKEY_get_octet_string_param(key.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                                    point.size(), &written) == 1 &&
                    written == point.size() &&
                    EVP_PKEY_get_bn_param(key.get(), OSSL_PKEY_PARAM_PRIV_KEY, &secret) == 1;
  const std::unique_ptr<BIGNUM, decltype(&BN_clear_free)> owned(secret, &BN_clear_free);
  if (!made || BN_bn2binpad(secret, scalar.data(), scalar.size()) != static_cast<int>(scalar.size())) {
    throw std::runtime_error("OpenSSL cannot make a P-256 key");
  }
  std::cout << "public " << base64url(point) << "\nprivate " << base64url(scalar) << '\n';
}

}  // namespace

void add_vapid_keys(CLI::App& program, Chosen& chosen) {
  program.add_subcommand("vapid-keys", "Prints a new key pair for push messages (VAPID)")
      ->callback([&chosen] {
        chosen.run = [](const Config&) {
          print_vapid_keys();
          return 0;
        };
      });
}

}  // namespace waybill::app
