#include "base/crypto.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/params.h>
#include <sodium.h>

#include "base/owned.hpp"

namespace waybill {
namespace {

// A digest that keeps its context as long as its thread: fetching the algorithm and allocating a context for
// each message would cost more than hashing it.
template <std::size_t size>
class Digest {
 public:
  explicit Digest(const char* algorithm)
      : algorithm_(EVP_MD_fetch(nullptr, algorithm, nullptr)), context_(EVP_MD_CTX_new()) {
    if (!algorithm_ || !context_) throw std::runtime_error(std::string("OpenSSL has no ") + algorithm);
  }

  std::array<std::uint8_t, size> operator()(std::string_view data) {
    std::array<std::uint8_t, size> result{};
    if (EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) != 1 ||
        EVP_DigestUpdate(context_.get(), data.data(), data.size()) != 1 ||
        EVP_DigestFinal_ex(context_.get(), result.data(), nullptr) != 1) {
      throw std::runtime_error("OpenSSL could not hash");
    }
    return result;
  }

 private:
  Owned<EVP_MD, EVP_MD_free> algorithm_;
  Owned<EVP_MD_CTX, EVP_MD_CTX_free> context_;
};

class HmacSha256 {
 public:
  HmacSha256() {
    const Owned<EVP_MAC, EVP_MAC_free> algorithm(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    if (algorithm) context_.reset(EVP_MAC_CTX_new(algorithm.get()));
    char digest[] = "SHA256";
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("digest", digest, 0),
                                 OSSL_PARAM_construct_end()};
    if (!context_ || EVP_MAC_CTX_set_params(context_.get(), params) != 1) {
      throw std::runtime_error("OpenSSL has no HMAC-SHA256");
    }
  }

  std::array<std::uint8_t, 32> operator()(std::span<const std::uint8_t> key, std::string_view data) {
    std::array<std::uint8_t, 32> result{};
    std::size_t length = 0;
    if (!use(key) ||
        EVP_MAC_update(context_.get(), reinterpret_cast<const unsigned char*>(data.data()), data.size()) !=
            1 ||
        EVP_MAC_final(context_.get(), result.data(), &length, result.size()) != 1) {
      throw std::runtime_error("OpenSSL could not sign");
    }
    return result;
  }

 private:
  /// Begins a message. Messages with one key follow each other, and setting a key up costs two blocks and two
  /// contexts: OpenSSL keeps the last key and reuses it if the pointer is null.
  bool use(std::span<const std::uint8_t> key) {
    if (has_key_ && std::ranges::equal(key, key_))
      return EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1;
    static constexpr std::uint8_t no_key = 0;
    has_key_ = EVP_MAC_init(context_.get(), key.empty() ? &no_key : key.data(), key.size(), nullptr) == 1;
    key_.assign(key.begin(), key.end());
    return has_key_;
  }

  Owned<EVP_MAC_CTX, EVP_MAC_CTX_free> context_;
  bool has_key_ = false;
  Bytes key_;  // the key that the context has
};

std::string encode(std::span<const std::uint8_t> data, int variant) {
  std::string text(sodium_base64_encoded_len(data.size(), variant), '\0');  // counts the terminator
  sodium_bin2base64(text.data(), text.size(), data.data(), data.size(), variant);
  text.pop_back();
  return text;
}

std::optional<Bytes> decode(std::string_view text, int variant) {
  Bytes data(text.size() / 4 * 3 + 3);
  std::size_t length = 0;
  // Without an end pointer, libsodium refuses text after the last digit, missing padding and stray bits.
  if (sodium_base642bin(data.data(), data.size(), text.data(), text.size(), nullptr, &length, nullptr,
                        variant) != 0) {
    return std::nullopt;
  }
  data.resize(length);
  return data;
}

}  // namespace

void require_sodium() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) throw std::runtime_error("no cryptographic random generator");
}

Bytes random_bytes(std::size_t count) {
  Bytes bytes(count);
  fill_random(bytes);
  return bytes;
}

void fill_random(std::span<std::uint8_t> out) {
  require_sodium();
  if (!out.empty()) randombytes_buf(out.data(), out.size());
}

std::array<std::uint8_t, 32> sha256(std::string_view data) {
  thread_local Digest<32> digest("SHA256");
  return digest(data);
}

std::array<std::uint8_t, 20> sha1(std::string_view data) {
  thread_local Digest<20> digest("SHA1");
  return digest(data);
}

std::array<std::uint8_t, 32> hmac_sha256(std::span<const std::uint8_t> key, std::string_view data) {
  thread_local HmacSha256 hmac;
  return hmac(key, data);
}

std::string hex(std::span<const std::uint8_t> data) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(data.size() * 2);
  for (const std::uint8_t byte : data) {
    text += digits[byte >> 4U];
    text += digits[byte & 0x0fU];
  }
  return text;
}

std::optional<Bytes> unhex(std::string_view digits) {
  if (digits.empty()) return Bytes();  // sodium takes no null pointer
  Bytes data(digits.size() / 2);
  std::size_t length = 0;
  if (digits.size() % 2 != 0 ||
      sodium_hex2bin(data.data(), data.size(), digits.data(), digits.size(), nullptr, &length, nullptr) !=
          0 ||
      length != data.size()) {
    return std::nullopt;
  }
  return data;
}

std::string base64(std::span<const std::uint8_t> data) {
  return encode(data, sodium_base64_VARIANT_ORIGINAL);
}

std::optional<Bytes> base64_decode(std::string_view text) {
  return decode(text, sodium_base64_VARIANT_ORIGINAL);
}

std::string base64url(std::span<const std::uint8_t> data) {
  return encode(data, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

std::optional<Bytes> base64url_decode(std::string_view text) {
  return decode(text, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool equal_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace waybill
