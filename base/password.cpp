#include "base/password.hpp"

#include <array>
#include <new>

#include <sodium.h>

#include "base/crypto.hpp"

namespace waybill {
static_assert(password_hash_bytes == crypto_pwhash_MEMLIMIT_INTERACTIVE);

std::string hash_password(std::string_view password) {
  require_sodium();
  std::array<char, crypto_pwhash_STRBYTES> text{};
  if (crypto_pwhash_str_alg(text.data(), password.data(), password.size(), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                            crypto_pwhash_MEMLIMIT_INTERACTIVE, crypto_pwhash_ALG_ARGON2ID13) != 0) {
    throw std::bad_alloc();
  }
  return text.data();
}

bool password_matches(std::string_view password, const std::string& hash) {
  require_sodium();
  return crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0;
}

}  // namespace waybill
