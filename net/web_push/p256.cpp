#include "net/web_push/p256.hpp"

#include <stdexcept>
#include <vector>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "base/owned.hpp"

namespace waybill::net {
namespace {

using Context = Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;

[[noreturn]] void fail(const char* action) {
  throw std::runtime_error(std::string("OpenSSL cannot ") + action + " with P-256");
}

std::shared_ptr<EVP_PKEY> import_key(const P256Point& point, const P256Scalar* scalar) {
  constexpr std::uint8_t uncompressed = 4;
  const Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> builder(OSSL_PARAM_BLD_new());
  const Owned<BIGNUM, BN_clear_free> secret(
      scalar == nullptr ? nullptr : BN_bin2bn(scalar->data(), static_cast<int>(scalar->size()), nullptr));
  const bool built =
      builder &&
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) ==
          1 &&
      (!secret || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_PRIV_KEY, secret.get()) == 1);
  const Owned<OSSL_PARAM, OSSL_PARAM_free> params(built ? OSSL_PARAM_BLD_to_param(builder.get()) : nullptr);
  const Context context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1) fail("read a key");
  EVP_PKEY* key = nullptr;
  const int selection = scalar == nullptr ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
  // EVP_PKEY_fromdata refuses points that are not on the curve.
  if (point.front() != uncompressed || EVP_PKEY_fromdata(context.get(), &key, selection, params.get()) != 1) {
    throw std::invalid_argument("this is not a key on P-256");
  }
  return {key, &EVP_PKEY_free};
}

}  // namespace

P256Key::P256Key(std::shared_ptr<EVP_PKEY> key) : key_(std::move(key)) {
  std::size_t written = 0;
  if (!key_ ||
      EVP_PKEY_get_octet_string_param(key_.get(), OSSL_PKEY_PARAM_PUB_KEY, point_.data(), point_.size(),
                                      &written) != 1 ||
      written != point_.size()) {
    fail("make a key");
  }
}

P256Key P256Key::generate() { return P256Key({EVP_EC_gen("P-256"), &EVP_PKEY_free}); }

P256Key::P256Key(const P256Point& point) : key_(import_key(point, nullptr)), point_(point) {}

P256Key::P256Key(const P256Point& point, const P256Scalar& scalar)
    : key_(import_key(point, &scalar)), point_(point) {}

P256Scalar P256Key::agree(const P256Key& other) const {
  const Context context(EVP_PKEY_CTX_new_from_pkey(nullptr, key_.get(), nullptr));
  P256Scalar shared{};
  std::size_t size = shared.size();
  if (!context || EVP_PKEY_derive_init(context.get()) != 1 ||
      EVP_PKEY_derive_set_peer(context.get(), other.key_.get()) != 1 ||
      EVP_PKEY_derive(context.get(), shared.data(), &size) != 1 || size != shared.size()) {
    fail("agree on a secret");
  }
  return shared;
}

std::array<std::uint8_t, 64> P256Key::sign(std::span<const std::uint8_t> message) const {
  const Owned<EVP_MD_CTX, EVP_MD_CTX_free> context(EVP_MD_CTX_new());
  std::vector<std::uint8_t> der(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())));
  std::size_t size = der.size();
  if (!context ||
      EVP_DigestSignInit_ex(context.get(), nullptr, "SHA256", nullptr, nullptr, key_.get(), nullptr) != 1 ||
      EVP_DigestSign(context.get(), der.data(), &size, message.data(), message.size()) != 1) {
    fail("sign");
  }
  const std::uint8_t* begin = der.data();
  const Owned<ECDSA_SIG, ECDSA_SIG_free> signature(d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(size)));
  std::array<std::uint8_t, 64> result{};
  constexpr int half = 32;
  if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), result.data(), half) != half ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), result.data() + half, half) != half) {
    fail("sign");
  }
  return result;
}

}  // namespace waybill::net
