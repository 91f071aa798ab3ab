#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/crypto.hpp"

namespace waybill {

/// The key file or a sealed value cannot be used; the message names the file, never a secret.
class SecretError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Encrypts secrets at rest: libsodium's XChaCha20-Poly1305 with a random nonce for each value. It also
/// authenticates the purpose (such as "workflow-secret:GUID"), so that a sealed value cannot be moved to
/// another row. Immutable after construction; any thread.
class SecretBox {
 public:
  using Key = std::array<std::uint8_t, 32>;

  explicit SecretBox(const Key& key);
  ~SecretBox();
  SecretBox(const SecretBox&) = delete;
  SecretBox& operator=(const SecretBox&) = delete;

  /// Reads the key (64 hex digits) from `file`. Throws SecretError if it is missing or malformed.
  static Key read_key(const std::filesystem::path& file);
  /// Reads the key; creates the file atomically (mode 0600) if it does not exist.
  static Key read_or_make_key(const std::filesystem::path& file);

  /// nonce || ciphertext || tag.
  Bytes seal(std::string_view secret, std::string_view purpose) const;
  /// Throws SecretError if the key, the purpose or a byte differs.
  std::string open(std::span<const std::uint8_t> sealed, std::string_view purpose) const;

 private:
  Key key_;
};

}  // namespace waybill
