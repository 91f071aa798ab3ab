#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <openssl/types.h>

namespace waybill::net {

/// Points are uncompressed, 65 bytes (SEC 1 section 2.3.3); scalars 32 bytes, big endian.
using P256Point = std::array<std::uint8_t, 65>;
using P256Scalar = std::array<std::uint8_t, 32>;

/// A key on the curve P-256: a public key or a key pair. Immutable; any thread.
class P256Key {
 public:
  /// A new key pair.
  static P256Key generate();
  /// A public key. Throws std::invalid_argument if the point is not on the curve.
  explicit P256Key(const P256Point& point);
  /// A key pair; does not check that the parts belong together. Throws std::invalid_argument.
  P256Key(const P256Point& point, const P256Scalar& scalar);

  const P256Point& point() const { return point_; }

  /// The x-coordinate of the shared point (SEC 1 section 3.3.1); this key must be a pair.
  P256Scalar agree(const P256Key& other) const;

  /// ECDSA with SHA-256, as r || s (RFC 7518 section 3.4); this key must be a pair.
  std::array<std::uint8_t, 64> sign(std::span<const std::uint8_t> message) const;

 private:
  explicit P256Key(std::shared_ptr<EVP_PKEY> key);

  std::shared_ptr<EVP_PKEY> key_;
  P256Point point_{};
};

}  // namespace waybill::net
