#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/services.hpp"
#include "base/crypto.hpp"
#include "base/guid.hpp"

namespace waybill::api {

/// A new key pair of a business, as its row stores it.
struct SealedVapidKey {
  std::string public_key;
  Bytes private_key;  // sealed for "vapid-key:BUSINESS"

  static SealedVapidKey make(const SecretBox& secrets, const Guid& business);
};

/// Returns the public key of a business. Creates the key pair if there is none: commands and plain SQL, which
/// may lack the key that seals secrets, create businesses without one.
asio::awaitable<std::string> vapid_public_key(Services& services, const Guid& business);

}  // namespace waybill::api
