#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.hpp"

namespace waybill {

/// The key file or a sealed value cannot be used; the message names the file, never a secret.
class SecretError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Encrypts secrets at rest: libsodium's XChaCha20-Poly1305 with a random nonce for each value, unless it is
/// sealed alike. It also authenticates the purpose (such as "workflow-secret:GUID"), so that a sealed value
/// cannot be moved to another row. Has one or more keys: one of them encrypts, each decrypts. Any thread.
class SecretBox {
 public:
  using Key = std::array<std::uint8_t, 32>;

  /// The first of `keys` encrypts until `seal_with` chooses another. Throws std::invalid_argument without a
  /// key.
  explicit SecretBox(std::vector<Key> keys);
  explicit SecretBox(const Key& key);
  ~SecretBox();
  SecretBox(const SecretBox&) = delete;
  SecretBox& operator=(const SecretBox&) = delete;

  /// Reads the key (64 hex digits) from `file`. Throws SecretError if it is missing or malformed.
  static Key read_key(const std::filesystem::path& file);
  /// Reads the key; creates the file atomically (mode 0600) if it does not exist.
  static Key read_or_make_key(const std::filesystem::path& file);

  /// The public name of a key: 64 bits of a hash, which do not reveal the key.
  static std::int64_t id_of(const Key& key);
  /// Returns the ids of the keys, in their order.
  std::vector<std::int64_t> key_ids() const;

  /// Chooses the key that encrypts from now on, by its position.
  void seal_with(std::size_t key) { sealing_key_ = key; }
  std::size_t sealing_key() const { return sealing_key_; }

  /// nonce || ciphertext || tag.
  Bytes seal(std::string_view secret, std::string_view purpose) const;
  /// Like `seal`, but the same key, purpose and secret give the same bytes: the nonce is a keyed hash of
  /// both. So it shows whether two secrets of one purpose are equal, and nothing else. Only for values that
  /// may be recognised.
  Bytes seal_alike(std::string_view secret, std::string_view purpose) const;
  /// Throws SecretError if no key opens it, or if the purpose or a byte differs.
  std::string open(std::span<const std::uint8_t> sealed, std::string_view purpose) const;

  struct Opened {
    std::string secret;
    std::size_t key = 0;  // the position of the key that opened it
  };
  /// Like `open`.
  Opened open_with_key(std::span<const std::uint8_t> sealed, std::string_view purpose) const;

 private:
  /// `sealed` begins with the nonce and gets the rest.
  static void encrypt(std::string_view secret, std::string_view purpose, const Key& key, Bytes& sealed);

  std::vector<Key> keys_;
  std::atomic<std::size_t> sealing_key_ = 0;
};

}  // namespace waybill
